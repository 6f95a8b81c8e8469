import type { Database } from '@coffer/kit/database'
import { sql } from 'slonik'
import type { PlanScope } from './spending.sql.ts'

// What refers to others goes before them.
const tables = ['funding_run_lines', 'funding_runs', 'spending', 'funding_schedules'] as const

/** Removes up to `limit` rows of each table of a bank account; returns how many went. */
export async function removeRows(
  { pool }: Database,
  { accountId, bankAccountId }: PlanScope,
  limit: number,
): Promise<number> {
  for (const table of tables) {
    const name = sql.identifier([table])
    const { rowCount } = await pool.query(sql.unsafe`
      DELETE FROM ${name} WHERE ctid = ANY(ARRAY(
        SELECT ctid FROM ${name}
        WHERE account_id = ${accountId} AND bank_account_id = ${bankAccountId} LIMIT ${limit}))`)
    if (rowCount > 0) return rowCount
  }
  return 0
}
