import type { Database, Queries, Transaction } from '@coffer/kit/database/database'
import {
  columnNames,
  columnsOf,
  insertOf,
  recordsOf,
  rowAssignments,
} from '@coffer/kit/database/rows'
import { read } from '@coffer/kit/database/statement'
import { notFound } from '@coffer/kit/rpc/errors'
import { type FragmentSqlToken, sql } from 'slonik'
import { z } from 'zod'
import type { WebhookKey } from '../endpoints/webhook.sql.ts'
import { Delivery, pingType } from './delivery.ts'

const columns = columnsOf(Delivery, { table: 'webhook_deliveries' })

/**
 * Maximum number of pending deliveries of a webhook; its feed cursor does not advance beyond it.
 */
export const pendingMax = 1_000

const ofWebhook = ({ accountId, webhookId }: WebhookKey) => sql.fragment`
  account_id = ${accountId} AND webhook_id = ${webhookId}`

/** Returns the pending deliveries of a webhook, in the order of the feed. */
export function listPending({ pool }: Database, key: WebhookKey): Promise<readonly Delivery[]> {
  return pool.any(sql.type(Delivery)`
    SELECT ${columns} FROM webhook_deliveries
    WHERE ${ofWebhook(key)} AND status = 'pending'
    ORDER BY position, delivery_id LIMIT ${2 * pendingMax}`)
}

/** Returns deliveries of a webhook, newest first. */
export function listDeliveries(
  { pool }: Database,
  key: WebhookKey,
  { status, before, limit }: { status: string; before: string | null; limit: number },
): Promise<readonly Delivery[]> {
  const isBefore = before === null ? sql.fragment`true` : sql.fragment`delivery_id < ${before}`
  const hasStatus = status === '' ? sql.fragment`true` : sql.fragment`status = ${status}`
  return pool.any(sql.type(Delivery)`
    SELECT ${columns} FROM webhook_deliveries
    WHERE ${ofWebhook(key)} AND ${isBefore} AND ${hasStatus}
    ORDER BY delivery_id DESC LIMIT ${limit}`)
}

/** Returns a delivery of a webhook. Throws notFound. */
export async function getDelivery(
  { pool }: { pool: Queries },
  key: WebhookKey,
  deliveryId: string,
): Promise<Delivery> {
  const found = await pool.maybeOne(read(Delivery)`
    SELECT ${columns} FROM webhook_deliveries
    WHERE ${ofWebhook(key)} AND delivery_id = ${deliveryId}`)
  if (!found) throw notFound('delivery')
  return found
}

/** Locks and returns a delivery. Throws notFound. */
export async function lockDelivery(
  tx: Transaction,
  key: WebhookKey,
  deliveryId: string,
): Promise<Delivery> {
  const found = await tx.maybeOne(sql.type(Delivery)`
    SELECT ${columns} FROM webhook_deliveries
    WHERE ${ofWebhook(key)} AND delivery_id = ${deliveryId} FOR NO KEY UPDATE`)
  if (!found) throw notFound('delivery')
  return found
}

/** Returns an upsert of deliveries; it saves only rows for which `condition` holds. */
export function upsertOf(
  deliveries: readonly Delivery[],
  condition: FragmentSqlToken,
): FragmentSqlToken {
  return sql.fragment`
    INSERT INTO webhook_deliveries (${columnNames(Delivery)})
    SELECT ${columnNames(Delivery)}
    FROM jsonb_populate_recordset(NULL::webhook_deliveries, ${recordsOf(deliveries)}::jsonb)
    WHERE ${condition}
    ON CONFLICT (account_id, webhook_id, delivery_id) DO UPDATE
    SET ${rowAssignments(Delivery, ['accountId', 'webhookId', 'deliveryId'], 'excluded')}`
}

/** Inserts a delivery. */
export async function insertDelivery(tx: Transaction, delivery: Delivery): Promise<void> {
  await tx.query(sql.unsafe`${insertOf('webhook_deliveries', Delivery, delivery)}`)
}

/** Saves a delivery. */
export async function saveDelivery(tx: Transaction, delivery: Delivery): Promise<void> {
  await tx.query(sql.unsafe`${upsertOf([delivery], sql.fragment`true`)}`)
}

const Counted = z.object({ count: z.bigint() })

/** Returns the number of pending test deliveries (`webhook.ping`) of a webhook. */
export async function countPings(tx: Transaction, key: WebhookKey): Promise<number> {
  const count = await tx.oneFirst(sql.type(Counted)`
    SELECT count(*) AS count FROM webhook_deliveries
    WHERE ${ofWebhook(key)} AND status = 'pending' AND type = ${pingType}`)
  return Number(count)
}

/**
 * Deletes pending deliveries of changes after a position, which are then read from the feed again.
 * Test deliveries are kept, because the feed does not contain them.
 */
export async function deletePending(
  tx: Transaction,
  key: WebhookKey,
  after: bigint,
): Promise<void> {
  await tx.query(sql.unsafe`
    DELETE FROM webhook_deliveries
    WHERE ${ofWebhook(key)} AND status = 'pending' AND position > ${after}
      AND type <> ${pingType}`)
}

/**
 * Deletes, among the oldest `limit` deliveries of a webhook that are not pending, those that were
 * created before an instant; for a deleted webhook, the oldest `limit`. Returns their number.
 */
export async function deleteOld(
  { pool }: Database,
  key: WebhookKey,
  { before, limit, isDeleted }: { before: Date; limit: number; isDeleted: boolean },
): Promise<number> {
  const all = sql.fragment`true`
  const hasEnded = isDeleted ? all : sql.fragment`status <> 'pending'`
  const isOld = isDeleted ? all : sql.fragment`created_at < ${sql.timestamp(before)}`
  const { rowCount } = await pool.query(sql.unsafe`
    DELETE FROM webhook_deliveries WHERE ${ofWebhook(key)} AND delivery_id IN (
      SELECT delivery_id FROM webhook_deliveries WHERE ${ofWebhook(key)} AND ${hasEnded}
      ORDER BY delivery_id LIMIT ${limit}
    ) AND ${isOld}`)
  return rowCount
}
