import { isServed } from '@coffer/kit/accounts/subscription.sql'
import type { Database } from '@coffer/kit/database/database'
import { columnsOf, isAfter, namesOf } from '@coffer/kit/database/rows'
import { type FragmentSqlToken, sql } from 'slonik'
import { z } from 'zod'

/** The links of a service: a table with the columns of `SyncState`. */
export interface SweptLinks<Key extends LinkKey> {
  table: string
  /** Columns that identify a link in calls of `start`, and those of the primary key, in order. */
  key: z.ZodObject & z.ZodType<Key>
  primaryKey: readonly (keyof Key & string)[]
  /** Conditions on the status: of links with a schedule, and of those that sync on request. */
  isScheduled: FragmentSqlToken
  isRequestable: FragmentSqlToken
}

export type LinkKey = Record<'accountId' | 'linkId', string>

/** Page of a sweep: the key of the last row before it, empty for the first page. */
export interface Page {
  now: Date
  after: readonly string[]
  limit: number
}

const Due = z.object({ dueAt: z.string() })

/**
 * Lists the links whose scheduled sync is due, the earliest first. The key of the page is `dueAt`,
 * a text that keeps the microseconds of Postgres, and the primary key.
 */
export function listDueSyncs<Key extends LinkKey>(
  { pool }: Database,
  { table, key, primaryKey, isScheduled }: SweptLinks<Key>,
  { now, after, limit }: Page,
): Promise<readonly (Key & { dueAt: string })[]> {
  const order = sql.fragment`next_sync_at, ${namesOf(primaryKey)}`
  return pool.any(sql.type(key.and(Due))`
    SELECT ${columnsOf(key, { table })}, next_sync_at::text AS "dueAt"
    FROM ${sql.identifier([table])}
    WHERE next_sync_at <= ${now.toISOString()} AND ${isAfter(order, after)}
      AND ${isScheduled} AND ${isServed(table, now)}
    ORDER BY ${order} LIMIT ${limit}`)
}

/**
 * Lists the links with a sync that was requested before `before` and has not begun, or that began
 * before it and has not ended. The key of the page is the primary key.
 */
export function listUnfinishedSyncs<Key extends LinkKey>(
  { pool }: Database,
  { table, key, primaryKey, isRequestable }: SweptLinks<Key>,
  of: Page & { before: Date },
): Promise<readonly Key[]> {
  const order = namesOf(primaryKey)
  return pool.any(sql.type(key)`
    SELECT ${columnsOf(key, { table })} FROM ${sql.identifier([table])}
    WHERE (requested_at IS NOT NULL OR sync_run_id IS NOT NULL)
      AND (requested_at < ${of.before.toISOString()}
        OR sync_started_at < ${of.before.toISOString()})
      AND ${isRequestable} AND ${isAfter(order, of.after)} AND ${isServed(table, of.now)}
    ORDER BY ${order} LIMIT ${of.limit}`)
}
