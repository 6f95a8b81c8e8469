import type { Database, Transaction } from '@coffer/kit/database/database'
import { assignmentsOf, columnsOf } from '@coffer/kit/database/rows'
import { changeOf, emit } from '@coffer/kit/events/changes'
import { notFound } from '@coffer/kit/rpc/errors'
import { AggregatorSyncRequestedSchema } from '@coffer/proto/aggregatorsync/v1/events'
import { syncFields } from '@coffer/sync-kit/sync-state'
import { sql } from 'slonik'
import { LinkKey } from '../connections/aggregator-link.ts'
import { emitNotice } from '../connections/notice.sql.ts'
import { ItemSync, requestItemSync } from './item-sync.ts'
import { loopFields } from './loop.ts'

const columns = columnsOf(ItemSync, { table: 'aggregator_links' })

/** Returns a link with the state of its syncs; null if it is missing. */
export function findItemSync(
  { pool }: Database,
  { accountId, linkId }: LinkKey,
): Promise<ItemSync | null> {
  return pool.maybeOne(sql.type(ItemSync)`
    SELECT ${columns} FROM aggregator_links
    WHERE account_id = ${accountId} AND link_id = ${linkId}`)
}

/** Returns the key of a link, of any account: for operators; null if it is missing. */
export function findKeyOfLink({ pool }: Database, linkId: string): Promise<LinkKey | null> {
  return pool.maybeOne(sql.type(LinkKey)`
    SELECT account_id AS "accountId", link_id AS "linkId" FROM aggregator_links
    WHERE link_id = ${linkId}`)
}

/** Locks and returns a link with the state of its syncs; null if it is missing. */
export function lockItemSync(
  tx: Transaction,
  { accountId, linkId }: LinkKey,
): Promise<ItemSync | null> {
  return tx.maybeOne(sql.type(ItemSync)`
    SELECT ${columns} FROM aggregator_links
    WHERE account_id = ${accountId} AND link_id = ${linkId} FOR NO KEY UPDATE`)
}

/** Saves the fields of a link that syncs change: its status, the position, and their state. */
export async function saveItemSync(tx: Transaction, sync: ItemSync): Promise<void> {
  await tx.query(sql.unsafe`
    UPDATE aggregator_links
    SET ${assignmentsOf(sync, [
      'status',
      'errorCode',
      'expirationDate',
      'statusAsOf',
      'noticedFor',
      'webhookUrl',
      'lastAccountSync',
      'windowRequestedAt',
      'syncCount',
      ...loopFields,
      ...syncFields,
    ])}
    WHERE account_id = ${sync.accountId} AND link_id = ${sync.linkId}`)
}

/**
 * Requests a sync of a link; emits the request, whose handler starts the sync. Throws notFound for
 * a missing link, and like `requestItemSync`.
 */
export async function requestSyncOf(
  tx: Transaction,
  key: LinkKey,
  of: { now: Date; by: 'user' | 'operator' | 'service' },
): Promise<void> {
  const before = await lockItemSync(tx, key)
  if (!before) throw notFound('aggregator link')
  const { accountId, linkId } = before
  await saveItemSync(tx, requestItemSync(before, of))
  const subject = { accountId, entityId: linkId, version: BigInt(of.now.getTime()) }
  await emit(tx, changeOf(AggregatorSyncRequestedSchema, subject, { accountId, linkId }))
}

/** Applies a change to a link, unless its sync has ended or another one has begun: then null. */
export async function changeRunning(
  tx: Transaction,
  run: LinkKey & { runId: string },
  change: (sync: ItemSync) => ItemSync,
): Promise<{ before: ItemSync; after: ItemSync } | null> {
  const before = await lockItemSync(tx, run)
  if (before?.syncRunId !== run.runId) return null
  const after = await emitNotice(tx, { before, after: change(before) })
  await saveItemSync(tx, after)
  return { before, after }
}
