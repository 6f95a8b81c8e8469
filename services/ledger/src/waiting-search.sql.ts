import type { Database } from '@coffer/kit/database'
import { sql } from 'slonik'
import { z } from 'zod'
import type { BankAccountKey } from './cluster.sql.ts'

const WaitingSearch = z.object({
  accountId: z.string(),
  bankAccountId: z.string(),
  askedAt: z.date(),
})

/** A bank account that is to be searched for similar transactions, and since when. */
export type WaitingSearch = z.infer<typeof WaitingSearch>

/** A page of them over all accounts, by key, after `after`. */
export function listWaitingSearches(
  { pool }: Database,
  { accountId, bankAccountId }: BankAccountKey,
  limit: number,
): Promise<readonly WaitingSearch[]> {
  return pool.any(sql.type(WaitingSearch)`
    SELECT account_id AS "accountId", bank_account_id AS "bankAccountId", asked_at AS "askedAt"
    FROM waiting_searches
    WHERE (account_id, bank_account_id) > (${accountId}, ${bankAccountId})
    ORDER BY account_id, bank_account_id LIMIT ${limit}`)
}

/** Takes one off, unless it has been asked for again since. */
export async function endWaitingSearch(
  { pool }: Database,
  { accountId, bankAccountId, askedAt }: WaitingSearch,
): Promise<void> {
  await pool.query(sql.unsafe`
    DELETE FROM waiting_searches
    WHERE account_id = ${accountId} AND bank_account_id = ${bankAccountId}
      AND asked_at = ${askedAt.toISOString()}`)
}
