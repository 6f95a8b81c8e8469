import { isDeepStrictEqual } from 'node:util'
import { findRuleOf, type MarkedField, markedFields } from '../book/field-marks.ts'
import type { Transaction } from '../book/transaction.ts'
import { totalOf } from '../money/settlements.ts'
import type { Current } from '../money/unit-of-work.ts'
import { moveEnvelope, type Restored, type Settling, startSettling } from './rule-effects.ts'
import type { RunChange, RunField } from './rule-run.ts'
import { inOrder, isRuled, type SettledPage } from './rule-run-effects.ts'

/** The changes of one page of a run, and later changes of the same transactions by other runs. */
interface Page {
  changes: readonly RunChange[]
  /** Ordered by version. */
  later: readonly RunChange[]
}

/** The rows to save for the undo of a page. */
export interface UndonePage extends SettledPage {
  /** Changes of later runs, with their former values replaced by the values before this run. */
  replaced: RunChange[]
  counts: { undoneCount: bigint; keptCount: bigint }
}

/**
 * Undoes a page: restores the fields that still have the value of the run. Transactions are undone
 * in reverse order, so that each envelope has the same money as during the run. If the former
 * envelope is closed, the transaction becomes unassigned.
 */
export function undoPage(current: Current, { changes, later }: Page): UndonePage {
  const settling = startSettling(current)
  const isArchived = current.bankAccount.deletedAt !== null
  const byId = new Map(changes.map((one) => [one.transactionId, one]))
  const nextOf = indexLater(later)
  const rows = isArchived ? [] : inOrder(current.transactions, [...byId.keys()]).filter(isRuled)
  const undoing = rows.toReversed().map((row) => {
    const { transactionId } = row
    const fields = byId.get(transactionId)?.fields ?? []
    const due = fields.filter((one) => isStill(row, one) && !nextOf(transactionId, one.field))
    return { row, due, isKept: due.length < fields.length }
  })
  const put = undoing.filter(({ due }) => due.length > 0)
  const keptCount = undoing.filter(({ isKept }) => isKept).length + (changes.length - rows.length)
  return {
    transactions: put.map(({ row, due }) => putBack(settling, row, due)),
    settlement: totalOf(settling.settlements),
    replaced: replaceBefore(changes, nextOf),
    counts: { undoneCount: BigInt(put.length), keptCount: BigInt(keptCount) },
  }
}

type NextOf = (transactionId: string, field: MarkedField) => RunChange | undefined

/**
 * Returns a function that finds the earliest of the `later` changes to a field of a transaction.
 */
function indexLater(later: readonly RunChange[]): NextOf {
  const byRow = Map.groupBy(later, ({ transactionId }) => transactionId)
  return (transactionId, field) =>
    byRow.get(transactionId)?.find(({ fields }) => fields.some((one) => one.field === field))
}

/**
 * Returns the next later change of each undone field, with another former value. The former value
 * is the one that the undone run had set, so an undo of the later change would restore it. It is
 * replaced by the value before the undone run.
 */
function replaceBefore(changes: readonly RunChange[], nextOf: NextOf): RunChange[] {
  const replaced = new Map<RunChange, RunField[]>()
  for (const { transactionId, fields } of changes) {
    for (const one of fields) {
      const next = nextOf(transactionId, one.field)
      if (!next?.fields.some((its) => follows(its, one))) continue
      const present = replaced.get(next) ?? next.fields
      replaced.set(
        next,
        present.map((its) => (follows(its, one) ? replacedField(its, one) : its)),
      )
    }
  }
  return [...replaced].map(([change, fields]) => ({ ...change, fields }))
}

/** Returns whether the former value of a change is the value that an earlier change set. */
function follows({ field, before, markBefore }: RunField, earlier: RunField): boolean {
  const { ruleId, value } = earlier
  const isSame = field === earlier.field && isDeepStrictEqual(before, value)
  return isSame && isDeepStrictEqual(markBefore, { ruleId, value })
}

function replacedField(
  { gaveBefore: _, ...one }: RunField,
  { before, markBefore, gaveBefore }: RunField,
): RunField {
  return { ...one, before, markBefore, ...(gaveBefore ? { gaveBefore } : {}) }
}

function isStill(transaction: Transaction, { field, ruleId, value }: RunField): boolean {
  return isDeepStrictEqual(transaction[field], value) && findRuleOf(transaction, field) === ruleId
}

/** Returns the change of the envelope to restore; undefined if the run did not change it. */
function envelopeToPut(due: readonly RunField[]): RunField | undefined {
  return due.find(({ field, before, value }) => field === 'spendingId' && before !== value)
}

function putBack(settling: Settling, row: Transaction, due: readonly RunField[]): Transaction {
  const texts = due.filter(({ field }) => field !== 'spendingId')
  return {
    ...row,
    ...Object.fromEntries(texts.map((one) => [one.field, one.before])),
    ...assignBack(settling, row, envelopeToPut(due)),
    fieldMarks: marksBefore(row.fieldMarks, due),
  }
}

function assignBack(settling: Settling, row: Transaction, envelope: RunField | undefined) {
  if (!envelope) return null
  const spendingId = envelope.before as string | null
  const { operation } = settling.locked
  const operationId = `${operation.operationId}/undo/${row.transactionId}`
  const restored = restoredFor(row, envelope)
  const back = moveEnvelope(settling, row, { spendingId, operationId, restored })
  return back ?? moveEnvelope(settling, row, { spendingId: null, operationId })
}

/** Returns the amounts that the former envelope gave; undefined if `amount` has changed since. */
function restoredFor({ amount }: Transaction, { gaveBefore }: RunField): Restored | undefined {
  if (!gaveBefore || BigInt(gaveBefore.amount) !== amount) return undefined
  const { given, kept = '0', refundable = null } = gaveBefore
  return {
    given: BigInt(given),
    kept: BigInt(kept),
    refundable: refundable === null ? null : BigInt(refundable),
  }
}

function marksBefore(marks: Transaction['fieldMarks'], due: readonly RunField[]) {
  const restored = new Map<MarkedField, RunField['markBefore']>(
    due.map(({ field, markBefore }) => [field, markBefore]),
  )
  const kept = markedFields.flatMap((field) => {
    const mark = restored.has(field) ? restored.get(field) : marks?.[field]
    return mark ? [[field, mark] as const] : []
  })
  return kept.length === 0 ? null : Object.fromEntries(kept)
}
