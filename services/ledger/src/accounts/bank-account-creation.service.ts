import { lockBound, requireWithin } from '@coffer/kit/database/account-bound.sql'
import type { Transaction as Tx } from '@coffer/kit/database/database'
import { objectsChanged } from '@coffer/kit/events/objects-changed'
import { say } from '@coffer/kit/reasons/reasons'
import { duplicate, notFound } from '@coffer/kit/rpc/errors'
import type { ServiceDeps } from '@coffer/kit/service/service'
import { ObjectsChangedSchema } from '@coffer/proto/ledger/v1/events'
import { UniqueIntegrityConstraintViolationError } from 'slonik'
import type { Link, LinkKey } from '../book/link.ts'
import { setTimezones } from '../money/dates.sql.ts'
import { candidateChanges } from '../money/money-events.service.ts'
import { createMoney, type MoneySave } from '../money/money-save.sql.ts'
import { type Creation, createdSet } from '../money/unit-of-work.ts'
import { type Bounds, bankAccountBound } from './bounds.sql.ts'
import { shareLink } from './link.sql.ts'

type Deps = Pick<ServiceDeps, 'database'> & { config: Bounds }

interface Created<Reply> {
  creations: readonly Creation<unknown>[]
  reply: Reply
}

/**
 * Creates the bank accounts that `decide` returns, all or none. Creations in one account are
 * serialized, so `decide` can read the bank accounts of earlier ones. Throws `notFound` if the link
 * is missing, `refused` above the limit per account (docs/limits.md), and `duplicate` if another
 * bank account uses the candidate of the feed link.
 */
export async function createBankAccounts<Reply>(
  { config, database }: Deps,
  { accountId, linkId }: LinkKey,
  decide: (link: Link, tx: Tx) => Created<Reply> | Promise<Created<Reply>>,
): Promise<Reply> {
  const bound = bankAccountBound(config, accountId)
  const run = database.transaction(async (tx) => {
    // Serializes creations: many overlapping shared locks on the link would delay its deletion.
    await lockBound(tx, bound)
    const link = await shareLink(tx, accountId, linkId)
    if (!link) throw notFound('link')
    const { creations, reply } = await decide(link, tx)
    if (creations.length === 0) return reply
    await createMoney(tx, creations.map(saveOf))
    const ids = creations.map(({ settlement }) => settlement.bankAccount.bankAccountId)
    await setTimezones(tx, accountId, ids)
    await requireWithin(tx, bound)
    return reply
  })
  return run.catch(refuseTaken)
}

function saveOf(creation: Creation<unknown>): MoneySave {
  const changeSet = createdSet(creation)
  const { bankAccount } = changeSet
  const { accountId, bankAccountId, createdAt: now, version } = bankAccount
  const told = [
    { type: 'bank_account.created', objectId: bankAccountId, bankAccountId, version } as const,
  ]
  const created = objectsChanged(ObjectsChangedSchema, { accountId, now }, told)
  return { ...changeSet, changes: [...candidateChanges(bankAccount), ...created] }
}

/** Throws `duplicate` (400) if another bank account uses the candidate; rethrows other errors. */
export function refuseTaken(error: unknown): never {
  const isTaken = error instanceof UniqueIntegrityConstraintViolationError
  if (isTaken && error.constraint === 'bank_accounts_feed') {
    const feedBankAccountId = say('BANK_ACCOUNT_TAKEN')
    throw duplicate('bank account', { feedBankAccountId })
  }
  throw error
}
