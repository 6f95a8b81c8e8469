import type { BankAccountKey } from '@coffer/kit/database/aggregate-key'
import type { Database } from '@coffer/kit/database/database'
import { nextVersion } from '@coffer/kit/database/version'
import { sql } from 'slonik'

export type EndReason = 'removed' | 'archived'

/**
 * Stores the tombstone of a bank account: jobs skip it for good, and `removed` also refuses new
 * plans. Raises the version, so that a concurrent save fails its compare-and-set and is decided
 * again.
 */
export async function endBankAccount(
  { pool }: Database,
  { accountId, bankAccountId }: BankAccountKey,
  { reason, now }: { reason: EndReason; now: Date },
): Promise<void> {
  await pool.query(sql.unsafe`
    WITH raised AS (
      INSERT INTO plan_books AS stored (account_id, bank_account_id, version)
      VALUES (${accountId}, ${bankAccountId}, ${nextVersion(0n, now)})
      ON CONFLICT (account_id, bank_account_id) DO UPDATE
      SET version = greatest(stored.version + 1, excluded.version)
    )
    INSERT INTO ended_bank_accounts (account_id, bank_account_id, reason, ended_at)
    VALUES (${accountId}, ${bankAccountId}, ${reason}, ${now.toISOString()})
    ON CONFLICT (account_id, bank_account_id) DO UPDATE SET reason = excluded.reason
    WHERE excluded.reason = 'removed'`)
}
