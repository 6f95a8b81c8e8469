import type { Bound } from '@coffer/kit/database/account-bound.sql'
import type { Database, Queries, Transaction } from '@coffer/kit/database/database'
import { assignmentsOf, columnsOf, insertOf, isAfter } from '@coffer/kit/database/rows'
import { read } from '@coffer/kit/database/statement'
import { emit } from '@coffer/kit/events/changes'
import { objectsChanged } from '@coffer/kit/events/objects-changed'
import type { SealedSecret } from '@coffer/kit/secrets/secrets'
import { ObjectsChangedSchema } from '@coffer/proto/aggregatorsync/v1/events'
import { SyncState } from '@coffer/sync-kit/syncs/sync-state'
import { sql } from 'slonik'
import { z } from 'zod'
import { AggregatorLink, LinkKey } from './aggregator-link.ts'

/** A link with the times of its syncs. */
export const ShownLink = AggregatorLink.extend({
  ...SyncState.pick({
    lastManualSync: true,
    lastSuccessfulUpdate: true,
    lastAttemptedUpdate: true,
  }).shape,
  lastAccountSync: z.date().nullable(),
})
export type ShownLink = z.infer<typeof ShownLink>

const columns = columnsOf(AggregatorLink, { table: 'aggregator_links' })
const shownColumns = columnsOf(ShownLink, { table: 'aggregator_links' })

/** Returns the bound on the number of an account's links that have not ended. */
export function aggregatorLinkBound(
  accountId: string,
  of: { max: number; refusal: string },
): Bound {
  return {
    scope: `aggregator_links ${accountId}`,
    rows: sql.fragment`
      SELECT FROM aggregator_links WHERE account_id = ${accountId} AND deleted_at IS NULL`,
    ...of,
  }
}

/** Returns whether an account is being deleted. */
export function isClosed(connection: Queries, accountId: string): Promise<boolean> {
  return connection.exists(sql.unsafe`SELECT FROM deleted_accounts WHERE account_id = ${accountId}`)
}

/** Returns the links with these IDs by ascending ID, ended ones too. */
export function findLinks(
  { pool }: { pool: Queries },
  accountId: string,
  linkIds: readonly string[],
): Promise<readonly ShownLink[]> {
  return pool.any(read(ShownLink)`
    SELECT ${shownColumns} FROM aggregator_links
    WHERE account_id = ${accountId} AND link_id = ANY(${sql.array(linkIds, 'text')})
    ORDER BY link_id`)
}

/** Returns a link, ended or not; null if it is missing. */
export function findLink(
  { pool }: { pool: Queries },
  { accountId, linkId }: LinkKey,
): Promise<AggregatorLink | null> {
  return pool.maybeOne(read(AggregatorLink)`
    SELECT ${columns} FROM aggregator_links
    WHERE account_id = ${accountId} AND link_id = ${linkId}`)
}

/**
 * Returns the link of an item (a user's consent at one institution), of any account: an item
 * belongs to one link only.
 */
export function findLinkOfItem({ pool }: Database, itemId: string): Promise<AggregatorLink | null> {
  return pool.maybeOne(sql.type(AggregatorLink)`
    SELECT ${columns} FROM aggregator_links WHERE item_id = ${itemId}`)
}

/** Locks and returns a link, ended or not; null if it is missing. */
export function lockLink(
  tx: Transaction,
  { accountId, linkId }: LinkKey,
): Promise<AggregatorLink | null> {
  return tx.maybeOne(sql.type(AggregatorLink)`
    SELECT ${columns} FROM aggregator_links
    WHERE account_id = ${accountId} AND link_id = ${linkId} FOR NO KEY UPDATE`)
}

export async function insertLink(tx: Transaction, link: AggregatorLink): Promise<void> {
  await tx.query(sql.unsafe`${insertOf('aggregator_links', AggregatorLink, link)}`)
}

/** Deletes the row of a link that was never created, with its token. */
export async function deleteLink(tx: Transaction, { accountId, linkId }: LinkKey): Promise<void> {
  // A trigger refuses to delete the token of a link that is not released, so the link is marked as
  // released first.
  await tx.query(sql.unsafe`
    UPDATE aggregator_links SET released_at = deleted_at
    WHERE account_id = ${accountId} AND link_id = ${linkId}`)
  await tx.query(sql.unsafe`
    DELETE FROM aggregator_links WHERE account_id = ${accountId} AND link_id = ${linkId}`)
}

/** Emits the event by which clients learn that a link has changed. */
export async function tellLink(
  tx: Transaction,
  { accountId, linkId, updatedAt: now }: AggregatorLink,
): Promise<void> {
  const objects = [{ type: 'link.updated', objectId: linkId }] as const
  await emit(tx, ...objectsChanged(ObjectsChangedSchema, { accountId, now }, objects))
}

/** Saves the fields of a link that its creation, update and end change. */
export async function saveLink(tx: Transaction, link: AggregatorLink): Promise<void> {
  await tx.query(sql.unsafe`
    UPDATE aggregator_links
    SET ${assignmentsOf(link, [
      'status',
      'itemId',
      'institutionId',
      'institutionName',
      'products',
      'webhookUrl',
      'chosenAccounts',
      'errorCode',
      'expirationDate',
      'newAccountsAvailable',
      'statusAsOf',
      'updatedAt',
      'deletedAt',
      'releasedAt',
    ])}
    WHERE account_id = ${link.accountId} AND link_id = ${link.linkId}`)
  await tellLink(tx, link)
}

/** Sets the instant of the next scheduled sync of a link. */
export async function scheduleSync(
  tx: Transaction,
  { accountId, linkId }: LinkKey,
  at: Date,
): Promise<void> {
  await tx.query(sql.unsafe`
    UPDATE aggregator_links SET next_sync_at = ${at.toISOString()}
    WHERE account_id = ${accountId} AND link_id = ${linkId}`)
}

/**
 * Makes the next sync of a link read all transactions, because earlier syncs have skipped those of
 * its new bank accounts.
 */
export async function requestWholeLoop(
  tx: Transaction,
  { accountId, linkId }: LinkKey,
  now: Date,
): Promise<void> {
  await tx.query(sql.unsafe`
    UPDATE aggregator_links SET whole_requested_at = ${now.toISOString()}
    WHERE account_id = ${accountId} AND link_id = ${linkId}`)
}

/**
 * Makes the next sync of a link read all transactions. Idempotent: a request stays unchanged until
 * a sync has read all of them.
 */
export async function ensureWholeLoop(
  tx: Transaction,
  { accountId, linkId }: LinkKey,
  now: Date,
): Promise<void> {
  await tx.query(sql.unsafe`
    UPDATE aggregator_links SET whole_requested_at = ${now.toISOString()}
    WHERE account_id = ${accountId} AND link_id = ${linkId} AND whole_requested_at IS NULL`)
}

/**
 * Ends the syncs of a link: clears the schedule and requests; a running sync has no further effect.
 */
export async function endSyncs(tx: Transaction, { accountId, linkId }: LinkKey): Promise<void> {
  await tx.query(sql.unsafe`
    UPDATE aggregator_links SET next_sync_at = NULL, requested_at = NULL, sync_run_id = NULL,
      sync_started_at = NULL
    WHERE account_id = ${accountId} AND link_id = ${linkId}`)
}

/**
 * Lists links of all accounts whose item has another webhook URL than the given one, after the key
 * `after`. Leaves out links that are being created, are revoked or have ended.
 */
export function listOtherWebhooks(
  { pool }: Database,
  { url, after, limit }: { url: string; after: readonly string[]; limit: number },
): Promise<readonly LinkKey[]> {
  const key = sql.fragment`account_id, link_id`
  return pool.any(sql.type(LinkKey)`
    SELECT account_id AS "accountId", link_id AS "linkId" FROM aggregator_links
    WHERE status NOT IN ('creating', 'revoked', 'deactivated')
      AND webhook_url IS DISTINCT FROM ${url} AND ${isAfter(key, after)}
    ORDER BY ${key} LIMIT ${limit}`)
}

/** Stores the webhook URL that is registered for the item of a live link. */
export async function saveWebhookUrl(
  { pool }: Database,
  { accountId, linkId }: LinkKey,
  url: string,
): Promise<void> {
  await pool.query(sql.unsafe`
    UPDATE aggregator_links SET webhook_url = ${url}
    WHERE account_id = ${accountId} AND link_id = ${linkId} AND deleted_at IS NULL`)
}

const SealedToken = z.object({
  keyId: z.string(),
  dataKey: z.instanceof(Buffer),
  ciphertext: z.instanceof(Buffer),
})

/** Kinds of tokens: `public` (of Plaid Link, before the exchange), then `access` (of the item). */
type TokenKind = 'public' | 'access'

/** Returns the sealed token of a link if it is of this kind, otherwise null. */
export function findToken(
  { pool }: Database,
  { accountId, linkId }: LinkKey,
  kind: TokenKind,
): Promise<SealedSecret | null> {
  return pool.maybeOne(sql.type(SealedToken)`
    SELECT key_id AS "keyId", data_key AS "dataKey", ciphertext FROM aggregator_tokens
    WHERE account_id = ${accountId} AND link_id = ${linkId} AND kind = ${kind}`)
}

/** Stores a token of a link in place of the stored one, since a link has only one. */
export async function saveToken(
  tx: Transaction,
  { accountId, linkId }: LinkKey,
  { kind, keyId, dataKey, ciphertext }: SealedSecret & { kind: TokenKind },
): Promise<void> {
  await tx.query(sql.unsafe`
    INSERT INTO aggregator_tokens (account_id, link_id, kind, key_id, data_key, ciphertext)
    VALUES (${accountId}, ${linkId}, ${kind}, ${keyId}, ${sql.binary(dataKey)},
      ${sql.binary(ciphertext)})
    ON CONFLICT (account_id, link_id) DO UPDATE SET kind = excluded.kind,
      key_id = excluded.key_id, data_key = excluded.data_key, ciphertext = excluded.ciphertext`)
}

/**
 * Deletes the token of a link, and the transactions stored for an unfinished loop (loop.ts) of its
 * syncs.
 */
export async function deleteToken(tx: Transaction, { accountId, linkId }: LinkKey): Promise<void> {
  await tx.query(sql.unsafe`
    WITH loop_rows AS (
      DELETE FROM loop_items WHERE account_id = ${accountId} AND link_id = ${linkId}
    )
    DELETE FROM aggregator_tokens WHERE account_id = ${accountId} AND link_id = ${linkId}`)
}

/**
 * Lists links of all accounts whose creation, update or release has not ended, after the key
 * `after`. Leaves out links changed since `before`, because a request still handles them.
 */
export function listUnfinishedLinks(
  { pool }: Database,
  { before, after, limit }: { before: Date; after: readonly string[]; limit: number },
): Promise<readonly LinkKey[]> {
  const key = sql.fragment`account_id, link_id`
  return pool.any(sql.type(LinkKey)`
    SELECT account_id AS "accountId", link_id AS "linkId" FROM aggregator_links
    WHERE (status = 'creating' OR (deleted_at IS NOT NULL AND released_at IS NULL)
        OR (chosen_accounts <> '{}' AND deleted_at IS NULL))
      AND updated_at < ${before.toISOString()} AND ${isAfter(key, after)}
    ORDER BY ${key} LIMIT ${limit}`)
}

/** Lists at most `limit` links of an account that are not released, by ascending ID. */
export function listHeldLinks(
  { pool }: Database,
  accountId: string,
  limit: number,
): Promise<readonly LinkKey[]> {
  return pool.any(sql.type(LinkKey)`
    SELECT account_id AS "accountId", link_id AS "linkId" FROM aggregator_links
    WHERE account_id = ${accountId} AND released_at IS NULL ORDER BY link_id LIMIT ${limit}`)
}

const Waiting = z.object({ count: z.number(), oldest: z.date().nullable() })

/** Returns the number of ended links that are not released, and the earliest end among them. */
export function countUnreleased({ pool }: Database): Promise<z.infer<typeof Waiting>> {
  return pool.one(sql.type(Waiting)`
    SELECT count(*)::int AS count, min(deleted_at) AS oldest FROM aggregator_links
    WHERE deleted_at IS NOT NULL AND released_at IS NULL`)
}
