import type { Transaction } from '../book/transaction.ts'
import type { Settlement } from '../money/operation.ts'
import { addSettlement, startSettlements, totalOf } from '../money/settlements.ts'
import type { Current } from '../money/unit-of-work.ts'
import type { CompiledRules } from '../rules/rule.ts'
import { assignByRule, type RuleEnvelope, tidyTransaction } from '../rules/rule-effects.ts'

/** The envelopes that rules name for the new transactions of a file, by transaction ID. */
export type NamedEnvelopes = Map<string, RuleEnvelope>

/** Maximum number of rows of a file that rules assign, so that its save stays small. */
const assignedMax = 10_000

/** Returns new transactions of a file with the texts and tags of rules; adds their envelopes. */
export function tidyRows(
  rules: CompiledRules,
  transactions: readonly Transaction[],
  envelopes: NamedEnvelopes,
): Transaction[] {
  return transactions.map((one) => {
    const { transaction, envelope } = tidyTransaction(rules, one, false)
    if (envelope && envelopes.size < assignedMax) envelopes.set(one.transactionId, envelope)
    return transaction
  })
}

/** Returns the scope that reads the transactions which rules assign, and their envelopes. */
export function scopeOfRules(envelopes: NamedEnvelopes) {
  if (envelopes.size === 0) return {}
  const spendingIds = [...new Set([...envelopes.values()].map(({ spendingId }) => spendingId))]
  return { transactionIds: [...envelopes.keys()], spendingIds, refundIds: spendingIds }
}

/**
 * Returns the settlement of a file with the assignments of rules on top, oldest first, payments
 * before refunds. Rows that were stored before are not in `current`, and stay as they are.
 */
export function assignRows(
  current: Current,
  settlement: Settlement,
  envelopes: NamedEnvelopes,
): { settlement: Settlement; transactions: Transaction[] } {
  const settlements = startSettlements(current)
  addSettlement(settlements, settlement)
  const rows = current.transactions
    .filter(({ transactionId }) => envelopes.has(transactionId))
    .toSorted((a, b) => a.date.getTime() - b.date.getTime())
  const refunds = rows.filter(({ amount }) => amount < 0n)
  const transactions = [...rows.filter(({ amount }) => amount >= 0n), ...refunds].map((one) => {
    const envelope = envelopes.get(one.transactionId)
    return envelope ? assignByRule({ locked: current, settlements }, one, envelope) : one
  })
  return { settlement: totalOf(settlements), transactions }
}
