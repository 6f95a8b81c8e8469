import type { BankAccountKey } from '@coffer/kit/database/aggregate-key'
import type { Database } from '@coffer/kit/database/database'
import { deleteSome } from '@coffer/kit/database/rows'
import { sql } from 'slonik'

// Foreign keys: referencing tables come before the referenced ones.
const tables = ['funding_run_lines', 'funding_runs', 'spending', 'funding_schedules'] as const

/** Deletes up to `limit` rows of a bank account. Returns their number, 0 if none are left. */
export async function removeRows(
  database: Database,
  { accountId, bankAccountId }: BankAccountKey,
  limit: number,
): Promise<number> {
  const where = sql.fragment`account_id = ${accountId} AND bank_account_id = ${bankAccountId}`
  for (const table of tables) {
    const rowCount = await deleteSome(database, { table, where, limit })
    if (rowCount > 0) return rowCount
  }
  return 0
}
