import type { Database } from '@coffer/kit/database/database'
import type { RuleActions, RuleConditions } from '@coffer/proto/ledger/v1/rule'
import type { Transaction } from '../book/transaction.ts'
import { listRecordsOf } from '../records/provider-record.sql.ts'
import { hasOwnName, type IsRenamed } from '../transactions/provenance.ts'
import { searchTransactions } from '../transactions/transaction-search.service.ts'
import { rangeOf } from '../transactions/transaction-search.ts'
import { listOwners } from './rule.sql.ts'
import { compileRules, matchRules } from './rule.ts'
import { type PreviewedField, previewRow } from './rule-preview.ts'

/** Bounds of a preview (docs/limits.md). */
const examinedMax = 20_000
const pageSize = 500
const shownMax = 100

interface Previewed {
  transaction: Transaction
  fields: PreviewedField[]
}

/**
 * Compares a rule with the newest transactions of all bank accounts, page by page, those by hand
 * aside; stores nothing. Returns the counts, and the first 100 that the rule concerns.
 */
export async function previewRule(
  { database, isRenamed }: { database: Database; isRenamed: IsRenamed },
  { accountId, timezone }: { accountId: string; timezone: string },
  { conditions, actions }: { conditions: RuleConditions; actions: RuleActions },
) {
  const rules = compileRules([{ ruleId: '', conditions, actions }], timezone)
  const named = [actions.spendingId, actions.refundSpendingId].flatMap((id) => id ?? [])
  const owners = await listOwners(database, accountId, named)
  const ownerOf = (spendingId: string) => owners.get(spendingId) ?? null
  const counts = { examinedCount: 0, matchedCount: 0, changedCount: 0, keptCount: 0 }
  const shown: Previewed[] = []
  const range = rangeOf({ from: null, to: null, after: null }, timezone)
  let search = { ...everything, ...range, limit: pageSize }
  for (;;) {
    const page = await searchTransactions(database, accountId, search)
    const transactions = page?.transactions ?? []
    const matched = transactions.filter(
      (one) => one.source !== 'manual' && matchRules(rules, one).length > 0,
    )
    counts.examinedCount += transactions.length
    counts.matchedCount += matched.length
    const records = await listRecordsOf(database, accountId, matched)
    for (const transaction of matched) {
      const isOwn = hasOwnName(transaction, records.get(transaction.transactionId) ?? [], isRenamed)
      const fields = previewRow(actions, transaction, { isRenamed: isOwn, ownerOf })
      if (fields.some(({ isChanged }) => isChanged)) counts.changedCount += 1
      if (fields.some(({ isChanged }) => !isChanged)) counts.keptCount += 1
      if (fields.length > 0 && shown.length < shownMax) shown.push({ transaction, fields })
    }
    const behind = page?.next ?? null
    const isComplete = behind === null
    if (isComplete || counts.examinedCount >= examinedMax) return { ...counts, isComplete, shown }
    search = { ...search, behind }
  }
}

const everything = {
  bankAccountId: null,
  spendingId: null,
  isDeleted: false,
  isFree: false,
  isPending: null,
  text: null,
  amountFrom: null,
  amountTo: null,
  source: null,
  tag: null,
}
