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
  'uploads',
  'files',
]
const Count = z.object({ count: z.bigint() })

/** How many rows each table has of an account with nothing under its links. */
export const nothing = Object.fromEntries(tables.map((table) => [table, 0]))

/** How many rows of each table there are under the links of an account. */
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
