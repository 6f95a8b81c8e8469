import type { Database } from '@coffer/kit/database/database'
import { nextVersion } from '@coffer/kit/database/version'
import { sql } from 'slonik'
import type { PlanScope } from '../plans/spending.ts'

export type EndReason = 'removed' | 'archived'

/**
 * Keeps the jobs off a bank account for good; with `removed` also every new plan: its version is
 * raised, so a save that was decided without the tombstone is decided again.
 */
export async function endBankAccount(
  { pool }: Database,
  { accountId, bankAccountId }: PlanScope,
  { reason, now }: { reason: EndReason; now: Date },
): Promise<void> {
  await pool.query(sql.unsafe`
    WITH raised AS (
      INSERT INTO plan_books AS book (account_id, bank_account_id, version)
      VALUES (${accountId}, ${bankAccountId}, ${nextVersion(0n, now)})
      ON CONFLICT (account_id, bank_account_id) DO UPDATE
      SET version = greatest(book.version + 1, excluded.version)
    )
    INSERT INTO ended_bank_accounts (account_id, bank_account_id, reason, ended_at)
    VALUES (${accountId}, ${bankAccountId}, ${reason}, ${now.toISOString()})
    ON CONFLICT (account_id, bank_account_id) DO UPDATE SET reason = excluded.reason
    WHERE excluded.reason = 'removed'`)
}
