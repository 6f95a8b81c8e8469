import type { Database } from '@coffer/kit/database/database'
import { deleteSome } from '@coffer/kit/database/rows'
import { sql } from 'slonik'
import type { PlanScope } from '../plans/spending.ts'

// What refers to others goes before them.
const tables = ['funding_run_lines', 'funding_runs', 'spending', 'funding_schedules'] as const

/** Removes up to `limit` rows of each table of a bank account; returns how many went. */
export async function removeRows(
  database: Database,
  { accountId, bankAccountId }: PlanScope,
  limit: number,
): Promise<number> {
  const where = sql.fragment`account_id = ${accountId} AND bank_account_id = ${bankAccountId}`
  for (const table of tables) {
    const rowCount = await deleteSome(database, { table, where, limit })
    if (rowCount > 0) return rowCount
  }
  return 0
}
