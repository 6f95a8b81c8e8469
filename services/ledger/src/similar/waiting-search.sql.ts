import type { BankAccountKey } from '@coffer/kit/database/aggregate-key'
import type { Database } from '@coffer/kit/database/database'
import { sql } from 'slonik'
import { z } from 'zod'

const WaitingSearch = z.object({
  accountId: z.string(),
  bankAccountId: z.string(),
  version: z.bigint(),
})

/** A bank account that needs a new search for similar transactions, with its version. */
export type WaitingSearch = z.infer<typeof WaitingSearch>

interface Page {
  after: BankAccountKey
  limit: number
  /** Debounce: a bank account is searched if its last change is at or before this version (µs). */
  quietUpTo: bigint
  /**
   * Bound of the debounce: a bank account that still changes is searched too, if its first change
   * since the last search is at or before this version (µs).
   */
  waitedUpTo: bigint
}

/**
 * Returns a page of the live bank accounts that need a search, over all accounts, ordered by key.
 * Versions are instants in µs (docs/money.md#the-aggregate-and-its-version).
 */
export function listWaitingSearches(
  { pool }: Database,
  { after, limit, quietUpTo, waitedUpTo }: Page,
): Promise<readonly WaitingSearch[]> {
  return pool.any(sql.type(WaitingSearch)`
    SELECT account_id AS "accountId", bank_account_id AS "bankAccountId", version
    FROM bank_accounts
    WHERE unsearched_from IS NOT NULL AND deleted_at IS NULL AND removed_at IS NULL
      AND (version <= ${quietUpTo} OR unsearched_from <= ${waitedUpTo})
      AND (account_id, bank_account_id) > (${after.accountId}, ${after.bankAccountId})
    ORDER BY account_id, bank_account_id LIMIT ${limit}`)
}

/** Marks all changes up to a version as searched; later changes need another search. */
export async function endWaitingSearch(
  { pool }: Database,
  { accountId, bankAccountId, version }: WaitingSearch,
): Promise<void> {
  await pool.query(sql.unsafe`
    UPDATE bank_accounts
    SET unsearched_from = CASE WHEN version > ${version} THEN ${version}::bigint + 1 END
    WHERE account_id = ${accountId} AND bank_account_id = ${bankAccountId}
      AND unsearched_from <= ${version}`)
}
