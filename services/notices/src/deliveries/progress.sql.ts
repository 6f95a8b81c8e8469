import type { Database, Queries, Transaction } from '@coffer/kit/database/database'
import { columnsOf } from '@coffer/kit/database/rows'
import { sql } from 'slonik'
import { z } from 'zod'
import type { WebhookKey } from '../endpoints/webhook.sql.ts'
import { Webhook } from '../endpoints/webhook.ts'
import { upsertOf } from './delivery.sql.ts'
import type { Delivery, Failing } from './delivery.ts'

/** Position of a webhook in the feed, and the state of its failures. */
const Progress = z.object({
  position: z.bigint(),
  dueAt: z.date().nullable(),
  failures: z.number().int(),
  failingSince: z.date().nullable(),
  restUntil: z.date().nullable(),
})

/** A webhook with its progress, whose lease this process has taken. */
const Taken = Webhook.extend(Progress.shape)
export type Taken = z.infer<typeof Taken>

/** Lifetime of a lease in seconds; after it, the lease of a killed process is free. */
const leaseSeconds = 20

const isOf = ({ accountId, webhookId }: WebhookKey) => sql.fragment`
  progress.account_id = ${accountId} AND progress.webhook_id = ${webhookId}`
const isFree = sql.fragment`(leased_until IS NULL OR leased_until < now())`
const leaseEnd = sql.fragment`now() + make_interval(secs => ${leaseSeconds})`

/**
 * Lease: takes an enabled webhook, so that one process at a time sends to it. Returns null if
 * another process holds the lease, or the webhook pauses, is disabled or is deleted.
 */
export function takeLease(
  { pool }: Database,
  key: WebhookKey,
  { leaseId, now }: { leaseId: string; now: Date },
): Promise<Taken | null> {
  return pool.maybeOne(sql.type(Taken)`
    UPDATE webhook_progress AS progress
    SET lease_id = ${leaseId}, leased_until = ${leaseEnd}, is_woken = false
    FROM webhooks
    WHERE ${isOf(key)} AND webhooks.account_id = progress.account_id
      AND webhooks.webhook_id = progress.webhook_id AND is_enabled AND deleted_at IS NULL
      AND ${isFree} AND (rest_until IS NULL OR rest_until <= ${sql.timestamp(now)})
    RETURNING ${columnsOf(Webhook, { table: 'webhooks' })},
      ${columnsOf(Progress, { table: 'progress' })}`)
}

const Noted = z.object({ isFree: z.boolean(), restUntil: z.date().nullable() })

/**
 * Sets a flag after `takeLease` has failed: the process that holds the lease then reads the feed
 * again before it ends. If the webhook pauses, makes an attempt due at the end of the pause.
 * Returns null if the webhook is disabled.
 */
export function noteWork(
  { pool }: Database,
  key: WebhookKey,
): Promise<z.infer<typeof Noted> | null> {
  return pool.maybeOne(sql.type(Noted)`
    UPDATE webhook_progress AS progress
    SET is_woken = NOT ${isFree}, due_at = least(due_at, rest_until)
    FROM webhooks
    WHERE ${isOf(key)} AND webhooks.account_id = progress.account_id
      AND webhooks.webhook_id = progress.webhook_id AND is_enabled AND deleted_at IS NULL
    RETURNING ${isFree} AS "isFree", rest_until AS "restUntil"`)
}

const Moved = z.object({ failingSince: z.date().nullable() })

/**
 * Adds the downtime of this server to the instants from which the three days of attempts count: the
 * start of the webhook's failures, and the starts of its pending deliveries. An attempt is then due
 * at `now`. Returns the new start of the failures; null if the lease is lost.
 */
export function moveBegin(
  { pool }: Database,
  key: WebhookKey,
  { leaseId, missedMs, now }: { leaseId: string; missedMs: number; now: Date },
): Promise<z.infer<typeof Moved> | null> {
  const missed = sql.fragment`make_interval(secs => ${missedMs / 1_000})`
  return pool.maybeOne(sql.type(Moved)`
    WITH moved AS (
      UPDATE webhook_progress AS progress
      SET failing_since = failing_since + ${missed}, due_at = ${sql.timestamp(now)}
      WHERE ${isOf(key)} AND lease_id = ${leaseId} AND leased_until IS NOT NULL
      RETURNING failing_since
    ), begun AS (
      UPDATE webhook_deliveries SET started_at = started_at + ${missed}
      WHERE account_id = ${key.accountId} AND webhook_id = ${key.webhookId}
        AND status = 'pending' AND EXISTS (SELECT FROM moved)
    )
    SELECT failing_since AS "failingSince" FROM moved`)
}

/** The state of a webhook after a round. */
export interface Saved extends Failing {
  leaseId: string
  /**
   * Position at which the round began to read. If a request has changed the stored position since,
   * the save keeps the position of the request instead of `position`.
   */
  readFrom: bigint
  position: bigint
  dueAt: Date | null
  deliveries: readonly Delivery[]
  /** Whether the process ends the lease, unless `noteWork` has set the flag. */
  isLast: boolean
}

const Held = z.object({ isHeld: z.boolean(), position: z.bigint() })

/**
 * Saves the deliveries and progress of a round in one statement, if the process still holds the
 * lease. Returns whether it keeps the lease for another round, and the stored position; null if the
 * lease is lost.
 */
export async function saveRound(
  { pool }: { pool: Queries },
  key: WebhookKey,
  saved: Saved,
): Promise<z.infer<typeof Held> | null> {
  const time = (date: Date | null) => (date === null ? null : sql.timestamp(date))
  const { leaseId, readFrom, position, failures, failingSince, restUntil, dueAt } = saved
  const isKept = sql.fragment`(${!saved.isLast} OR is_woken)`
  const written = upsertOf(saved.deliveries, sql.fragment`EXISTS (SELECT FROM moved)`)
  const writes =
    saved.deliveries.length === 0 ? sql.fragment`` : sql.fragment`, kept AS (${written})`
  return pool.maybeOne(sql.type(Held)`
    WITH moved AS (
      UPDATE webhook_progress AS progress SET
        position = CASE WHEN position = ${readFrom} THEN ${position} ELSE position END,
        failures = ${failures}, failing_since = ${time(failingSince)},
        rest_until = ${time(restUntil)},
        due_at = CASE WHEN is_woken THEN least(due_at, ${time(dueAt)}) ELSE ${time(dueAt)} END,
        leased_until = CASE WHEN ${isKept} THEN ${leaseEnd} END, is_woken = false
      WHERE ${isOf(key)} AND lease_id = ${leaseId} AND leased_until IS NOT NULL
      RETURNING leased_until IS NOT NULL AS "isHeld", position
    ) ${writes}
    SELECT "isHeld", position FROM moved`)
}

/** Renews a lease; returns false if it is lost. */
export async function renewLease(
  { pool }: Database,
  key: WebhookKey,
  leaseId: string,
): Promise<boolean> {
  const { rowCount } = await pool.query(sql.unsafe`
    UPDATE webhook_progress AS progress SET leased_until = ${leaseEnd}
    WHERE ${isOf(key)} AND lease_id = ${leaseId} AND leased_until > now()`)
  return rowCount > 0
}

/** Ends a lease early, after an error. */
export async function endLease(
  { pool }: Database,
  key: WebhookKey,
  leaseId: string,
): Promise<void> {
  await pool.query(sql.unsafe`
    UPDATE webhook_progress AS progress SET leased_until = NULL
    WHERE ${isOf(key)} AND lease_id = ${leaseId}`)
}

/** Moves the position of a webhook back to `after` if it has read further, and ends a pause. */
export async function readAgain(tx: Transaction, key: WebhookKey, after: bigint): Promise<void> {
  await tx.query(sql.unsafe`
    UPDATE webhook_progress AS progress
    SET position = least(position, ${after}), rest_until = NULL, is_woken = true
    WHERE ${isOf(key)}`)
}

/** Makes an attempt to send the deliveries of a webhook due at an instant, and ends a pause. */
export async function noteDue(tx: Transaction, key: WebhookKey, now: Date): Promise<void> {
  await tx.query(sql.unsafe`
    UPDATE webhook_progress AS progress
    SET due_at = least(due_at, ${sql.timestamp(now)}), rest_until = NULL, is_woken = true
    WHERE ${isOf(key)}`)
}

const Behind = z.object({ accountId: z.string(), webhookId: z.string() })

/**
 * Lists webhooks with an ID above `after` that no process serves and that have work: a due attempt,
 * or unread changes of their account. Ordered by account and ID.
 */
export function listBehind(
  { pool }: Database,
  { after, before, limit }: { after: WebhookKey; before: Date; limit: number },
): Promise<readonly WebhookKey[]> {
  return pool.any(sql.type(Behind)`
    SELECT account_id AS "accountId", webhook_id AS "webhookId"
    FROM webhook_progress AS progress
    JOIN webhooks USING (account_id, webhook_id) LEFT JOIN feeds USING (account_id)
    WHERE (account_id, webhook_id) > (${after.accountId}, ${after.webhookId})
      AND is_enabled AND deleted_at IS NULL AND ${isFree}
      AND (due_at < ${sql.timestamp(before)}
        OR (last_position > position
          AND (rest_until IS NULL OR rest_until < ${sql.timestamp(before)})))
    ORDER BY account_id, webhook_id LIMIT ${limit}`)
}

const Counts = z.object({
  well: z.number(),
  failing: z.number(),
  off: z.number(),
  waiting: z.number(),
  lagSeconds: z.number(),
})

/**
 * Returns the numbers of webhooks by state and of pending deliveries, and the maximum delay: the
 * time since a webhook's attempt was due, or since its first unread change, without pauses. 0 if
 * all are served.
 */
export function countWebhooks({ pool }: Database, now: Date): Promise<z.infer<typeof Counts>> {
  return pool.one(sql.type(Counts)`
    WITH progresses AS (
      SELECT is_enabled, disabled_reason, failing_since, greatest(rest_until, least(due_at, (
        SELECT to_timestamp(min(event.position) / 1000000.0) FROM feed_events AS event
        WHERE event.account_id = progress.account_id AND event.position > progress.position
      ))) AS free_since
      FROM webhooks JOIN webhook_progress AS progress USING (account_id, webhook_id)
    )
    SELECT count(*) FILTER (WHERE is_enabled AND failing_since IS NULL)::int AS well,
      count(*) FILTER (WHERE is_enabled AND failing_since IS NOT NULL)::int AS failing,
      count(*) FILTER (WHERE disabled_reason IS NOT NULL)::int AS off,
      (SELECT count(*) FROM webhook_deliveries WHERE status = 'pending')::int AS waiting,
      coalesce(greatest(0, extract(epoch FROM ${sql.timestamp(now)} - min(free_since)
        FILTER (WHERE is_enabled))), 0)::float AS "lagSeconds"
    FROM progresses`)
}

const Swept = Behind.extend({ deletedAt: z.date().nullable() })

/** Lists webhooks with an ID above `after`, deleted ones included, in the order of their IDs. */
export function listForSweep(
  { pool }: Database,
  { after, limit }: { after: WebhookKey; limit: number },
): Promise<readonly z.infer<typeof Swept>[]> {
  return pool.any(sql.type(Swept)`
    SELECT account_id AS "accountId", webhook_id AS "webhookId", deleted_at AS "deletedAt"
    FROM webhooks WHERE (account_id, webhook_id) > (${after.accountId}, ${after.webhookId})
    ORDER BY account_id, webhook_id LIMIT ${limit}`)
}

/** Deletes the row of a deleted webhook that has no deliveries left. */
export async function deleteRow({ pool }: Database, key: WebhookKey): Promise<void> {
  const { accountId, webhookId } = key
  await pool.query(sql.unsafe`
    DELETE FROM webhooks
    WHERE account_id = ${accountId} AND webhook_id = ${webhookId} AND deleted_at IS NOT NULL
      AND NOT EXISTS (
        SELECT FROM webhook_deliveries AS delivery
        WHERE delivery.account_id = ${accountId} AND delivery.webhook_id = ${webhookId})`)
}
