import type { Database, Queries } from '@coffer/kit/database/database'
import { columnsOf } from '@coffer/kit/database/rows'
import { sql } from 'slonik'
import { z } from 'zod'
import { Entry, type FeedPage, type NewEntry } from './entry.ts'

// One scale for all clocks of the feed: that of Postgres, in µs.
const clock = sql.fragment`(extract(epoch FROM now()) * 1000000)::bigint`

const Account = z.object({ accountId: z.string() })

/**
 * Appends the entries of events to the feeds of their accounts, in one statement. Entries of an
 * event that the inbox knows are left out. The lock of a row of `feeds` is held until the commit,
 * so the positions of an account become visible in their order. Rows are locked in the order of
 * their keys, all of the inbox before those of feeds: two statements cannot wait for each other.
 * Returns the IDs of the accounts with new entries.
 */
export function appendEntries(
  { pool }: { pool: Queries },
  consumer: string,
  entries: readonly NewEntry[],
): Promise<readonly string[]> {
  return pool.anyFirst(sql.type(Account)`
    WITH given (account_id, event_id, index, type, object_id, bank_account_id, version, at, actor,
      cause_id, change_id) AS (
      SELECT * FROM ${sql.unnest(entries.map(tupleOf), tupleTypes)}
    ), received AS (
      INSERT INTO inbox (consumer, change_id)
      SELECT DISTINCT ${consumer}, event_id FROM given ORDER BY event_id
      ON CONFLICT DO NOTHING RETURNING change_id AS event_id
    ), told AS (
      SELECT given.* FROM given JOIN received USING (event_id)
    ), moved AS (
      INSERT INTO feeds AS feed (account_id, last_position)
      SELECT account_id, ${clock} + count(*) FROM told GROUP BY account_id ORDER BY account_id
      ON CONFLICT (account_id) DO UPDATE SET
        last_position = greatest(feed.last_position, ${clock}) + excluded.last_position - ${clock}
      RETURNING account_id, last_position
    ), appended AS (
      INSERT INTO feed_entries (account_id, position, change_id, type, object_id, bank_account_id,
        version, at, actor, cause_id)
      SELECT account_id,
        last_position - count(*) OVER (PARTITION BY account_id)
          + row_number() OVER (PARTITION BY account_id ORDER BY event_id, index),
        change_id, type, object_id, bank_account_id, version, at, actor, cause_id
      FROM told JOIN moved USING (account_id)
    )
    SELECT account_id AS "accountId" FROM moved`)
}

const tupleTypes = [
  'text',
  'text',
  'int4',
  'text',
  'text',
  'text',
  'int8',
  'timestamptz',
  'text',
  'text',
  'text',
]

function tupleOf(entry: NewEntry) {
  return [
    entry.accountId,
    entry.eventId,
    entry.index,
    entry.type,
    entry.objectId,
    entry.bankAccountId,
    entry.version,
    entry.at.toISOString(),
    entry.actor,
    entry.causeId,
    entry.changeId,
  ]
}

/** Positions of the feed of an account. */
export interface FeedEnds {
  lastPosition: bigint
  /** Entries up to this position have been removed. */
  removedPosition: bigint
}

const Ends = z.object({ lastPosition: z.bigint(), removedPosition: z.bigint() })

const Row = Ends.extend({
  readTo: z.bigint().nullable(),
  readCount: z.bigint(),
  ...Object.fromEntries(Object.entries(Entry.shape).map(([name, type]) => [name, type.nullable()])),
})

/**
 * Reads the feed of an account after a position: at most `readMax` entries, of which those of the
 * types are returned. Returns null if nothing was ever appended. One statement, so that the ends
 * are those of the same moment.
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
  const rows = await pool.any(sql.type(Row)`
    WITH page AS MATERIALIZED (
      SELECT * FROM feed_entries
      WHERE account_id = ${accountId} AND position > ${after}
      ORDER BY position LIMIT ${readMax}
    )
    SELECT last_position AS "lastPosition", removed_position AS "removedPosition",
      (SELECT max(position) FROM page) AS "readTo", (SELECT count(*) FROM page) AS "readCount",
      ${columnsOf(Entry, { table: 'page' })}
    FROM feeds LEFT JOIN page
      ON ${types.length === 0} OR page.type = ANY(${sql.array(types, 'text')})
    WHERE feeds.account_id = ${accountId}
    ORDER BY page.position`)
  const [first] = rows
  if (first === undefined) return null
  const { lastPosition, removedPosition, readTo, readCount } = first
  const entries = rows.flatMap((row) => Entry.safeParse(row).data ?? [])
  return { lastPosition, removedPosition, readTo, entries, isFull: readCount === BigInt(readMax) }
}

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
 * Removes at most `limit` entries of an account that are older than `before`, the oldest first, and
 * keeps the position of the last one. Returns their number.
 */
export async function removeEntries(
  { pool }: Database,
  { accountId, before, limit }: { accountId: string; before: Date; limit: number },
): Promise<number> {
  const count = await pool.oneFirst(sql.type(Removed)`
    WITH old AS (
      SELECT position FROM feed_entries
      WHERE account_id = ${accountId} AND position < ${BigInt(before.getTime()) * 1_000n}
      ORDER BY position LIMIT ${limit}
    ), kept AS (
      UPDATE feeds SET removed_position = removed.position
      FROM (SELECT max(position) AS position FROM old) AS removed
      WHERE account_id = ${accountId} AND removed.position > removed_position
    ), removed AS (
      DELETE FROM feed_entries AS entry USING old
      WHERE entry.account_id = ${accountId} AND entry.position = old.position
      RETURNING 1
    )
    SELECT count(*) AS count FROM removed`)
  return Number(count)
}
