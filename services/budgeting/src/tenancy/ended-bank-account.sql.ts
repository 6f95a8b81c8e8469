import type { BankAccountKey } from '@coffer/kit/database/aggregate-key'
import type { Database } from '@coffer/kit/database/database'
import { nextVersion } from '@coffer/kit/database/version'
import { sql } from 'slonik'

export type EndReason = 'removed' | 'archived'

/**
 * Stores a tombstone: jobs skip the bank account; with reason `removed` new plans are refused.
 * Raises the version, so that concurrent saves fail their compare-and-set and are decided again.
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
      RETURNING account_id, bank_account_id
    )
    INSERT INTO ended_bank_accounts (account_id, bank_account_id, reason, ended_at)
    SELECT account_id, bank_account_id, ${reason}::text, ${now.toISOString()}::timestamptz
    FROM raised
    ON CONFLICT (account_id, bank_account_id) DO UPDATE SET reason = excluded.reason
    WHERE excluded.reason = 'removed'`)
}

/**
 * Deletes the tombstone of a bank account; returns false, without an effect, if `version` has
 * changed (compare-and-set) or the account is deleted.
 */
export async function reopenBankAccount(
  { pool }: Database,
  { accountId, bankAccountId }: BankAccountKey,
  { version, now }: { version: bigint; now: Date },
): Promise<boolean> {
  const { rowCount } = await pool.query(sql.unsafe`
    WITH raised AS (
      UPDATE plan_books
      SET version = ${nextVersion(version, now)}, reopened_at = ${now.toISOString()}
      WHERE account_id = ${accountId} AND bank_account_id = ${bankAccountId}
        AND version = ${version}
        AND NOT EXISTS (SELECT FROM deleted_accounts WHERE account_id = ${accountId})
      RETURNING account_id, bank_account_id
    )
    DELETE FROM ended_bank_accounts AS ended USING raised
    WHERE ended.account_id = raised.account_id AND ended.bank_account_id = raised.bank_account_id`)
  return rowCount > 0
}
