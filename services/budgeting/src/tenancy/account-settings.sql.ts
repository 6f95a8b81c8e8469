import { type Timestamp, timestampDate } from '@bufbuild/protobuf/wkt'
import type { Database } from '@coffer/kit/database/database'
import { sql } from 'slonik'
import { z } from 'zod'

const Timezone = z.object({ accountId: z.string(), timezone: z.string() })

/** Settings of an account, copied from the identity service. */
interface Settings {
  accountId: string
  timezone: string
  version: bigint
  /** Instant until which the account is paid up; unset while billing is off. */
  subscriptionActiveUntil?: Timestamp | undefined
}

/** Stores the settings of an account unless the stored version is the same or newer. */
export async function saveSettings({ pool }: Database, settings: Settings): Promise<void> {
  const { accountId, timezone, version, subscriptionActiveUntil: until } = settings
  const activeUntil = until ? timestampDate(until).toISOString() : null
  await pool.query(sql.unsafe`
    INSERT INTO account_settings AS stored
      (account_id, timezone, subscription_active_until, version)
    VALUES (${accountId}, ${timezone}, ${activeUntil}, ${version})
    ON CONFLICT (account_id) DO UPDATE
    SET timezone = excluded.timezone, version = excluded.version,
      subscription_active_until = excluded.subscription_active_until
    WHERE stored.version < excluded.version`)
}

/** Returns the stored IANA timezones by account ID; leaves out accounts without settings. */
export async function findTimezones(
  { pool }: Database,
  accountIds: readonly string[],
): Promise<Map<string, string>> {
  const kept = await pool.any(sql.type(Timezone)`
    SELECT account_id AS "accountId", timezone FROM account_settings
    WHERE account_id = ANY(${sql.array(accountIds, 'text')})`)
  return new Map(kept.map(({ accountId, timezone }) => [accountId, timezone]))
}
