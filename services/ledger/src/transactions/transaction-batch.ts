import { type Refusal, settledOrRefused } from '@coffer/kit/rpc/errors'
import { requireManual } from '../accounts/bank-account.ts'
import type { Settlement } from '../money/operation.ts'
import { addSettlement, startSettlements, totalOf } from '../money/settlements.ts'
import {
  createTransaction,
  type Locked,
  type NewTransaction,
  type Transaction,
} from './transaction.ts'

export const batchSizeMax = 500

/** A transaction of a batch; each is an operation of its own in the journal. */
export type BatchItem = { operationId: string; body: NewTransaction }

/** The outcome of one item of a batch: created, or refused without effect. */
export type ItemOutcome = { transaction: Transaction } | { refusal: Refusal }

/** The rows to save for a batch; the settlement has each changed envelope once. */
export type BatchDecision = { settlement: Settlement; outcomes: ItemOutcome[] }

/**
 * Creates manual transactions in order, each an operation of its own on the rows after the one
 * before. A refused item has no effect. Throws if the bank account accepts no transactions.
 */
export function createTransactions(locked: Locked, items: readonly BatchItem[]): BatchDecision {
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
