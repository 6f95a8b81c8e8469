import type { BankAccountKey } from '@coffer/kit/database/aggregate-key'
import type { Database } from '@coffer/kit/database/database'
import { type FragmentSqlToken, sql } from 'slonik'
import { z } from 'zod'

/** An account's settings, copied from the identity service, which counts versions from 1. */
export const AccountSettings = z.object({
  accountId: z.string(),
  timezone: z.string(),
  locale: z.string(),
  version: z.bigint(),
})
export type AccountSettings = z.infer<typeof AccountSettings>

/**
 * Returns an upsert of settings that ignores older versions; usable alone or as a CTE. It keeps a
 * stored timezone: `beginMove` changes the timezone together with the stored dates
 * (docs/account-data.md#a-new-timezone).
 */
export function insertSettings(settings: AccountSettings): FragmentSqlToken {
  const { accountId, timezone, locale, version } = settings
  return sql.fragment`
    INSERT INTO account_settings AS stored (account_id, timezone, locale, version)
    VALUES (${accountId}, ${timezone}, ${locale}, ${version})
    ON CONFLICT (account_id) DO UPDATE SET
      locale = excluded.locale, version = excluded.version
    WHERE stored.version < excluded.version`
}

export async function saveSettings({ pool }: Database, settings: AccountSettings): Promise<void> {
  await pool.query(sql.unsafe`${insertSettings(settings)}`)
}

/**
 * Returns the IANA timezone of a bank account's stored dates. Empty while these dates are being
 * moved to another timezone; null until an event or an upload has stored the account's timezone.
 */
export function findTimezone(
  { pool }: Database,
  { accountId, bankAccountId }: BankAccountKey,
): Promise<string | null> {
  return pool.maybeOneFirst(sql.type(AccountSettings.pick({ timezone: true }))`
    SELECT coalesce((SELECT dates_timezone FROM bank_accounts
      WHERE account_id = ${accountId} AND bank_account_id = ${bankAccountId}), timezone) AS timezone
    FROM account_settings WHERE account_id = ${accountId}`)
}
