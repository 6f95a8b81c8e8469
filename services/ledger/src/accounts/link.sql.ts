import type { Database, Transaction as Tx } from '@coffer/kit/database/database'
import { assignmentsOf, columnsOf, insertOf } from '@coffer/kit/database/rows'
import { prepare, read } from '@coffer/kit/database/statement'
import { type Change, emit, insertChanges } from '@coffer/kit/events/changes'
import { sql } from 'slonik'
import { Link } from '../book/link.ts'

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

export async function insertLink(tx: Tx, link: Link, changes: Change[]): Promise<void> {
  await tx.query(sql.unsafe`
    WITH emitted AS (${insertChanges(changes)}) ${insertOf('links', Link, link)}`)
}

/** Inserts a link and its events unless the ID exists. Returns whether it inserted them. */
export async function insertLinkOnce(tx: Tx, link: Link, changes: Change[]): Promise<boolean> {
  const { rowCount } = await tx.query(sql.unsafe`
    ${insertOf('links', Link, link)} ON CONFLICT (account_id, link_id) DO NOTHING`)
  if (rowCount > 0) await emit(tx, ...changes)
  return rowCount > 0
}

export async function saveLink(tx: Tx, link: Link): Promise<void> {
  const changing = ['linkType', 'institutionName', 'description', 'updatedAt', 'deletedAt'] as const
  await tx.query(sql.unsafe`
    UPDATE links SET ${assignmentsOf(link, changing)}
    WHERE account_id = ${link.accountId} AND link_id = ${link.linkId}`)
}
