import type { BankAccountKey } from '@coffer/kit/database/aggregate-key'
import type { Database } from '@coffer/kit/database/database'
import { loadRules } from '../../rules/rule.service.ts'
import { listOwners } from '../../rules/rule.sql.ts'
import { matchRules } from '../../rules/rule.ts'
import { joinActions } from '../../rules/rule-effects.ts'
import { type PreviewedField, previewRow } from '../../rules/rule-preview.ts'
import { createTransactions } from '../file-import.ts'
import type { Compared } from '../file-preview.ts'
import type { FileRow } from '../formats/statement.ts'

/** Returns the fields that the account's rules would set in the shown new rows, by row. */
export async function previewRules(
  database: Database,
  { accountId, bankAccountId, timezone }: BankAccountKey & { timezone: string },
  { shown }: Compared,
): Promise<Map<FileRow, PreviewedField[]>> {
  const rules = await loadRules(database, accountId, timezone)
  const rows = shown.filter(({ isKnown }) => !isKnown).map(({ row }) => row)
  const matched = rows.flatMap((row) => {
    const of = { accountId, bankAccountId, transactionIds: [''], now: row.date }
    return createTransactions([row], of).map((transaction) => {
      return { row, transaction, actions: joinActions(matchRules(rules, transaction), transaction) }
    })
  })
  const named = matched.flatMap(({ actions: { spendingId, refundSpendingId } }) =>
    [spendingId, refundSpendingId].flatMap((id) => id ?? []),
  )
  const owners = await listOwners(database, accountId, named)
  const of = { isRenamed: false, ownerOf: (id: string) => owners.get(id) ?? null }
  return new Map(
    matched.map(({ row, transaction, actions }) => [row, previewRow(actions, transaction, of)]),
  )
}
