import type { Database } from '@coffer/kit/database/database'
import { foldText } from '@coffer/kit/values/fold'
import type { Transaction } from '../book/transaction.ts'
import { listRecordsOf } from '../records/provider-record.sql.ts'
import { loadRules } from '../rules/rule.service.ts'
import { listArchived, listOwners } from '../rules/rule.sql.ts'
import { matchRules } from '../rules/rule.ts'
import { everything, isEnd } from '../rules/rule-preview.service.ts'
import { hasOwnName, type IsRenamed } from '../transactions/provenance.ts'
import { searchTransactions } from '../transactions/transaction-search.service.ts'
import { rangeOf } from '../transactions/transaction-search.ts'
import { listClusters, listDismissed } from './rule-suggestion.sql.ts'
import { type Examined, findEdited, type RuleSuggestion, suggestRules } from './rule-suggestion.ts'
import { groupTexts, type TextCount } from './text-groups.ts'

/** Bounds of the search for suggestions (docs/limits.md). */
const examinedMax = 10_000
const pageSize = 500
const clusteredMax = 2000
const groupsMax = 500

interface Deps {
  database: Database
  isRenamed: IsRenamed
}

interface Owner {
  accountId: string
  timezone: string
}

export interface FoundSuggestions {
  suggestions: RuleSuggestion[]
  /** `suggestions` and the dismissed ones. */
  all: RuleSuggestion[]
  examinedCount: number
  isComplete: boolean
}

/**
 * Returns the rules that the newest transactions of an account suggest, without dismissed
 * suggestions and effects of existing rules. Rules that change the most transactions come first.
 */
export async function findSuggestions(
  deps: Deps,
  owner: Owner,
  pause: () => Promise<void>,
): Promise<FoundSuggestions> {
  const { database } = deps
  const { accountId } = owner
  const { rows, isComplete } = await readRows(deps, owner, pause)
  const assigned = rows.flatMap(({ transaction: { spendingId } }) => spendingId ?? [])
  const owners = await listOwners(database, accountId, [...new Set(assigned)])
  const dismissed = await listDismissed(database, accountId)
  const clusters = await findClusters(database, accountId, rows)
  const known = { accountId, rows, owners }
  const found: RuleSuggestion[] = []
  for (const field of ['originalName', 'originalMerchantName'] as const) {
    for (const group of groupTexts(countTexts(rows, field, clusters)).slice(0, groupsMax)) {
      found.push(...suggestRules(known, { ...group, field }))
      await pause()
    }
  }
  const byId = new Map(found.map((one) => [one.ruleSuggestionId, one]))
  const all = [...byId.values()].sort(
    (a, b) => b.changedCount - a.changedCount || b.matchedCount - a.matchedCount,
  )
  const isDismissed = ({ ruleSuggestionId, otherIds }: RuleSuggestion) =>
    dismissed.size > 0 && [ruleSuggestionId, ...otherIds()].some((id) => dismissed.has(id))
  const suggestions = all.filter((one) => !isDismissed(one))
  return { suggestions, all, examinedCount: rows.length, isComplete }
}

/**
 * Reads the newest transactions with the fields that users edited and the rules that match. Ignores
 * manual transactions and archived bank accounts.
 */
async function readRows(
  { database, isRenamed }: Deps,
  { accountId, timezone }: Owner,
  pause: () => Promise<void>,
): Promise<{ rows: Examined[]; isComplete: boolean }> {
  const rules = await loadRules(database, accountId, timezone)
  const archived = await listArchived(database, accountId)
  const rows: Examined[] = []
  const range = rangeOf({ from: null, to: null, after: null }, timezone)
  let search = { ...everything, ...range, limit: pageSize }
  for (let pages = 0; pages < examinedMax / pageSize; pages++) {
    const page = await searchTransactions(database, accountId, search)
    const all = page?.transactions ?? []
    const imported = all.filter(
      ({ source, bankAccountId }) => source !== 'manual' && !archived.has(bankAccountId),
    )
    const records = await listRecordsOf(database, accountId, imported.filter(hasOtherName))
    for (const transaction of imported) {
      const own = records.get(transaction.transactionId) ?? []
      const edited = findEdited(transaction, hasOwnName(transaction, own, isRenamed))
      const { originalName, originalMerchantName } = transaction
      const folds = {
        originalName: foldText(originalName),
        originalMerchantName: foldText(originalMerchantName),
      }
      rows.push({ transaction, matching: matchRules(rules, transaction), edited, folds })
    }
    if (!page?.next) return { rows, isComplete: true }
    search = { ...search, behind: page.next }
    await pause()
  }
  return { rows, isComplete: await isEnd(database, accountId, search) }
}

function hasOtherName({ name, originalName, originalMerchantName }: Transaction): boolean {
  return name !== originalName && name !== originalMerchantName
}

/** Returns the clusters of the first 2,000 texts, found by one transaction of each text. */
function findClusters(database: Database, accountId: string, rows: readonly Examined[]) {
  const byText = new Map(
    rows.map(({ transaction }) => [transaction.originalName, transaction.transactionId]),
  )
  return listClusters(database, accountId, [...byText.values()].slice(0, clusteredMax))
}

/**
 * Counts the distinct texts of a field. A transaction counts for `originalMerchantName`, or if that
 * is blank, for `originalName`.
 */
function countTexts(
  rows: readonly Examined[],
  field: 'originalName' | 'originalMerchantName',
  clusters: ReadonlyMap<string, string>,
): TextCount[] {
  const counted = rows.filter(({ transaction: { originalMerchantName } }) => {
    return (originalMerchantName.trim() !== '') === (field === 'originalMerchantName')
  })
  return [...Map.groupBy(counted, ({ transaction }) => transaction[field])].map(([text, same]) => {
    const [clusterId = null] = same.flatMap(
      ({ transaction }) => clusters.get(transaction.transactionId) ?? [],
    )
    return { text, count: same.length, clusterId }
  })
}
