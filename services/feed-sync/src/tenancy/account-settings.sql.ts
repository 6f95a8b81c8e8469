import { type Timestamp, timestampDate } from '@bufbuild/protobuf/wkt'
import type { Database } from '@coffer/kit/database/database'
import { type FragmentSqlToken, sql } from 'slonik'

/** Settings of an account, copied from the identity service. */
interface Settings {
  accountId: string
  version: bigint
  /** Instant until which the account is paid up; unset while billing is off. */
  subscriptionActiveUntil?: Timestamp | undefined
}

/** Stores the settings of an account unless the stored version is the same or newer. */
export async function saveSettings({ pool }: Database, settings: Settings): Promise<void> {
  const { accountId, version, subscriptionActiveUntil: until } = settings
  const activeUntil = until ? timestampDate(until).toISOString() : null
  await pool.query(sql.unsafe`
    INSERT INTO account_settings AS stored (account_id, subscription_active_until, version)
    VALUES (${accountId}, ${activeUntil}, ${version})
    ON CONFLICT (account_id) DO UPDATE
    SET version = excluded.version, subscription_active_until = excluded.subscription_active_until
    WHERE stored.version < excluded.version`)
}

/** Returns whether the subscription of an account has ended; false without stored settings. */
export function isLapsed({ pool }: Database, accountId: string, now: Date): Promise<boolean> {
  return pool.exists(sql.unsafe`
    SELECT FROM account_settings
    WHERE account_id = ${accountId} AND subscription_active_until <= ${now.toISOString()}`)
}

/**
 * Returns the condition that the account of a row of `feed_links` is paid up and not being deleted.
 * OFFSET 0 is an optimization fence: Postgres checks row by row, up to the LIMIT of the statement.
 */
export function isServed(now: Date): FragmentSqlToken {
  return sql.fragment`
    NOT EXISTS (SELECT FROM account_settings AS settings
      WHERE settings.account_id = feed_links.account_id
        AND settings.subscription_active_until <= ${now.toISOString()}
      OFFSET 0)
    AND NOT EXISTS (SELECT FROM deleted_accounts AS deleted
      WHERE deleted.account_id = feed_links.account_id
      OFFSET 0)`
}
