import { type Refusal, settledOrRefused } from '@coffer/kit/rpc/errors'
import { requireManual, requireWritable } from '../accounts/bank-account.ts'
import type { Settlement } from '../money/book.ts'
import { addSettlement, startSettlements, totalOf } from '../money/settlements.ts'
import {
  createTransaction,
  type Locked,
  type NewTransaction,
  type Transaction,
} from './transaction.ts'

/** Transactions that one request may hold. */
export const batchSizeMax = 500

/** A transaction of a batch; in the journal each is an operation of its own. */
export type BatchItem = { operationId: string; body: NewTransaction }

/** What became of one item: all of it is booked, or nothing. */
export type ItemOutcome = { transaction: Transaction } | { refusal: Refusal }

/** What a batch leaves behind; the settlement's envelopes are the changed ones, each once. */
export type BatchDecision = { settlement: Settlement; outcomes: ItemOutcome[] }

/**
 * Decides a batch of manual transactions in order, each as `createTransaction` does on what those
 * before it left. One that is refused changes nothing and does not keep the others from being
 * booked. Refuses all of them where the bank account takes none.
 */
export function createTransactions(locked: Locked, items: readonly BatchItem[]): BatchDecision {
  requireWritable(locked.bankAccount)
  requireManual(locked.bankAccount)
  const settlements = startSettlements(locked)
  const outcomes = items.map(({ operationId, body }): ItemOutcome => {
    const { bankAccount, envelopes } = settlements
    const envelope = envelopes.current.get(body.spendingId ?? '')
    const operation = { ...locked.operation, operationId }
    const state = { bankAccount, envelopes: envelope ? [envelope] : [], operation }
    const decided = settledOrRefused(() => createTransaction(state, body))
    if ('refusal' in decided) return decided
    const { settlement, transaction } = decided.result
    addSettlement(settlements, settlement)
    return { transaction }
  })
  return { settlement: totalOf(settlements), outcomes }
}
