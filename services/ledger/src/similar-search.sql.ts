import type { Database } from '@coffer/kit/database'
import { sql } from 'slonik'
import type { BankAccountKey } from './cluster.sql.ts'

/** A change of a bank account, by its number in the account. */
export type NumberedChange = BankAccountKey & { sequence: bigint }

/** Whether a search of the bank account has begun since the change was committed. */
export function isSearched(
  { pool }: Database,
  { accountId, bankAccountId, sequence }: NumberedChange,
): Promise<boolean> {
  return pool.exists(sql.unsafe`
    SELECT FROM similar_searches
    WHERE account_id = ${accountId} AND bank_account_id = ${bankAccountId}
      AND sequence >= ${sequence} AND ${sequence} > 0`)
}

/** Notes that a search has seen all changes up to this one, while the bank account is there. */
export async function noteSearch(
  { pool }: Database,
  { accountId, bankAccountId, sequence }: NumberedChange,
): Promise<void> {
  await pool.query(sql.unsafe`
    INSERT INTO similar_searches AS noted (account_id, bank_account_id, sequence)
    SELECT account_id, bank_account_id, ${sequence} FROM bank_accounts
    WHERE account_id = ${accountId} AND bank_account_id = ${bankAccountId}
    FOR KEY SHARE
    ON CONFLICT (account_id, bank_account_id) DO UPDATE SET sequence = excluded.sequence
      WHERE noted.sequence < excluded.sequence`)
}
