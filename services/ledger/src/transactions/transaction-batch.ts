import { type Refusal, settledOrRefused } from '@coffer/kit/rpc/errors'
import { requireManual } from '../book/bank-account.ts'
import type { Transaction } from '../book/transaction.ts'
import { refundableAfter } from '../money/bookings.ts'
import type { Locked, Settlement } from '../money/operation.ts'
import { addSettlement, startSettlements, totalOf } from '../money/settlements.ts'
import { createTransaction, type NewTransaction } from './transaction-creation.ts'
import { creationHints } from './transaction-hints.ts'

export const batchSizeMax = 500

/** The outcome of one item of a batch: created, or refused without effect. */
export type ItemOutcome = { transaction: Transaction; hints: string[] } | { refusal: Refusal }

/**
 * Creates manual transactions in order, each as its own operation on the rows that the preceding
 * operation leaves. A refused item has no effect. Throws if the bank account is archived, or its
 * link is deleted or not manual.
 */
export function createTransactions(
  locked: Locked,
  items: readonly { operationId: string; body: NewTransaction }[],
): { settlement: Settlement; outcomes: ItemOutcome[] } {
  requireManual(locked.bankAccount)
  const settlements = startSettlements(locked)
  const outcomes = items.map(({ operationId, body }): ItemOutcome => {
    const { bankAccount, envelopes } = settlements
    const named = body.refundSpendingId ?? body.spendingId
    const envelope = envelopes.current.get(named ?? '')
    const operation = { ...locked.operation, operationId }
    const refundable = refundableAfter(locked.refundable ?? new Map(), settlements.entries)
    const state = { bankAccount, envelopes: envelope ? [envelope] : [], operation, refundable }
    const decided = settledOrRefused(() => createTransaction(state, body))
    if ('refusal' in decided) return decided
    const { settlement, transaction } = decided.result
    addSettlement(settlements, settlement)
    return { transaction, hints: creationHints(transaction, body) }
  })
  return { settlement: totalOf(settlements), outcomes }
}
