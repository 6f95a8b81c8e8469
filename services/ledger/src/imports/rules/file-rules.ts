import { isDeepStrictEqual } from 'node:util'
import type { Transaction } from '../../book/transaction.ts'
import type { Locked, Settlement } from '../../money/operation.ts'
import { addSettlement, totalOf } from '../../money/settlements.ts'
import type { CompiledRules } from '../../rules/rule.ts'
import {
  assignByRule,
  type RuleEnvelope,
  type Settling,
  startSettling,
  tidyTransaction,
} from '../../rules/rule-effects.ts'

/** A new row of a file for which rules name an envelope: without it, and as it is inserted. */
interface RuledRow {
  plain: Transaction
  inserted: Transaction
  envelope: RuleEnvelope
}

/**
 * Rules for the new rows of a file. Rows are inserted with the envelopes that the rules name, as if
 * the money of today stayed as it is. The save, which locks the bank account, decides again, and
 * updates only those rows that get another amount: an UPDATE of a row writes all its indexes again.
 */
export interface FileRules {
  rules: CompiledRules
  /** Assignments before the lock; null if the bank account is gone. */
  estimate: Settling | null
  ruled: Map<string, RuledRow>
}

/** Maximum number of rows of a file that rules assign, so that its save stays small. */
const assignedMax = 10_000

/** Returns the rules for a file, from the money of the bank account as it is before the lock. */
export function startFileRules(rules: CompiledRules, current: Locked | null): FileRules {
  return { rules, estimate: current && startSettling(current), ruled: new Map() }
}

/** Returns the scope of the envelopes that rules have named for the rows of a file. */
export function scopeOfRows({ ruled }: FileRules) {
  const idsOf = (rows: readonly RuledRow[]) => [
    ...new Set(rows.map(({ envelope }) => envelope.spendingId)),
  ]
  const rows = [...ruled.values()]
  const refundIds = idsOf(rows.filter(({ plain }) => plain.amount < 0n))
  return { spendingIds: idsOf(rows), refundIds }
}

/** Returns the scope of the envelopes that rules may name for the rows of a file. */
export function scopeOfRules({ rules }: CompiledRules, rows: Iterable<{ amount: bigint }>) {
  const idsOf = (field: 'spendingId' | 'refundSpendingId') => [
    ...new Set(rules.flatMap(({ actions }) => actions[field] ?? [])),
  ]
  const named = idsOf('refundSpendingId')
  const refundIds = named.length > 0 && hasRefund(rows) ? named : []
  return { spendingIds: [...new Set([...idsOf('spendingId'), ...refundIds])], refundIds }
}

function hasRefund(rows: Iterable<{ amount: bigint }>): boolean {
  for (const { amount } of rows) if (amount < 0n) return true
  return false
}

/** Returns new transactions of a file as rules have them inserted; notes those with envelopes. */
export function tidyRows(
  { rules, estimate, ruled }: FileRules,
  transactions: readonly Transaction[],
): Transaction[] {
  return transactions.map((one) => {
    const { transaction: plain, envelope } = tidyTransaction(rules, one, false)
    if (!envelope || !estimate || ruled.size >= assignedMax) return plain
    const inserted = assignByRule(estimate, plain, envelope)
    ruled.set(one.transactionId, { plain, inserted, envelope })
    return inserted
  })
}

/** Removes rows that were stored before, and so were not inserted. */
export function keepInserted(
  { ruled }: FileRules,
  rows: readonly Transaction[],
  inserted: readonly string[],
): void {
  if (inserted.length === rows.length) return
  const stored = new Set(inserted)
  for (const { transactionId } of rows) if (!stored.has(transactionId)) ruled.delete(transactionId)
}

/**
 * Returns the settlement of a file with the assignments of rules on top, oldest first, payments
 * before refunds, and the rows that differ from what is inserted.
 */
export function assignRows(
  current: Locked,
  settlement: Settlement | null,
  { ruled }: FileRules,
): { settlement: Settlement; transactions: Transaction[] } {
  const settling = startSettling(current)
  if (settlement) addSettlement(settling.settlements, settlement)
  const rows = [...ruled.values()].toSorted((a, b) => +a.plain.date - +b.plain.date)
  const refunds = rows.filter(({ plain }) => plain.amount < 0n)
  const inOrder = [...rows.filter(({ plain }) => plain.amount >= 0n), ...refunds]
  const transactions = inOrder.flatMap(({ plain, inserted, envelope }) => {
    const after = assignByRule(settling, plain, envelope)
    return isDeepStrictEqual(after, inserted) ? [] : after
  })
  return { settlement: totalOf(settling.settlements), transactions }
}
