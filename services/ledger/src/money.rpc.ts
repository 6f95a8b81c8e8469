import type { DescMessage, MessageShape } from '@bufbuild/protobuf'
import { type Change, changeOf } from '@coffer/kit/changes'
import type { Transaction as Tx } from '@coffer/kit/database'
import { notFound } from '@coffer/kit/errors'
import { newId } from '@coffer/kit/id'
import type { IdempotencyKey } from '@coffer/kit/idempotency'
import { toMessage } from '@coffer/kit/message'
import { BalancesSchema } from '@coffer/proto/ledger/v1/bank_account'
import { EnvelopeSchema } from '@coffer/proto/ledger/v1/envelope'
import { EnvelopeChangedSchema, EnvelopeClosedSchema } from '@coffer/proto/ledger/v1/events'
import { balancesOf } from './bank-account.ts'
import type { Operation, Settlement } from './book.ts'
import type { Envelope } from './envelope.ts'
import { type LockedMoney, lockMoney, type MoneyScope } from './money.sql.ts'

/** Takes the money lock for a new operation. Throws notFound where there is no bank account. */
export async function lockForOperation(
  tx: Tx,
  scope: MoneyScope,
  { now, operationId = newId('op') }: { now: Date; operationId?: string },
): Promise<LockedMoney & { operation: Operation }> {
  const locked = await lockMoney(tx, scope)
  if (!locked) throw notFound('bank account')
  return { ...locked, operation: { operationId, now } }
}

/** The changes that tell the plans: one an envelope, applied there by version. */
export function envelopeChanges(envelopes: readonly Envelope[]): Change[] {
  return envelopes.map((envelope) => {
    const { accountId, bankAccountId, spendingId, version } = envelope
    const subject = { accountId, entityId: spendingId, version }
    if (envelope.closedAt !== null) {
      return changeOf(EnvelopeClosedSchema, subject, { accountId, bankAccountId, spendingId })
    }
    const message = toMessage(EnvelopeSchema, envelope)
    return changeOf(EnvelopeChangedSchema, subject, { accountId, envelope: message })
  })
}

/** What a change of money answers with: the balances, and the changed envelopes in order. */
export function resultOf({ bankAccount, envelopes }: Settlement) {
  return {
    balance: toMessage(BalancesSchema, balancesOf(bankAccount)),
    envelopes: envelopes.map((envelope) => toMessage(EnvelopeSchema, envelope)),
  }
}

/** The answer to keep with a write, where the request had an Idempotency-Key. */
export function answerOf<Reply extends DescMessage>(
  key: IdempotencyKey<Reply> | null,
  reply: MessageShape<Reply>,
): { key: IdempotencyKey; reply: MessageShape<DescMessage> } | undefined {
  return key ? { key, reply } : undefined
}
