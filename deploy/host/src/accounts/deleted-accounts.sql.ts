import type { Database } from '@coffer/kit/database/database'
import { sql } from 'slonik'
import { z } from 'zod'

/** The deleted ones among these accounts. */
export async function findDeleted(
  { pool }: Database,
  accountIds: readonly string[],
): Promise<ReadonlySet<string>> {
  const found = await pool.anyFirst(sql.type(z.object({ accountId: z.string() }))`
    SELECT account_id AS "accountId" FROM deleted_accounts
    WHERE account_id = ANY(${sql.array([...accountIds], 'text')})`)
  return new Set(found)
}
