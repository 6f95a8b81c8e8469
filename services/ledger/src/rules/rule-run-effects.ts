import { isDeepStrictEqual } from 'node:util'
import { findRuleOf, type MarkedField, markedFields, markStated } from '../book/field-marks.ts'
import type { Transaction } from '../book/transaction.ts'
import type { Settlement } from '../money/operation.ts'
import { type Settlements, totalOf } from '../money/settlements.ts'
import type { Current } from '../money/unit-of-work.ts'
import { hasOwnName, type IsRenamed } from '../transactions/provenance.ts'
import { type CompiledRules, matchRules } from './rule.ts'
import {
  assignByRule,
  joinActions,
  moveEnvelope,
  type Settling,
  startSettling,
  tidyTransaction,
} from './rule-effects.ts'
import { previewRow } from './rule-preview.ts'
import type { RunChange, RunField } from './rule-run.ts'

/** The rows to save for a page of a run, or of its undo. */
interface SettledPage {
  settlement: Settlement
  /** The changed transactions. */
  transactions: Transaction[]
}

export interface AppliedPage extends SettledPage {
  changes: Pick<RunChange, 'transactionId' | 'fields'>[]
  counts: { changedCount: bigint; leftAloneCount: bigint }
}

/** Returns whether rules apply to a stored transaction: it is live, and not one by hand. */
function isRuled({ source, deletedAt }: Pick<Transaction, 'source' | 'deletedAt'>): boolean {
  return source !== 'manual' && deletedAt === null
}

/** Returns how many of these transactions match, and those that differ from what rules want. */
export function comparePage(rules: CompiledRules, transactions: readonly Transaction[]) {
  const compared = transactions.map((one) => ({ one, matching: matchRules(rules, one) }))
  const matched = compared.filter(({ matching }) => matching.length > 0)
  const of = { isRenamed: false, ownerOf: () => null }
  const due = matched.filter(({ one, matching }) => {
    return previewRow(joinActions(matching), one, of).length > 0
  })
  return { matchedCount: BigInt(matched.length), due: due.map(({ one }) => one) }
}

/**
 * Returns what rules change in these transactions of a bank account: payments by day before
 * refunds, each as an operation of its own. Nothing changes in an archived bank account.
 */
export function applyPage(
  current: Current,
  of: { rules: CompiledRules; transactionIds: readonly string[]; isRenamed: IsRenamed },
): AppliedPage {
  const settling = startSettling(current)
  const isArchived = current.bankAccount.deletedAt !== null
  const rows = isArchived ? [] : inOrder(current.transactions, of.transactionIds).filter(isRuled)
  const records = Map.groupBy(current.records, ({ transactionId }) => transactionId)
  const applied = rows.flatMap((before) => {
    const matching = matchRules(of.rules, before)
    if (matching.length === 0) return []
    const isRenamed = hasOwnName(before, records.get(before.transactionId) ?? [], of.isRenamed)
    const ownerOf = (id: string) => ownerIn(settling.settlements, id)
    const wanted = previewRow(joinActions(matching), before, { isRenamed, ownerOf })
    const tidied = tidyTransaction(of.rules, before, isRenamed)
    const after = tidied.envelope
      ? assignByRule(settling, tidied.transaction, tidied.envelope)
      : tidied.transaction
    return { before, after, isLeft: wanted.some(({ isChanged }) => !isChanged) }
  })
  const changed = applied.filter(({ before, after }) => before !== after)
  return {
    settlement: totalOf(settling.settlements),
    transactions: changed.map(({ after }) => after),
    changes: changed.map(({ before, after }) => {
      return { transactionId: before.transactionId, fields: fieldsOf(before, after) }
    }),
    counts: {
      changedCount: BigInt(changed.length),
      leftAloneCount: BigInt(applied.filter(({ isLeft }) => isLeft).length),
    },
  }
}

/**
 * Returns what the undo of these changes puts back: the fields that still have the value of the
 * run. A former envelope that is closed leaves the transaction unassigned.
 */
export function undoPage(
  current: Current,
  changes: readonly Pick<RunChange, 'transactionId' | 'fields'>[],
): SettledPage & { counts: { undoneCount: bigint; keptCount: bigint } } {
  const settling = startSettling(current)
  const isArchived = current.bankAccount.deletedAt !== null
  const byId = new Map(changes.map((one) => [one.transactionId, one]))
  const rows = isArchived ? [] : inOrder(current.transactions, [...byId.keys()]).filter(isRuled)
  const undone = rows.map((before) => {
    const fields = byId.get(before.transactionId)?.fields ?? []
    const due = fields.filter((one) => isStill(before, one))
    const after = putBack(settling, before, due)
    return { after, isUndone: due.length > 0, isKept: due.length < fields.length }
  })
  const put = undone.filter(({ isUndone }) => isUndone)
  const keptCount = undone.filter(({ isKept }) => isKept).length + (changes.length - rows.length)
  return {
    settlement: totalOf(settling.settlements),
    transactions: put.map(({ after }) => after),
    counts: { undoneCount: BigInt(put.length), keptCount: BigInt(keptCount) },
  }
}

function inOrder(transactions: readonly Transaction[], ids: readonly string[]): Transaction[] {
  const named = new Set(ids)
  const rows = transactions
    .filter(({ transactionId }) => named.has(transactionId))
    .toSorted((a, b) => a.date.getTime() - b.date.getTime())
  return [...rows.filter(({ amount }) => amount >= 0n), ...rows.filter(({ amount }) => amount < 0n)]
}

function ownerIn({ envelopes }: Settlements, spendingId: string): string | null {
  const envelope = envelopes.current.get(spendingId)
  return envelope && envelope.closedAt === null ? envelope.bankAccountId : null
}

/** Returns the fields that rules have set: those whose marks are new. */
function fieldsOf(before: Transaction, after: Transaction): RunField[] {
  return markedFields.flatMap((field) => {
    const mark = after.fieldMarks?.[field]
    const former = before.fieldMarks?.[field]
    if (!mark || mark.ruleId === null || isDeepStrictEqual(mark, former)) return []
    const { ruleId, value } = mark
    // A rule changes no field of the user, so a value without a mark is the provider's.
    const markBefore = former ?? markStated(before[field]) ?? null
    return { field, before: before[field], markBefore, ruleId, value }
  })
}

function isStill(transaction: Transaction, { field, ruleId, value }: RunField): boolean {
  return isDeepStrictEqual(transaction[field], value) && findRuleOf(transaction, field) === ruleId
}

function putBack(settling: Settling, before: Transaction, due: readonly RunField[]): Transaction {
  const texts = due.filter(({ field }) => field !== 'spendingId')
  const envelope = due.find(({ field }) => field === 'spendingId')
  const { transactionId } = before
  const operationId = `${settling.locked.operation.operationId}/undo/${transactionId}`
  const move = (id: string | null) =>
    moveEnvelope(settling, before, { spendingId: id, operationId })
  const former = envelope ? (envelope.before as string | null) : null
  const assignment = envelope ? (move(former) ?? move(null)) : null
  return {
    ...before,
    ...Object.fromEntries(texts.map((one) => [one.field, one.before])),
    ...assignment,
    fieldMarks: marksBefore(before.fieldMarks, due),
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
