import { timestampFromDate } from '@bufbuild/protobuf/wkt'
import type { Database, Transaction } from '@coffer/kit/database/database'
import { columnsOf } from '@coffer/kit/database/rows'
import { changeOf, emit } from '@coffer/kit/events/changes'
import { TrialEndingSchema } from '@coffer/proto/identity/v1/events'
import { sql } from 'slonik'
import { z } from 'zod'
import { emitAccountSettings } from '../book/account.sql.ts'
import { Account } from '../book/account.ts'

// Each statement below searches the whole table `accounts`. It stays cheap, because a partial index
// contains only the matching rows.

const columns = columnsOf(Account, { table: 'accounts' })
const Id = z.object({ accountId: z.string() })
const Trial = z.object({
  accountId: z.string(),
  trialEndsAt: z.date(),
  version: z.bigint(),
  /** Email address of the owner; null if the account has no owner. */
  email: z.string().nullable(),
})

/** Starts the trial of at most `limit` accounts that have had none; returns their number. */
export function beginTrials(database: Database, endsAt: Date, limit: number): Promise<number> {
  return database.transaction(async (tx) => {
    const begun = await tx.any(sql.type(Account)`
      UPDATE accounts SET trial_ends_at = ${sql.timestamp(endsAt)}, version = version + 1
      WHERE account_id = ANY(ARRAY(
        SELECT account_id FROM accounts WHERE trial_ends_at IS NULL
        ORDER BY account_id LIMIT ${limit} FOR NO KEY UPDATE SKIP LOCKED))
      RETURNING ${columns}`)
    await emitAccountSettings(tx, begun, { billed: true })
    return begun.length
  })
}

/**
 * After billing was switched on or off (`billed`), emits the settings of at most `limit` accounts
 * whose settings have not been emitted since the switch. Returns the number of accounts.
 */
export function emitBillingSwitch(
  database: Database,
  { billed, now, limit }: { billed: boolean; now: Date; limit: number },
): Promise<number> {
  const leftAt = billed ? sql.fragment`NULL` : sql.fragment`${sql.timestamp(now)}`
  const outdated = billed
    ? sql.fragment`billing_left_at IS NOT NULL`
    : sql.fragment`trial_ends_at IS NOT NULL AND billing_left_at IS NULL`
  return database.transaction(async (tx) => {
    const updated = await tx.any(sql.type(Account)`
      UPDATE accounts SET billing_left_at = ${leftAt}, version = version + 1
      WHERE account_id = ANY(ARRAY(
        SELECT account_id FROM accounts WHERE ${outdated}
        ORDER BY account_id LIMIT ${limit} FOR NO KEY UPDATE SKIP LOCKED))
      RETURNING ${columns}`)
    await emitAccountSettings(tx, updated, { billed })
    return updated.length
  })
}

/**
 * Returns IDs, above `after` and ascending, of at most `limit` accounts that have no customer at
 * Stripe and were created before `before`.
 */
export function listWithoutCustomer(
  { pool }: Database,
  page: { before: Date; after: string; limit: number },
): Promise<readonly string[]> {
  return pool.anyFirst(sql.type(Id)`
    SELECT account_id AS "accountId" FROM accounts
    WHERE billing_customer_id IS NULL AND account_id > ${page.after}
      AND created_at < ${sql.timestamp(page.before)}
    ORDER BY account_id LIMIT ${page.limit}`)
}

/**
 * Emits TrialEnding, once per account, for at most `limit` accounts that never had a subscription
 * and whose trial ends before `until`; returns their number. `notify` queues a mail to the owner.
 */
export function emitTrialsEnding(
  database: Database,
  { now, until, limit }: { now: Date; until: Date; limit: number },
  notify: (tx: Transaction, email: string) => Promise<void>,
): Promise<number> {
  return database.transaction(async (tx) => {
    const ending = await tx.any(sql.type(Trial)`
      UPDATE accounts SET trial_notice_at = ${sql.timestamp(now)}
      WHERE account_id = ANY(ARRAY(
        SELECT account_id FROM accounts
        WHERE trial_notice_at IS NULL AND subscription_active_until IS NULL
          AND trial_ends_at < ${sql.timestamp(until)}
        ORDER BY trial_ends_at, account_id LIMIT ${limit} FOR NO KEY UPDATE SKIP LOCKED))
      RETURNING account_id AS "accountId", trial_ends_at AS "trialEndsAt", version,
        (SELECT l.email FROM users u JOIN logins l USING (login_id)
         WHERE u.account_id = accounts.account_id AND u.role = 'owner'
         ORDER BY u.user_id LIMIT 1) AS email`)
    const changes = ending.map(({ accountId, trialEndsAt, version }) => {
      const event = { accountId, trialEndsAt: timestampFromDate(trialEndsAt) }
      return changeOf(TrialEndingSchema, { accountId, entityId: accountId, version }, event)
    })
    await emit(tx, ...changes)
    for (const { email } of ending) if (email) await notify(tx, email)
    return ending.length
  })
}

/** Returns IDs of accounts past their paid period, last read from Stripe before `readBefore`. */
export function listOverdueSubscriptions(
  { pool }: Database,
  { now, readBefore, limit }: { now: Date; readBefore: Date; limit: number },
): Promise<readonly string[]> {
  return pool.anyFirst(sql.type(Id)`
    SELECT account_id AS "accountId" FROM accounts
    WHERE subscription_status = 'active' AND subscription_active_until < ${sql.timestamp(now)}
      AND billing_customer_id IS NOT NULL AND billing_read_at < ${sql.timestamp(readBefore)}
    ORDER BY subscription_active_until, account_id LIMIT ${limit}`)
}
