import type { MessageInitShape } from '@bufbuild/protobuf'
import { groupsOf } from '@coffer/kit/database/batch'
import { type Change, changeOf, entitiesMax } from '@coffer/kit/events/changes'
import { messageOf, objectsChanged } from '@coffer/kit/events/objects-changed'
import { toMessage } from '@coffer/kit/rpc/message'
import { EnvelopeSchema } from '@coffer/proto/ledger/v1/envelope'
import {
  EnvelopeClosedSchema,
  EnvelopesChangedSchema,
  FeedBankAccountArchivedSchema,
  FeedBankAccountOpenedSchema,
  ObjectsChangedSchema,
} from '@coffer/proto/ledger/v1/events'
import type { BankAccount } from '../book/bank-account.ts'
import type { Envelope } from '../book/envelope.ts'
import type { ChangeSet } from './unit-of-work.ts'

/**
 * Returns the events of a save: changed and closed envelopes; a bank account that was archived,
 * restored or attached to another candidate (a bank account that a feed offers); and the objects
 * that changed for clients.
 */
export function createChanges(
  { bankAccount, readCandidateId: former, created, envelopes, told }: ChangeSet,
  now: Date,
): Change[] {
  const { accountId } = bankAccount
  const isOther = former !== bankAccount.feedBankAccountId
  const changed = [...created.filter(isMoved), ...envelopes]
  const isShort = told.reduce((sum, { objects }) => sum + objects.length, 0) <= entitiesMax
  // Batching: the event of the envelopes also carries the changes for clients, to save a message.
  const isJoined = isShort && changed.some(({ closedAt }) => closedAt === null)
  const joined = isJoined ? told : []
  return [
    ...envelopeChanges(
      bankAccount,
      changed,
      joined.map(({ cause, objects }) => messageOf({ accountId, now, cause }, objects)),
    ),
    // `deletedAt` is set only in the save that archives the bank account, because an archived one
    // refuses later changes. So an archived bank account releases its candidate once.
    ...(isOther && former !== null ? [candidateChange(bankAccount, former, { isFree: true })] : []),
    ...(bankAccount.deletedAt !== null || isOther ? candidateChanges(bankAccount) : []),
    ...(isJoined ? [] : told).flatMap(({ cause, objects }) =>
      objectsChanged(ObjectsChangedSchema, { accountId, now, cause }, objects),
    ),
  ]
}

/** Returns whether the save that creates an envelope also moves money into it. */
function isMoved({ version }: Envelope): boolean {
  return version > 1n
}

/**
 * Returns events for budgeting: the amounts of open envelopes, and the IDs of closed ones. The
 * first event of open envelopes also carries `told`, the changes for clients.
 */
export function envelopeChanges(
  bankAccount: Pick<BankAccount, 'accountId' | 'bankAccountId' | 'version'>,
  envelopes: readonly Envelope[],
  told: MessageInitShape<typeof ObjectsChangedSchema>[] = [],
): Change[] {
  const { accountId, bankAccountId, version } = bankAccount
  const open = envelopes.filter(({ closedAt }) => closedAt === null)
  const closed = envelopes.filter(({ closedAt }) => closedAt !== null)
  const messages = open.map((envelope) => toMessage(EnvelopeSchema, envelope))
  return [
    ...groupsOf(messages, entitiesMax).map((page, index) => {
      const subject = { accountId, entityId: bankAccountId, version }
      const also = index === 0 ? { told } : {}
      return changeOf(EnvelopesChangedSchema, subject, { accountId, envelopes: page, ...also })
    }),
    ...closed.map(({ spendingId }) => {
      const subject = { accountId, entityId: spendingId, version }
      return changeOf(EnvelopeClosedSchema, subject, { accountId, bankAccountId, spendingId })
    }),
  ]
}

/** Returns the event that a candidate is now in use, or free again; none without a candidate. */
export function candidateChanges(bankAccount: BankAccount): Change[] {
  const { feedBankAccountId, deletedAt } = bankAccount
  if (feedBankAccountId === null) return []
  return [candidateChange(bankAccount, feedBankAccountId, { isFree: deletedAt !== null })]
}

function candidateChange(
  { accountId, bankAccountId, version }: BankAccount,
  feedBankAccountId: string,
  { isFree }: { isFree: boolean },
): Change {
  const subject = { accountId, entityId: feedBankAccountId, version }
  const schema = isFree ? FeedBankAccountArchivedSchema : FeedBankAccountOpenedSchema
  return changeOf(schema, subject, { accountId, bankAccountId, feedBankAccountId, version })
}
