import type { Bound } from '@coffer/kit/database/account-bound.sql'
import type { Database, Transaction } from '@coffer/kit/database/database'
import { assignmentsOf, columnsOf, insertOf } from '@coffer/kit/database/rows'
import { read } from '@coffer/kit/database/statement'
import { emit } from '@coffer/kit/events/changes'
import { objectsChanged } from '@coffer/kit/events/objects-changed'
import { say } from '@coffer/kit/reasons/reasons'
import type { SealedSecret } from '@coffer/kit/secrets/secrets'
import { ObjectsChangedSchema } from '@coffer/proto/feedsync/v1/events'
import { sql } from 'slonik'
import { z } from 'zod'
import { FeedLink } from './feed-link.ts'

const SealedKey = z.object({
  keyId: z.string(),
  dataKey: z.instanceof(Buffer),
  ciphertext: z.instanceof(Buffer),
})

const columns = columnsOf(FeedLink, { table: 'feed_links' })

/** Returns the bound on the number of an account's feed connections that are not deleted. */
export function feedLinkBound(max: number, accountId: string): Bound {
  return {
    scope: `feed_links ${accountId}`,
    rows: sql.fragment`
      SELECT FROM feed_links WHERE account_id = ${accountId} AND deleted_at IS NULL`,
    max,
    refusal: say('FEED_LINKS_MAX', { max }),
  }
}

/** Returns the feed connections of an account that are not deleted, newest first. */
export function listFeedLinks({ pool }: Database, accountId: string): Promise<readonly FeedLink[]> {
  return pool.any(read(FeedLink)`
    SELECT ${columns} FROM feed_links
    WHERE account_id = ${accountId} AND deleted_at IS NULL ORDER BY feed_link_id DESC`)
}

/** Returns the feed connections with these IDs, deleted ones included, newest first. */
export function findFeedLinks(
  { pool }: Database,
  accountId: string,
  feedLinkIds: readonly string[],
): Promise<readonly FeedLink[]> {
  return pool.any(read(FeedLink)`
    SELECT ${columns} FROM feed_links
    WHERE account_id = ${accountId} AND feed_link_id = ANY(${sql.array(feedLinkIds, 'text')})
    ORDER BY feed_link_id DESC`)
}

/** Locks and returns a feed connection, deleted or not; null if it is missing. */
export function lockFeedLink(
  tx: Transaction,
  accountId: string,
  key: { feedLinkId: string } | { linkId: string },
): Promise<FeedLink | null> {
  const isKey =
    'feedLinkId' in key
      ? sql.fragment`feed_link_id = ${key.feedLinkId}`
      : sql.fragment`link_id = ${key.linkId}`
  return tx.maybeOne(sql.type(FeedLink)`
    SELECT ${columns} FROM feed_links
    WHERE account_id = ${accountId} AND ${isKey} FOR NO KEY UPDATE`)
}

export async function insertFeedLink(
  tx: Transaction,
  feedLink: FeedLink,
  apiKey: SealedSecret,
): Promise<void> {
  const { accountId, feedLinkId } = feedLink
  await tx.query(sql.unsafe`
    WITH inserted AS (${insertOf('feed_links', FeedLink, feedLink)})
    INSERT INTO feed_keys (account_id, feed_link_id, key_id, data_key, ciphertext)
    VALUES (${accountId}, ${feedLinkId}, ${apiKey.keyId}, ${sql.binary(apiKey.dataKey)},
      ${sql.binary(apiKey.ciphertext)})`)
}

/** Saves the fields of a feed connection that activation and release change. */
export async function saveFeedLink(tx: Transaction, feedLink: FeedLink): Promise<void> {
  await tx.query(sql.unsafe`
    UPDATE feed_links
    SET ${assignmentsOf(feedLink, ['linkId', 'status', 'updatedAt', 'deletedAt'])}
    WHERE account_id = ${feedLink.accountId} AND feed_link_id = ${feedLink.feedLinkId}`)
  const { accountId, linkId, updatedAt: now } = feedLink
  if (linkId === null) return
  const objects = [{ type: 'link.updated', objectId: linkId }] as const
  await emit(tx, ...objectsChanged(ObjectsChangedSchema, { accountId, now }, objects))
}

/** Returns the sealed API key of a feed connection; null after the deletion of its link. */
export function findFeedKey(
  { pool }: Database,
  { accountId, feedLinkId }: FeedLink,
): Promise<SealedSecret | null> {
  return pool.maybeOne(sql.type(SealedKey)`
    SELECT key_id AS "keyId", data_key AS "dataKey", ciphertext FROM feed_keys
    WHERE account_id = ${accountId} AND feed_link_id = ${feedLinkId}`)
}

export async function deleteFeedKey(
  tx: Transaction,
  { accountId, feedLinkId }: FeedLink,
): Promise<void> {
  await tx.query(sql.unsafe`
    DELETE FROM feed_keys WHERE account_id = ${accountId} AND feed_link_id = ${feedLinkId}`)
}
