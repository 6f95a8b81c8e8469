import { type Timestamp, timestampDate } from '@bufbuild/protobuf/wkt'
import { type FragmentSqlToken, sql } from 'slonik'
import type { Database } from '../database/database.ts'

/** The subscription of an account, as in identity's event `AccountSettingsChanged`. */
interface Subscription {
  accountId: string
  version: bigint
  /** Instant until which the account is paid up; unset while billing is off. */
  subscriptionActiveUntil?: Timestamp | undefined
}

/**
 * Stores the subscription of an account in the service's table `account_settings` (`account_id`,
 * `subscription_active_until`, `version`) unless the stored version is the same or newer.
 */
export async function saveSubscription(
  { pool }: Database,
  { accountId, version, subscriptionActiveUntil: until }: Subscription,
): Promise<void> {
  const activeUntil = until ? timestampDate(until).toISOString() : null
  await pool.query(sql.unsafe`
    INSERT INTO account_settings AS stored (account_id, subscription_active_until, version)
    VALUES (${accountId}, ${activeUntil}, ${version})
    ON CONFLICT (account_id) DO UPDATE
    SET version = excluded.version, subscription_active_until = excluded.subscription_active_until
    WHERE stored.version < excluded.version`)
}

/** Returns whether the subscription of an account has ended; false if none is stored. */
export function isLapsed({ pool }: Database, accountId: string, now: Date): Promise<boolean> {
  return pool.exists(sql.unsafe`
    SELECT FROM account_settings
    WHERE account_id = ${accountId} AND subscription_active_until <= ${now.toISOString()}`)
}

/**
 * Returns the condition that the account of a row of `table` is paid up and not being deleted.
 * OFFSET 0 is an optimization fence: Postgres checks row by row, up to the LIMIT of the statement.
 */
export function isServed(table: string, now: Date): FragmentSqlToken {
  const accountId = sql.identifier([table, 'account_id'])
  return sql.fragment`
    NOT EXISTS (SELECT FROM account_settings AS settings
      WHERE settings.account_id = ${accountId}
        AND settings.subscription_active_until <= ${now.toISOString()}
      OFFSET 0)
    AND NOT EXISTS (SELECT FROM deleted_accounts AS deleted
      WHERE deleted.account_id = ${accountId}
      OFFSET 0)`
}
