import { isDeepStrictEqual } from 'node:util'
import { lesser } from '@coffer/kit/values/money'
import { markedFields, markStated } from '../book/field-marks.ts'
import type { Transaction } from '../book/transaction.ts'
import type { Settlement } from '../money/operation.ts'
import { type Settlements, totalOf } from '../money/settlements.ts'
import type { Current } from '../money/unit-of-work.ts'
import { hasOwnName, type IsRenamed } from '../transactions/provenance.ts'
import { type CompiledRules, matchRules } from './rule.ts'
import { assignByRule, joinActions, startSettling, tidyTransaction } from './rule-effects.ts'
import { findDecided, previewRow, previewRules } from './rule-preview.ts'
import type { RunChange, RunField } from './rule-run.ts'

/** The rows to save for a page of a run, or of its undo. */
export interface SettledPage {
  settlement: Settlement
  /** The changed transactions. */
  transactions: Transaction[]
}

export interface AppliedPage extends SettledPage {
  changes: Pick<RunChange, 'transactionId' | 'version' | 'fields'>[]
  counts: { changedCount: bigint; leftAloneCount: bigint }
}

/** Returns whether rules apply to a stored transaction: it is live and not manual. */
export function isRuled({ source, deletedAt }: Pick<Transaction, 'source' | 'deletedAt'>): boolean {
  return source !== 'manual' && deletedAt === null
}

/**
 * Returns the number of transactions that chosen rules match, the transactions that the rules would
 * change (`due`), and the number of others with a field that an earlier, not chosen rule decides.
 */
export function comparePage(rules: CompiledRules, transactions: readonly Transaction[]) {
  const compared = transactions.map((one) => ({ one, matching: matchRules(rules, one) }))
  const matched = compared.filter(({ matching }) => matching.some(({ isChosen }) => isChosen))
  const of = { isRenamed: false, ownerOf: () => null }
  const isDue = ({ one, matching }: (typeof matched)[number]) =>
    previewRow(joinActions(matching, one), one, of).length > 0
  const { true: due = [], false: others = [] } = Object.groupBy(matched, (one) => `${isDue(one)}`)
  const decided = others.filter(({ one, matching }) => findDecided(matching, one).length > 0)
  return {
    matchedCount: BigInt(matched.length),
    leftAloneCount: BigInt(decided.length),
    due: due.map(({ one }) => one),
  }
}

/**
 * Applies rules to transactions of a bank account, each as an operation of its own: payments by
 * day, then refunds. Changes nothing in an archived bank account.
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
    const wanted = previewRules(matching, before, { isRenamed, ownerOf })
    const tidied = tidyTransaction(of.rules, before, isRenamed, matching)
    const held = envelopeIn(settling.settlements, before.spendingId)?.currentAmount ?? 0n
    const after = tidied.envelope
      ? assignByRule(settling, tidied.transaction, tidied.envelope)
      : tidied.transaction
    const refundable = settling.refundable.get(before.spendingId ?? '')
    const gave = givenBy(before, { held, refundable })
    return { before, after, gave, isLeft: wanted.some(({ isChanged }) => !isChanged) }
  })
  const changed = applied.filter(({ before, after }) => before !== after)
  return {
    settlement: totalOf(settling.settlements),
    transactions: changed.map(({ after }) => after),
    changes: changed.map(({ before, after, gave }) => {
      const { version } = current.operation
      return { transactionId: before.transactionId, version, fields: fieldsOf(before, after, gave) }
    }),
    counts: {
      changedCount: BigInt(changed.length),
      leftAloneCount: BigInt(applied.filter(({ isLeft }) => isLeft).length),
    },
  }
}

/** Returns the transactions with these IDs: payments by day, then refunds. */
export function inOrder(
  transactions: readonly Transaction[],
  ids: readonly string[],
): Transaction[] {
  const named = new Set(ids)
  const rows = transactions
    .filter(({ transactionId }) => named.has(transactionId))
    .toSorted((a, b) => +a.date - +b.date || (a.transactionId < b.transactionId ? -1 : 1))
  return [...rows.filter(({ amount }) => amount >= 0n), ...rows.filter(({ amount }) => amount < 0n)]
}

function envelopeIn({ envelopes }: Settlements, spendingId: string | null) {
  return envelopes.current.get(spendingId ?? '')
}

function ownerIn(settlements: Settlements, spendingId: string): string | null {
  const envelope = envelopeIn(settlements, spendingId)
  return envelope && envelope.closedAt === null ? envelope.bankAccountId : null
}

/** Returns the fields that rules have set, recognized by a new mark. */
function fieldsOf(
  before: Transaction,
  after: Transaction,
  gaveBefore: RunField['gaveBefore'],
): RunField[] {
  return markedFields.flatMap((field) => {
    const mark = after.fieldMarks?.[field]
    const former = before.fieldMarks?.[field]
    if (!mark || mark.ruleId === null || isDeepStrictEqual(mark, former)) return []
    const { ruleId, value } = mark
    // Rules never change fields set by the user, so a value without a mark is the provider's.
    const markBefore = former ?? markStated(before[field]) ?? null
    const gave = field === 'spendingId' && gaveBefore ? { gaveBefore } : {}
    return { field, before: before[field], markBefore, ...gave, ruleId, value }
  })
}

/**
 * Returns the amount that a transaction's envelope paid, or got of a refund; undefined without an
 * envelope. `held` is the envelope's money before the run reassigned the transaction, `refundable`
 * the sum that transactions had taken from it afterwards.
 */
function givenBy(
  { spendingId, amount, spendingAmount, refundAmount }: Transaction,
  { held, refundable }: { held: bigint; refundable: bigint | undefined },
): RunField['gaveBefore'] {
  if (spendingId === null) return undefined
  const given = { amount: `${amount}`, given: `${refundAmount ?? spendingAmount ?? 0n}` }
  if (refundAmount === null) return given
  const kept = `${refundAmount - lesser(refundAmount, held)}`
  return { ...given, kept, ...(refundable !== undefined && { refundable: `${refundable}` }) }
}
