import { type Timestamp, timestampDate } from '@bufbuild/protobuf/wkt'
import type { Database } from '@coffer/kit/database/database'
import { sql } from 'slonik'
import { z } from 'zod'

const Timezone = z.object({ timezone: z.string() })

/** What budgeting keeps of an account, as identity tells it. */
interface Settings {
  accountId: string
  timezone: string
  version: bigint
  /** Unset where there is no billing. */
  subscriptionActiveUntil?: Timestamp | undefined
}

/** Keeps the settings of an account; older ones than those stored change nothing. */
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

/** The IANA timezone of an account; null where nothing of it has come by yet. */
export function findTimezone({ pool }: Database, accountId: string): Promise<string | null> {
  return pool.maybeOneFirst(sql.type(Timezone)`
    SELECT timezone FROM account_settings WHERE account_id = ${accountId}`)
}

const KeptTimezone = Timezone.extend({ accountId: z.string() })

/** The IANA timezones of accounts, by account; those of which nothing has come by are missing. */
export async function findTimezones(
  { pool }: Database,
  accountIds: readonly string[],
): Promise<Map<string, string>> {
  const kept = await pool.any(sql.type(KeptTimezone)`
    SELECT account_id AS "accountId", timezone FROM account_settings
    WHERE account_id = ANY(${sql.array(accountIds, 'text')})`)
  return new Map(kept.map(({ accountId, timezone }) => [accountId, timezone]))
}
