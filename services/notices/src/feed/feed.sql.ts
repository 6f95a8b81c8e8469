import type { Database, Queries } from '@coffer/kit/database/database'
import { columnsOf, recordsOf } from '@coffer/kit/database/rows'
import { sql } from 'slonik'
import { z } from 'zod'
import { entriesOf, FeedEvent, type FeedPage, type NewFeedEvent } from './entry.ts'
import { Appended } from './receivers.ts'

// All positions of feeds are by the clock of Postgres, in µs.
const clock = sql.fragment`(extract(epoch FROM now()) * 1000000)::bigint`

/**
 * Appends events to the feeds of their accounts, in one statement. Inbox: leaves out events that
 * were received before. The row lock in `feeds` is held until the commit, so the positions of an
 * account become visible in order. Lock ordering prevents deadlocks: rows are locked in key order,
 * those of the inbox before those of feeds. Returns the accounts with new entries, each with its
 * enabled webhooks, because a second statement would cost as much as a small batch.
 */
export function appendEvents(
  { pool }: { pool: Queries },
  consumer: string,
  events: readonly NewFeedEvent[],
): Promise<readonly Appended[]> {
  return pool.any(sql.type(Appended)`
    WITH given AS MATERIALIZED (
      SELECT DISTINCT ON (event_id, first_index) *, jsonb_array_length(objects) AS length
      FROM jsonb_populate_recordset(NULL::feed_events, ${recordsOf(events)}::jsonb)
      ORDER BY event_id, first_index
    ), received AS (
      INSERT INTO inbox (consumer, change_id)
      SELECT DISTINCT ${consumer}, event_id FROM given ORDER BY event_id
      ON CONFLICT DO NOTHING RETURNING change_id AS event_id
    ), told AS (
      SELECT given.* FROM given JOIN received USING (event_id)
    ), moved AS (
      INSERT INTO feeds AS feed (account_id, last_position)
      SELECT account_id, ${clock} + sum(length) FROM told GROUP BY account_id ORDER BY account_id
      ON CONFLICT (account_id) DO UPDATE SET
        last_position = greatest(feed.last_position, ${clock}) + excluded.last_position - ${clock}
      RETURNING account_id, last_position
    ), appended AS (
      INSERT INTO feed_events (account_id, position, event_id, first_index, at, actor, cause_id,
        objects)
      SELECT account_id,
        last_position - sum(length) OVER (PARTITION BY account_id)
          + sum(length) OVER (PARTITION BY account_id ORDER BY event_id, first_index),
        event_id, first_index, at, actor, cause_id, objects
      FROM told JOIN moved USING (account_id)
    )
    SELECT moved.account_id AS "accountId", webhook_id AS "webhookId", types
    FROM moved LEFT JOIN webhooks
      ON webhooks.account_id = moved.account_id AND is_enabled AND deleted_at IS NULL`)
}

/** Positions of the feed of an account. */
export interface FeedEnds {
  lastPosition: bigint
  /** Entries up to this position have been removed. */
  removedPosition: bigint
  /** The position that a change would get now. */
  now: bigint
}

const Ends = z.object({ lastPosition: z.bigint(), removedPosition: z.bigint(), now: z.bigint() })

// The other columns are those of FeedEvent. They are null if no event was read.
const Row = z.looseObject(Ends.shape)

/**
 * Reads at most `readMax` entries of an account's feed after a position; returns those of the
 * types. Returns null if nothing was ever appended. One statement, so that `FeedEnds` and entries
 * are of one snapshot.
 */
export async function readFeed(
  { pool }: Database,
  {
    accountId,
    after,
    types,
    readMax,
  }: {
    accountId: string
    after: bigint
    types: readonly string[]
    readMax: number
  },
): Promise<(FeedEnds & FeedPage) | null> {
  // A row has the positions of several objects, and `after` may be one of them: only the objects
  // with a higher position count.
  const unread = sql.fragment`least(jsonb_array_length(objects), position - ${after}::bigint)`
  const rows = await pool.any(sql.type(Row)`
    WITH page AS MATERIALIZED (
      SELECT *, sum(${unread}) OVER (ORDER BY position) - ${unread} AS earlier
      FROM feed_events
      WHERE account_id = ${accountId} AND position > ${after}
      ORDER BY position LIMIT ${readMax}
    )
    SELECT last_position AS "lastPosition", removed_position AS "removedPosition",
      ${clock} AS now,
      ${columnsOf(FeedEvent, { table: 'page' })}
    FROM feeds LEFT JOIN page ON earlier < ${readMax}
    WHERE feeds.account_id = ${accountId}
    ORDER BY page.position`)
  const [first] = rows
  if (first === undefined) return null
  const { lastPosition, removedPosition, now } = first
  const read = rows
    .flatMap((row) => FeedEvent.safeParse(row).data ?? [])
    .flatMap(entriesOf)
    .filter(({ position }) => position > after)
    .slice(0, readMax)
  return {
    lastPosition,
    removedPosition,
    now,
    readTo: read.at(-1)?.position ?? null,
    entries: types.length === 0 ? read : read.filter(({ type }) => types.includes(type)),
    isFull: read.length === readMax,
  }
}

const Account = z.object({ accountId: z.string() })

/** Lists accounts with an ID above `after` that have a feed, ascending. */
export function listFeeds(
  { pool }: Database,
  { after, limit }: { after: string; limit: number },
): Promise<readonly string[]> {
  return pool.anyFirst(sql.type(Account)`
    SELECT account_id AS "accountId" FROM feeds
    WHERE account_id > ${after} ORDER BY account_id LIMIT ${limit}`)
}

const Removed = z.object({ count: z.bigint() })

/**
 * Removes the oldest events of an account that are older than `before`, at most `limit`, and stores
 * the position of the last removed one. Returns their number.
 */
export async function removeEvents(
  { pool }: Database,
  { accountId, before, limit }: { accountId: string; before: Date; limit: number },
): Promise<number> {
  const count = await pool.oneFirst(sql.type(Removed)`
    WITH old AS (
      SELECT position FROM feed_events
      WHERE account_id = ${accountId} AND position < ${BigInt(before.getTime()) * 1_000n}
      ORDER BY position LIMIT ${limit}
    ), kept AS (
      UPDATE feeds SET removed_position = removed.position
      FROM (SELECT max(position) AS position FROM old) AS removed
      WHERE account_id = ${accountId} AND removed.position > removed_position
    ), removed AS (
      DELETE FROM feed_events AS event USING old
      WHERE event.account_id = ${accountId} AND event.position = old.position
      RETURNING 1
    )
    SELECT count(*) AS count FROM removed`)
  return Number(count)
}
