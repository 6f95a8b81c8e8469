import type { Database } from '@coffer/kit/database/database'
import { notFound } from '@coffer/kit/rpc/errors'
import type { RuleActions, RuleConditions } from '@coffer/proto/ledger/v1/rule'
import type { Transaction } from '../book/transaction.ts'
import { listRecordsOf } from '../records/provider-record.sql.ts'
import { hasOwnName, type IsRenamed } from '../transactions/provenance.ts'
import { searchTransactions } from '../transactions/transaction-search.service.ts'
import { rangeOf, type TransactionSearch } from '../transactions/transaction-search.ts'
import { readParts } from './rule.service.ts'
import { listArchived, listOwners, listRules, type Rule } from './rule.sql.ts'
import { compileRules, matchRules, type StoredRule } from './rule.ts'
import { type PreviewedField, previewRules } from './rule-preview.ts'
import type { RuleScope } from './rule-scope.service.ts'

/** Bounds of a preview (docs/limits.md). */
const examinedMax = 20_000
const pageSize = 500
const shownMax = 100

interface Previewed {
  transaction: Transaction
  fields: PreviewedField[]
}

/**
 * A rule that is not stored. It is previewed alone, or at `position` (from 1) among the account's
 * rules. With `ruleId` it replaces that rule, by default at the same position.
 */
export interface Draft {
  conditions: RuleConditions
  actions: RuleActions
  position: number | null
  ruleId: string | null
}

/**
 * Dry run: compares a draft, or (null) all rules of the account in order, page by page with the
 * newest transactions of the scope. Ignores manual transactions and archived bank accounts. Returns
 * the counts, and the first 100 affected transactions. Throws `notFound` if the rule that a draft
 * replaces does not exist.
 */
export async function previewRule(
  { database, isRenamed }: { database: Database; isRenamed: IsRenamed },
  { accountId, timezone }: { accountId: string; timezone: string },
  of: {
    draft: Draft | null
    /** The rules of `listCompared`. */
    stored: readonly Rule[]
    scope: RuleScope
    pause: () => Promise<void>
  },
) {
  const { bankAccountId, fromDay, toDay } = of.scope
  const ordered = rulesOf(of.stored, of.draft)
  const rules = compileRules(ordered, timezone)
  const named = ordered.flatMap(({ actions: { spendingId, refundSpendingId } }) =>
    [spendingId, refundSpendingId].flatMap((id) => id ?? []),
  )
  const owners = await listOwners(database, accountId, named)
  const ownerOf = (spendingId: string) => owners.get(spendingId) ?? null
  const archived = await listArchived(database, accountId)
  const counts = { examinedCount: 0, matchedCount: 0, changedCount: 0, keptCount: 0 }
  const shown: Previewed[] = []
  const range = rangeOf({ from: fromDay, to: toDay, after: null }, timezone)
  let search = { ...everything, ...range, bankAccountId, limit: pageSize }
  for (;;) {
    const page = await searchTransactions(database, accountId, search)
    const transactions = page?.transactions ?? []
    const ruled = transactions.filter(
      ({ source, bankAccountId }) => source !== 'manual' && !archived.has(bankAccountId),
    )
    const matching = new Map(ruled.map((one) => [one, matchRules(rules, one)]))
    const matched = ruled.filter((one) => matching.get(one)?.some(({ isChosen }) => isChosen))
    counts.examinedCount += transactions.length
    counts.matchedCount += matched.length
    const records = await listRecordsOf(database, accountId, matched)
    for (const transaction of matched) {
      const isOwn = hasOwnName(transaction, records.get(transaction.transactionId) ?? [], isRenamed)
      const fields = previewRules(matching.get(transaction) ?? [], transaction, {
        isRenamed: isOwn,
        ownerOf,
      })
      if (fields.some(({ isChanged }) => isChanged)) counts.changedCount += 1
      if (fields.some(({ isChanged }) => !isChanged)) counts.keptCount += 1
      if (fields.length > 0 && shown.length < shownMax) shown.push({ transaction, fields })
    }
    const behind = page?.next ?? null
    if (behind === null) return { ...counts, isComplete: true, shown }
    search = { ...search, behind }
    if (counts.examinedCount >= examinedMax) {
      return { ...counts, isComplete: await isEnd(database, accountId, search), shown }
    }
    await of.pause()
  }
}

/**
 * Returns whether a search has no further transactions. Asks the database, because a full page may
 * be the last one.
 */
export async function isEnd(
  database: Database,
  accountId: string,
  search: TransactionSearch,
): Promise<boolean> {
  const further = await searchTransactions(database, accountId, { ...search, limit: 1 })
  return (further?.transactions ?? []).length === 0
}

/** Returns the stored rules of a preview; none for a draft without `position` and `ruleId`. */
export async function listCompared(
  database: Database,
  accountId: string,
  draft: Draft | null,
): Promise<readonly Rule[]> {
  const isAlone = draft !== null && draft.position === null && draft.ruleId === null
  return isAlone ? [] : listRules(database, accountId)
}

/** Returns the rules of a preview in order. Only the draft is chosen; without a draft, all are. */
function rulesOf(stored: readonly Rule[], draft: Draft | null): StoredRule[] {
  const { position = null, ruleId = null } = draft ?? {}
  const at = stored.findIndex((rule) => rule.ruleId === ruleId)
  if (ruleId !== null && at < 0) throw notFound('rule')
  const known = stored.filter((rule) => rule.ruleId !== ruleId)
  const isChosen = draft === null
  const rules = known.map((rule): StoredRule => {
    return { ruleId: rule.ruleId, ...readParts(rule), isChosen }
  })
  const { conditions, actions } = draft ?? {}
  if (!conditions || !actions) return rules
  const index = position === null ? Math.max(0, at) : position - 1
  return rules.toSpliced(index, 0, { ruleId: ruleId ?? '', conditions, actions })
}

/** The filters of a search for all live transactions. */
export const everything = {
  bankAccountId: null,
  spendingId: null,
  isDeleted: false,
  isFree: false,
  isUndecided: false,
  isPending: null,
  text: null,
  amount: null,
  amountFrom: null,
  amountTo: null,
  source: null,
  tag: null,
}
