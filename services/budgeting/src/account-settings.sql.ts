import type { Database } from '@coffer/kit/database'
import { sql } from 'slonik'
import { z } from 'zod'

const Timezone = z.object({ timezone: z.string() })

/** Keeps the settings of an account; older ones than those stored change nothing. */
export async function saveSettings(
  { pool }: Database,
  settings: { accountId: string; timezone: string; version: bigint },
): Promise<void> {
  const { accountId, timezone, version } = settings
  await pool.query(sql.unsafe`
    INSERT INTO account_settings AS stored (account_id, timezone, version)
    VALUES (${accountId}, ${timezone}, ${version})
    ON CONFLICT (account_id) DO UPDATE
    SET timezone = excluded.timezone, version = excluded.version
    WHERE stored.version < excluded.version`)
}

/** The IANA timezone of an account; null where nothing of it has come by yet. */
export function findTimezone({ pool }: Database, accountId: string): Promise<string | null> {
  return pool.maybeOneFirst(sql.type(Timezone)`
    SELECT timezone FROM account_settings WHERE account_id = ${accountId}`)
}
