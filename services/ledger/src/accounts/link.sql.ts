import type { Database, Transaction as Tx } from '@coffer/kit/database/database'
import { assignmentsOf, columnsOf, insertOf } from '@coffer/kit/database/rows'
import { prepare, read } from '@coffer/kit/database/statement'
import { type Change, emit, insertChanges } from '@coffer/kit/events/changes'
import { objectsChanged } from '@coffer/kit/events/objects-changed'
import { ObjectsChangedSchema } from '@coffer/proto/ledger/v1/events'
import { sql } from 'slonik'
import { Link } from '../book/link.ts'
import { objectOf } from './link-change.ts'

const columns = columnsOf(Link, { table: 'links' })

const liveLinks = prepare(
  ['accountId'],
  ({ accountId }) => read(Link)`
    SELECT ${columns} FROM links
    WHERE account_id = ${accountId} AND deleted_at IS NULL ORDER BY link_id`,
)

/** Lists the links of an account, ordered by ID, without deleted ones. */
export function listLinks({ pool }: Database, accountId: string): Promise<readonly Link[]> {
  return pool.any(liveLinks({ accountId }))
}

/** Returns the link, deleted or not; null if it does not exist. */
export function findLink(
  { pool }: Database,
  accountId: string,
  linkId: string,
): Promise<Link | null> {
  return pool.maybeOne(read(Link)`
    SELECT ${columns} FROM links WHERE account_id = ${accountId} AND link_id = ${linkId}`)
}

/** Locks and returns the link, null if missing. Lock order: link, bank accounts, other rows. */
export function lockLink(tx: Tx, accountId: string, linkId: string): Promise<Link | null> {
  return tx.maybeOne(sql.type(Link)`
    SELECT ${columns} FROM links
    WHERE account_id = ${accountId} AND link_id = ${linkId} FOR NO KEY UPDATE`)
}

/** Returns the link, locked `FOR SHARE`: it cannot be deleted until the transaction ends. */
export function shareLink(tx: Tx, accountId: string, linkId: string): Promise<Link | null> {
  return tx.maybeOne(sql.type(Link)`
    SELECT ${columns} FROM links
    WHERE account_id = ${accountId} AND link_id = ${linkId} FOR SHARE`)
}

/** Inserts a link with its events. */
export async function insertLink(tx: Tx, link: Link, created: Change[]): Promise<void> {
  const changes = [...created, ...tellLink(link, 'link.created')]
  await tx.query(sql.unsafe`
    WITH emitted AS (${insertChanges(changes)}) ${insertOf('links', Link, link)}`)
}

function tellLink(link: Link, type: Parameters<typeof objectOf>[1]): Change[] {
  const { accountId, updatedAt: now } = link
  return objectsChanged(ObjectsChangedSchema, { accountId, now }, [objectOf(link, type)])
}

/** Inserts a link and its events unless the ID exists. Returns whether it inserted them. */
export async function insertLinkOnce(tx: Tx, link: Link, changes: Change[]): Promise<boolean> {
  const { rowCount } = await tx.query(sql.unsafe`
    ${insertOf('links', Link, link)} ON CONFLICT (account_id, link_id) DO NOTHING`)
  if (rowCount > 0) await emit(tx, ...changes, ...tellLink(link, 'link.created'))
  return rowCount > 0
}

/** Saves a changed or deleted link, and emits the change. */
export async function saveLink(tx: Tx, link: Link): Promise<void> {
  const type = link.deletedAt === null ? 'link.updated' : 'link.deleted'
  const changing = ['linkType', 'institutionName', 'description', 'updatedAt', 'deletedAt'] as const
  await tx.query(sql.unsafe`
    WITH emitted AS (${insertChanges(tellLink(link, type))})
    UPDATE links SET ${assignmentsOf(link, changing)}
    WHERE account_id = ${link.accountId} AND link_id = ${link.linkId}`)
}
