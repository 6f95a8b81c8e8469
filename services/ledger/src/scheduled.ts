import { notFound } from '@coffer/kit/errors'
import type { BankAccount } from './bank-account.ts'
import type { Settlement } from './book.ts'
import type { Envelope } from './envelope.ts'
import type { ScheduledDecision } from './funding.ts'
import { addDecision, openTill, type Till, tillWrite } from './till.ts'
import type { Locked } from './transaction.ts'

/** Something that budgeting has decided and named: a run of a schedule, or the end of a period. */
export type ScheduledOperation = {
  accountId: string
  bankAccountId: string
  operationId: string
  /** Envelopes that it is about. */
  spendingIds: readonly string[]
  decide: (locked: Locked) => ScheduledDecision
}

/** The rows that operations are decided on, and what was answered to those booked already. */
export type ScheduledRows<Reply> = {
  bankAccounts: readonly BankAccount[]
  envelopes: readonly Envelope[]
  first: (operation: ScheduledOperation) => Reply | undefined
}

/** An operation that is booked, with what is answered to it from now on. */
type Named<Reply> = Pick<ScheduledOperation, 'accountId' | 'bankAccountId' | 'operationId'> & {
  reply: Reply
  createdAt: Date
}

type ScheduledTill<Reply> = Till<never, Named<Reply>>

/** What a bank account's operations leave to be saved. */
export type ScheduledWrite<Reply> = NonNullable<ReturnType<typeof tillWrite<never, Named<Reply>>>>

/**
 * Decides operations on many bank accounts, each on what the one before it left, and what is
 * answered to them in their order. One that is booked already decides nothing. Throws where any of
 * them is refused: then nothing of them is to be saved.
 */
export function decideScheduled<Reply>(
  rows: ScheduledRows<Reply>,
  operations: readonly ScheduledOperation[],
  by: { now: Date; createdBy: string; answer: (settlement: Settlement) => Reply },
): { replies: Reply[]; writes: ScheduledWrite<Reply>[] } {
  const tills = openTills<Reply>(rows)
  const replies = operations.map((operation) => {
    const first = rows.first(operation)
    if (first !== undefined) return first
    const { accountId, bankAccountId, operationId } = operation
    const till = tills.get(keyOf(operation))
    if (!till) throw notFound('bank account')
    const { settlement, transaction } = operation.decide({
      bankAccount: till.bankAccount,
      envelopes: [...till.envelopes.values()],
      operation: { operationId, now: by.now, createdBy: by.createdBy },
    })
    const reply = by.answer(settlement)
    const named = { accountId, bankAccountId, operationId, reply, createdAt: by.now }
    addDecision(till, { settlement, inserted: transaction, operation: named })
    return reply
  })
  return { replies, writes: [...tills.values()].flatMap((till) => tillWrite(till) ?? []) }
}

function openTills<Reply>({
  bankAccounts,
  envelopes,
}: ScheduledRows<Reply>): Map<string, ScheduledTill<Reply>> {
  const byAccount = Map.groupBy(envelopes, keyOf)
  return new Map(
    bankAccounts.map((bankAccount) => {
      const key = keyOf(bankAccount)
      return [key, openTill({ bankAccount, envelopes: byAccount.get(key) ?? [], transactions: [] })]
    }),
  )
}

function keyOf({ accountId, bankAccountId }: { accountId: string; bankAccountId: string }): string {
  return `${accountId} ${bankAccountId}`
}
