import { lesser } from '@coffer/kit/values/money'
import { type Envelope, isBeforePeriod } from '../../book/envelope.ts'
import { atLeastZero } from '../../book/money.ts'
import { type Transaction, unassigned } from '../../book/transaction.ts'
import {
  endOperation,
  findEnvelope,
  type Locked,
  type Settlement,
  type StartedOperation,
  startOperation,
} from '../../money/operation.ts'
import { addSettlement, startSettlements, totalOf } from '../../money/settlements.ts'
import { assignTo, take } from '../../money/spend.ts'
import type { CompiledRules } from '../../rules/rule.ts'
import { type RuleEnvelope, tidyTransaction } from '../../rules/rule-effects.ts'

/**
 * A new row of a file for which a rule names an envelope. `given` is the amount in minor units that
 * the envelope pays in the inserted row, null without an envelope. Has no texts, since all rows of
 * a file are in memory until its save.
 */
interface RuledRow {
  transactionId: string
  amount: bigint
  date: Date
  given: bigint | null
  envelope: RuleEnvelope
}

/** A row for which the save decides another amount than the one inserted. */
interface DifferingRow {
  row: RuledRow
  given: bigint | null
}

/** Running estimate in minor units, by envelope: its money, and the maximum of refunds to it. */
interface Estimate {
  held: Map<string, bigint>
  refundable: Map<string, bigint>
}

/**
 * Optimistic assignment of a file's new rows to envelopes by rules. Rows are inserted with an
 * estimate, from the money before the lock. The save, which locks the bank account, decides again,
 * and updates only the rows that differ: an UPDATE rewrites all index entries of a row.
 */
export interface FileRules {
  rules: CompiledRules
  /** The money left before the lock; null if the bank account does not exist. */
  estimate: Estimate | null
  ruled: Map<string, RuledRow>
}

/** Maximum number of rows of a file that rules assign, to bound the save. */
const assignedMax = 10_000

/** Returns the rules for a file, with an estimate of the money before the lock. */
export function startFileRules(rules: CompiledRules, current: Locked | null): FileRules {
  const open = current?.envelopes.filter(({ closedAt }) => closedAt === null) ?? []
  const held = new Map(open.map((one) => [one.spendingId, one.currentAmount]))
  const estimate = current && { held, refundable: new Map(current.refundable) }
  return { rules, estimate, ruled: new Map() }
}

/** Returns the scope of the envelopes that rules have named for the rows of a file. */
export function scopeOfRows({ ruled }: FileRules) {
  const idsOf = (rows: readonly RuledRow[]) => [
    ...new Set(rows.map(({ envelope }) => envelope.spendingId)),
  ]
  const rows = [...ruled.values()]
  const refundIds = idsOf(rows.filter(({ amount }) => amount < 0n))
  return { spendingIds: idsOf(rows), refundIds }
}

/** Returns the scope of the envelopes that rules may name for the rows of a file. */
export function scopeOfRules({ rules }: CompiledRules, { hasDeposit }: { hasDeposit: boolean }) {
  const idsOf = (field: 'spendingId' | 'refundSpendingId') => [
    ...new Set(rules.flatMap(({ actions }) => actions[field] ?? [])),
  ]
  const named = idsOf('refundSpendingId')
  const refundIds = hasDeposit ? named : []
  return { spendingIds: [...new Set([...idsOf('spendingId'), ...refundIds])], refundIds }
}

/** Applies the rules to new transactions of a file; records those with envelopes in `ruled`. */
export function tidyRows(
  { rules, estimate, ruled }: FileRules,
  transactions: readonly Transaction[],
): Transaction[] {
  return transactions.map((one) => {
    const { transaction: plain, envelope } = tidyTransaction(rules, one, false)
    if (!envelope || !estimate || ruled.size >= assignedMax) return plain
    const { transactionId, amount, date } = plain
    const given = estimateRow(estimate, amount, envelope)
    ruled.set(transactionId, { transactionId, amount, date, given, envelope })
    return assigned(plain, envelope, given)
  })
}

/** Returns the amount that an envelope pays, or gets of a refund, by estimate; null if closed. */
function estimateRow(
  { held, refundable }: Estimate,
  amount: bigint,
  { spendingId }: RuleEnvelope,
): bigint | null {
  const [left, taken] = [held.get(spendingId), refundable.get(spendingId) ?? 0n]
  if (left === undefined) return null
  const isRefund = amount < 0n
  const given = isRefund ? lesser(atLeastZero(taken), -amount) : lesser(left, amount)
  held.set(spendingId, isRefund ? left + given : left - given)
  refundable.set(spendingId, isRefund ? taken - given : taken + given)
  return given
}

/**
 * Returns a row with the envelope of a rule, which pays `given`, or for a refund gets it. Without
 * an envelope if `given` is null.
 */
function assigned(
  plain: Transaction,
  { ruleId, spendingId }: RuleEnvelope,
  given: bigint | null,
): Transaction {
  if (given === null) return plain
  const paid = { spendingId, spendingAmount: given, refundAmount: null }
  const refunded = { spendingId, spendingAmount: 0n, refundAmount: given }
  const fieldMarks = { ...plain.fieldMarks, spendingId: { ruleId, value: spendingId } }
  return { ...plain, ...(plain.amount < 0n ? refunded : paid), fieldMarks }
}

/** Removes the rows that were not inserted, because they were stored already. */
export function keepInserted(
  { ruled }: FileRules,
  rows: readonly Transaction[],
  inserted: readonly string[],
): void {
  if (inserted.length === rows.length) return
  const stored = new Set(inserted)
  for (const { transactionId } of rows) if (!stored.has(transactionId)) ruled.delete(transactionId)
}

/** The assigned rows in the order of their effect on envelopes: oldest first, refunds last. */
export interface OrderedRows {
  payments: readonly RuledRow[]
  refunds: readonly RuledRow[]
}

/** Returns the inserted rows in the order of their effect on envelopes. */
export function orderRows({ ruled }: FileRules): OrderedRows {
  const rows = [...ruled.values()]
    .map((row) => ({ row, at: row.date.getTime() }))
    .toSorted((a, b) => a.at - b.at)
    .map(({ row }) => row)
  const [payments = [], refunds = []] = [false, true].map((isRefund) =>
    rows.filter(({ amount }) => amount < 0n === isRefund),
  )
  return { payments, refunds }
}

/** Returns the IDs of the rows whose amounts differ from the inserted ones. */
export function listDiffering(current: Locked, rows: OrderedRows): string[] {
  const { differing } = assignRows(current, null, rows)
  return differing.map(({ row }) => row.transactionId)
}

/**
 * Adds the assignments of rules to the settlement of a file. Also returns the rows that differ from
 * the inserted ones. All assignments are one operation: the journal gets one row for each envelope
 * and cause, however many rows of the file an envelope pays.
 */
export function assignRows(
  current: Locked,
  settlement: Settlement | null,
  { payments, refunds }: OrderedRows,
): { settlement: Settlement; differing: DifferingRow[] } {
  const settlements = startSettlements(current)
  if (settlement) addSettlement(settlements, settlement)
  const { bankAccount, envelopes: tracked } = settlements
  const started = startOperation({
    ...current,
    bankAccount,
    envelopes: [...tracked.current.values()],
  })
  const differing = [
    ...[...Map.groupBy(payments, spendingIdOf)].flatMap((own) => assignPayments(started, own)),
    ...refunds.flatMap((row) => assignEach(started, row)),
  ]
  addSettlement(settlements, endOperation(started))
  return { settlement: totalOf(settlements), differing }
}

/** Returns the differing rows with the amounts of the save. Throws if `inserted` lacks one. */
export function reassignRows(
  inserted: readonly Transaction[],
  differing: readonly DifferingRow[],
): Transaction[] {
  const rows = new Map(inserted.map((one) => [one.transactionId, one]))
  return differing.map(({ row: { transactionId, envelope }, given }) => {
    const one = rows.get(transactionId)
    if (!one) throw new Error(`transaction ${transactionId} of the file was not read`)
    const { spendingId: _, ...marks } = one.fieldMarks ?? {}
    const fieldMarks = Object.keys(marks).length === 0 ? null : marks
    return assigned({ ...one, ...unassigned, fieldMarks }, envelope, given)
  })
}

function spendingIdOf({ envelope }: RuledRow): string {
  return envelope.spendingId
}

/** Assigns payments to their envelope; returns the rows that differ from the inserted ones. */
function assignPayments(
  started: StartedOperation,
  [spendingId, rows]: [string, RuledRow[]],
): DifferingRow[] {
  const envelope = findEnvelope(started, spendingId)
  if (!envelope || !payAll(started, envelope, rows)) {
    return rows.flatMap((row) => assignEach(started, row))
  }
  const differing = rows.filter(({ amount, given }) => given !== amount)
  return differing.map((row) => ({ row, given: row.amount }))
}

/**
 * Fast path: takes the sum of all payments from an envelope at once. Returns false, without effect,
 * if the result depends on the order or the days of the payments: if the envelope holds too little
 * for all, still has money of a closed period (`graceUntil`), or got more refunds than it paid in
 * its period, or if a payment is of an earlier one.
 */
function payAll(started: StartedOperation, envelope: Envelope, rows: readonly RuledRow[]): boolean {
  const amount = rows.reduce((sum, row) => sum + row.amount, 0n)
  const { graceUntil, periodSpent, currentAmount } = envelope
  if (graceUntil !== null || periodSpent < 0n || currentAmount < amount) return false
  if (rows.some(({ date }) => isBeforePeriod(envelope, date))) return false
  // The day of the last spending: payments of 0 do not count.
  const day = rows.findLast((row) => row.amount > 0n)?.date ?? new Date(0)
  const causeId = started.operation.operationId
  take(started, envelope, { amount, day, cause: 'transaction', causeId })
  return true
}

/** Assigns a row to its envelope, if open; returns the row if it differs from the inserted one. */
function assignEach(started: StartedOperation, row: RuledRow): DifferingRow[] {
  const { amount, date: day } = row
  const envelope = findEnvelope(started, row.envelope.spendingId)
  const causeId = started.operation.operationId
  const of = { amount, day, causeId, isRefund: amount < 0n }
  const assignment = envelope && assignTo(started, envelope, of)
  const given = assignment && (assignment.refundAmount ?? assignment.spendingAmount)
  return given === row.given ? [] : [{ row, given }]
}
