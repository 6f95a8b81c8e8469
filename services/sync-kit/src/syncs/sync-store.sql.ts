import { isServed } from '@coffer/kit/accounts/subscription.sql'
import type { Database, Transaction } from '@coffer/kit/database/database'
import { assignmentsOf, columnsOf, isAfter, namesOf } from '@coffer/kit/database/rows'
import { type Change, emit } from '@coffer/kit/events/changes'
import { type FragmentSqlToken, sql } from 'slonik'
import { z } from 'zod'
import { type SyncState, syncFields } from './sync-state.ts'

export type LinkKey = Record<'accountId' | 'linkId', string>

/** The primary key of a link. */
type Named<Id extends string> = Record<'accountId' | Id, string>

/** The links of a service: a table with the columns of `SyncState`. */
export interface SyncedLinks<Sync extends SyncState, Key extends LinkKey, Id extends string> {
  table: string
  /** A row: a link with the state of its syncs. */
  row: z.ZodObject & z.ZodType<Sync>
  /** Columns that identify a link in the arguments of its workflow. */
  key: z.ZodObject & z.ZodType<Key>
  /** The column of the primary key after `account_id`. */
  id: Id
  /** Fields that a sync changes, in addition to those of `SyncState`. */
  changed: readonly (keyof Sync & string)[]
  /** SQL conditions on the status: the link has a schedule, may sync on request, is live. */
  isScheduled: FragmentSqlToken
  isRequestable: FragmentSqlToken
  isInUse: FragmentSqlToken
  /** Returns the events that publish a changed link to clients. */
  tell: (
    save: { accountId: string; now: Date },
    objects: [{ type: 'link.updated'; objectId: string }],
  ) => Change[]
}

/** Page of a list: the key of the last row before it, empty for the first page. */
export interface Page {
  after: readonly string[]
  limit: number
}

/** The statements of a service for its links. */
export interface SyncStore<Sync extends SyncState, Key extends LinkKey, Id extends string> {
  links: SyncedLinks<Sync, Key, Id>
  /** Returns a link with the state of its syncs; null if it is missing. */
  find: (database: Pick<Database, 'pool'>, of: Named<Id>) => Promise<Sync | null>
  /** Locks and returns a link with the state of its syncs; null if it is missing. */
  lock: (tx: Transaction, of: Named<Id>) => Promise<Sync | null>
  /**
   * Saves the fields that a request or a part of a sync changes. Publishes the link to clients only
   * if `updatedAt` changes, because clients do not see the other fields.
   */
  save: (tx: Transaction, sync: Sync) => Promise<void>
  /** Returns the key of a link, of any account: for operators; null if it is missing. */
  findKey: (database: Pick<Database, 'pool'>, linkId: string) => Promise<Key | null>
  /**
   * Lists the links whose scheduled sync is due, the earliest first. The cursor of a page is
   * `dueAt` (a text, because a Date would lose the microseconds of Postgres) and the primary key.
   */
  listDue: (
    database: Pick<Database, 'pool'>,
    of: Page & { now: Date },
  ) => Promise<readonly (Key & { dueAt: string })[]>
  /**
   * Lists the links with a sync that was requested before `before` and has not begun, or began
   * before `before` and has not ended. The cursor of a page is the primary key.
   */
  listUnfinished: (
    database: Pick<Database, 'pool'>,
    of: Page & { now: Date; before: Date },
  ) => Promise<readonly Key[]>
  /** Lists the live links of accounts whose subscription ended before `before`. */
  listLongLapsed: (
    database: Pick<Database, 'pool'>,
    of: Page & { before: Date },
  ) => Promise<readonly Key[]>
}

const Saved = z.object({ linkId: z.string().nullable(), now: z.date(), isShown: z.boolean() })
const Due = z.object({ dueAt: z.string() })

/** Returns the statements for the links of a service. */
export function createSyncStore<
  Sync extends SyncState & Named<Id>,
  Key extends LinkKey & Named<Id>,
  Id extends string,
>(links: SyncedLinks<Sync, Key, Id>): SyncStore<Sync, Key, Id> {
  const { row, key, id, isScheduled, isRequestable, isInUse } = links
  const linksTable = sql.identifier([links.table])
  const columns = columnsOf(row, links)
  const keyFields = columnsOf(key, links)
  const primaryKey = namesOf(['accountId', id])
  const isOf = (of: Named<Id>) =>
    sql.fragment`account_id = ${of.accountId} AND ${namesOf([id])} = ${of[id]}`
  return {
    links,
    find: ({ pool }, of) =>
      pool.maybeOne(sql.type(row)`SELECT ${columns} FROM ${linksTable} WHERE ${isOf(of)}`),
    lock: (tx, of) =>
      tx.maybeOne(sql.type(row)`
        SELECT ${columns} FROM ${linksTable} WHERE ${isOf(of)} FOR NO KEY UPDATE`),
    save: async (tx, sync) => {
      const assignments = assignmentsOf<Sync>(sync, [...links.changed, ...syncFields])
      const { linkId, now, isShown } = await tx.one(sql.type(Saved)`
        UPDATE ${linksTable} SET ${assignments}
        FROM (SELECT updated_at AS former_at FROM ${linksTable} WHERE ${isOf(sync)}) AS former
        WHERE ${isOf(sync)}
        RETURNING link_id AS "linkId", updated_at AS now, former_at <> updated_at AS "isShown"`)
      if (!isShown || linkId === null) return
      const objects: Parameters<typeof links.tell>[1] = [{ type: 'link.updated', objectId: linkId }]
      await emit(tx, ...links.tell({ accountId: sync.accountId, now }, objects))
    },
    findKey: ({ pool }, linkId) =>
      pool.maybeOne(
        sql.type(key)`SELECT ${keyFields} FROM ${linksTable} WHERE link_id = ${linkId}`,
      ),
    listDue: ({ pool }, { now, after, limit }) => {
      const order = sql.fragment`next_sync_at, ${primaryKey}`
      return pool.any(sql.type(key.and(Due))`
        SELECT ${keyFields}, next_sync_at::text AS "dueAt" FROM ${linksTable}
        WHERE next_sync_at <= ${now.toISOString()} AND ${isAfter(order, after)}
          AND ${isScheduled} AND ${isServed(links.table, now)}
        ORDER BY ${order} LIMIT ${limit}`)
    },
    listUnfinished: ({ pool }, { now, before, after, limit }) =>
      pool.any(sql.type(key)`
        SELECT ${keyFields} FROM ${linksTable}
        WHERE (requested_at IS NOT NULL OR sync_run_id IS NOT NULL)
          AND (requested_at < ${before.toISOString()} OR sync_started_at < ${before.toISOString()})
          AND ${isRequestable} AND ${isAfter(primaryKey, after)} AND ${isServed(links.table, now)}
        ORDER BY ${primaryKey} LIMIT ${limit}`),
    listLongLapsed: ({ pool }, { before, after, limit }) =>
      pool.any(sql.type(key)`
        SELECT ${keyFields} FROM account_settings JOIN ${linksTable} USING (account_id)
        WHERE subscription_active_until < ${before.toISOString()} AND ${isInUse}
          AND ${isAfter(primaryKey, after)}
        ORDER BY ${primaryKey} LIMIT ${limit}`),
  }
}
