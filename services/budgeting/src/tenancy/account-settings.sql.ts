import { type Timestamp, timestampDate } from '@bufbuild/protobuf/wkt'
import type { Database, Queries, Transaction } from '@coffer/kit/database/database'
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

/**
 * Stores the settings of an account unless the stored version is the same or newer. A stored
 * timezone stays: it changes with the plans (docs/account-data.md#a-new-timezone).
 */
export async function saveSettings({ pool }: Database, settings: Settings): Promise<void> {
  const { accountId, timezone, version, subscriptionActiveUntil: until } = settings
  const activeUntil = until ? timestampDate(until).toISOString() : null
  await pool.query(sql.unsafe`
    INSERT INTO account_settings AS stored
      (account_id, timezone, subscription_active_until, version)
    VALUES (${accountId}, ${timezone}, ${activeUntil}, ${version})
    ON CONFLICT (account_id) DO UPDATE
    SET version = excluded.version,
      subscription_active_until = excluded.subscription_active_until
    WHERE stored.version < excluded.version`)
}

/** Locks the settings of an account: the first save of a bank account's plans waits for it. */
export async function lockSettings(tx: Transaction, accountId: string): Promise<void> {
  await tx.query(sql.unsafe`
    SELECT FROM account_settings WHERE account_id = ${accountId} FOR NO KEY UPDATE`)
}

/** Sets the timezone of an account, in the transaction that moves its plans. */
export async function saveTimezone(
  tx: Transaction,
  accountId: string,
  timezone: string,
): Promise<void> {
  await tx.query(sql.unsafe`
    UPDATE account_settings SET timezone = ${timezone} WHERE account_id = ${accountId}`)
}

const Movable = z.object({
  accountId: z.string(),
  bankAccountId: z.string(),
  isLive: z.boolean(),
})

/**
 * Lists the bank accounts of an account that have plans; `isLive` if the hourly job books what is
 * due: they are not archived, and the account is paid up.
 */
export function listMovable(
  connection: Queries,
  { accountId, now }: { accountId: string; now: Date },
): Promise<readonly z.infer<typeof Movable>[]> {
  return connection.any(sql.type(Movable)`
    SELECT account_id AS "accountId", bank_account_id AS "bankAccountId",
      ended.reason IS NULL AND coalesce(
        (SELECT subscription_active_until > ${now.toISOString()}::timestamptz
         FROM account_settings WHERE account_id = ${accountId}), true) AS "isLive"
    FROM plan_books LEFT JOIN ended_bank_accounts AS ended USING (account_id, bank_account_id)
    WHERE account_id = ${accountId} AND ended.reason IS DISTINCT FROM 'removed'
    ORDER BY bank_account_id`)
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
