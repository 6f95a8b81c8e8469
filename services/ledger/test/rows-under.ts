import type { Database } from '@coffer/kit/database/database'
import { sql } from 'slonik'
import { z } from 'zod'

const tables = [
  'bank_accounts',
  'provider_transactions',
  'envelopes',
  'transactions',
  'journal',
  'operations',
  'bulk_operations',
  'rule_run_changes',
  'uploads',
  'files',
]
const Count = z.object({ count: z.bigint() })

/** The row counts (0 for each table) of an account whose links own no rows. */
export const nothing = Object.fromEntries(tables.map((table) => [table, 0]))

/** Returns the number of rows in each table that the links of an account own. */
export async function rowsUnder(
  { pool }: Database,
  { accountId }: { accountId: string },
): Promise<Record<string, number>> {
  const counts = tables.map(async (table) => {
    const count = await pool.oneFirst(sql.type(Count)`
      SELECT count(*) FROM ${sql.identifier([table])} WHERE account_id = ${accountId}`)
    return [table, Number(count)]
  })
  return Object.fromEntries(await Promise.all(counts))
}
