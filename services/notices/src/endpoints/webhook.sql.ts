import type { Bound } from '@coffer/kit/database/account-bound.sql'
import type { Database, Queries, Transaction } from '@coffer/kit/database/database'
import { assignmentsOf, columnsOf, insertOf } from '@coffer/kit/database/rows'
import { read } from '@coffer/kit/database/statement'
import { emit } from '@coffer/kit/events/changes'
import { objectsChanged } from '@coffer/kit/events/objects-changed'
import { say } from '@coffer/kit/reasons/reasons'
import { notFound } from '@coffer/kit/rpc/errors'
import type { Cause } from '@coffer/kit/values/changed-object'
import { ObjectsChangedSchema } from '@coffer/proto/notices/v1/events'
import { sql } from 'slonik'
import { z } from 'zod'
import { type DisabledReason, Webhook } from './webhook.ts'

/** Account and ID of a webhook. */
export type WebhookKey = Pick<Webhook, 'accountId' | 'webhookId'>

/** A webhook as its user sees it. */
export const ShownWebhook = Webhook.extend({
  failingSince: z.date().nullable(),
  formerSecretEndsAt: z.date().nullable(),
})
export type ShownWebhook = z.infer<typeof ShownWebhook>

const columns = columnsOf(Webhook, { table: 'webhooks' })

/** Returns the bound on the webhooks of an account. */
export function webhookBound(max: number, accountId: string): Bound {
  return {
    scope: `webhooks ${accountId}`,
    rows: sql.fragment`
      SELECT FROM webhooks WHERE account_id = ${accountId} AND deleted_at IS NULL`,
    max,
    refusal: say('WEBHOOKS_MAX', { max }),
  }
}

const shown = (now: Date) => sql.fragment`
  SELECT ${columns}, failing_since AS "failingSince", (
    SELECT max(ends_at) FROM webhook_secrets AS secret
    WHERE secret.account_id = webhooks.account_id AND secret.webhook_id = webhooks.webhook_id
      AND ends_at > ${sql.timestamp(now)}) AS "formerSecretEndsAt"
  FROM webhooks LEFT JOIN webhook_progress USING (account_id, webhook_id)`

/** Returns the webhooks of an account, newest first. */
export function listWebhooks(
  { pool }: Database,
  accountId: string,
  now: Date,
): Promise<readonly ShownWebhook[]> {
  return pool.any(sql.type(ShownWebhook)`
    ${shown(now)} WHERE account_id = ${accountId} AND deleted_at IS NULL
    ORDER BY webhook_id DESC`)
}

/** Returns a webhook. Throws notFound if the account has none with this ID. */
export async function getWebhook(
  { pool }: { pool: Queries },
  { accountId, webhookId }: WebhookKey,
  now: Date,
): Promise<ShownWebhook> {
  const webhook = await pool.maybeOne(read(ShownWebhook)`
    ${shown(now)}
    WHERE account_id = ${accountId} AND webhook_id = ${webhookId} AND deleted_at IS NULL`)
  if (!webhook) throw notFound('webhook')
  return webhook
}

/** Locks and returns a webhook. Throws notFound if the account has none with this ID. */
export async function lockWebhook(
  tx: Transaction,
  { accountId, webhookId }: WebhookKey,
): Promise<Webhook> {
  const webhook = await tx.maybeOne(sql.type(Webhook)`
    SELECT ${columns} FROM webhooks
    WHERE account_id = ${accountId} AND webhook_id = ${webhookId} AND deleted_at IS NULL
    FOR NO KEY UPDATE`)
  if (!webhook) throw notFound('webhook')
  return webhook
}

/** Inserts a webhook that gets the changes after its creation. */
export async function insertWebhook(tx: Transaction, webhook: Webhook): Promise<void> {
  await tx.query(sql.unsafe`${insertOf('webhooks', Webhook, webhook)}`)
  await tx.query(sql.unsafe`
    INSERT INTO webhook_progress (account_id, webhook_id, position)
    VALUES (${webhook.accountId}, ${webhook.webhookId}, ${endOf(webhook.accountId)})`)
  await tell(tx, webhook, { type: 'webhook.created', now: webhook.createdAt })
}

/** Emits a change of a webhook for the feed. */
async function tell(
  tx: Transaction,
  { accountId, webhookId: objectId }: WebhookKey,
  {
    type,
    ...of
  }: { type: `webhook.${'created' | 'updated' | 'deleted'}`; now: Date; cause?: Cause },
): Promise<void> {
  const save = { accountId, ...of }
  await emit(tx, ...objectsChanged(ObjectsChangedSchema, save, [{ type, objectId }]))
}

/** Emits that a request has changed a webhook or its secrets. */
export async function tellUpdate(tx: Transaction, key: WebhookKey, now: Date): Promise<void> {
  await tell(tx, key, { type: 'webhook.updated', now })
}

/** Position of the latest change of an account; 0 before the first one. */
function endOf(accountId: string) {
  return sql.fragment`
    coalesce((SELECT last_position FROM feeds WHERE account_id = ${accountId}), 0)`
}

/** Saves the fields of a webhook that its user can change. */
export async function saveWebhook(tx: Transaction, webhook: Webhook): Promise<void> {
  const { accountId, webhookId } = webhook
  await tx.query(sql.unsafe`
    UPDATE webhooks SET ${assignmentsOf(webhook, [
      'url',
      'types',
      'description',
      'isEnabled',
      'disabledReason',
      'disabledAt',
      'updatedAt',
    ])}
    WHERE account_id = ${accountId} AND webhook_id = ${webhookId}`)
  await tellUpdate(tx, webhook, webhook.updatedAt)
}

/**
 * Moves the position of a webhook to the end of the feed, so that earlier changes are not sent, and
 * clears its failures.
 */
export async function beginAtEnd(
  tx: Transaction,
  { accountId, webhookId }: WebhookKey,
): Promise<void> {
  await tx.query(sql.unsafe`
    UPDATE webhook_progress SET position = ${endOf(accountId)}, due_at = NULL, failures = 0,
      failing_since = NULL, rest_until = NULL, lease_id = NULL, leased_until = NULL
    WHERE account_id = ${accountId} AND webhook_id = ${webhookId}`)
}

/**
 * Makes the pending deliveries of a webhook due at once, and clears its failures. Clears the lease
 * too, so that a running round is not saved.
 */
export async function beginAnew(
  tx: Transaction,
  { accountId, webhookId }: WebhookKey,
  now: Date,
): Promise<void> {
  await tx.query(sql.unsafe`
    UPDATE webhook_deliveries SET next_attempt_at = ${sql.timestamp(now)}
    WHERE account_id = ${accountId} AND webhook_id = ${webhookId} AND status = 'pending'
      AND next_attempt_at IS NOT NULL`)
  await tx.query(sql.unsafe`
    UPDATE webhook_progress SET due_at = ${sql.timestamp(now)}, failures = 0,
      failing_since = NULL, rest_until = NULL, lease_id = NULL, leased_until = NULL
    WHERE account_id = ${accountId} AND webhook_id = ${webhookId}`)
}

/**
 * Gives up the pending deliveries of a webhook. Clears the lease, so that a running round is not
 * saved.
 */
export async function giveUpPending(
  tx: Transaction,
  { accountId, webhookId }: WebhookKey,
  problem: string,
): Promise<void> {
  await tx.query(sql.unsafe`
    UPDATE webhook_deliveries SET status = 'failed', next_attempt_at = NULL, problem = ${problem}
    WHERE account_id = ${accountId} AND webhook_id = ${webhookId} AND status = 'pending'`)
  await tx.query(sql.unsafe`
    UPDATE webhook_progress SET due_at = NULL, rest_until = NULL, lease_id = NULL,
      leased_until = NULL
    WHERE account_id = ${accountId} AND webhook_id = ${webhookId}`)
}

/** Locks a webhook if it is switched on; returns whether it is. */
export function lockEnabled(
  tx: Transaction,
  { accountId, webhookId }: WebhookKey,
): Promise<boolean> {
  return tx.exists(sql.unsafe`
    SELECT FROM webhooks
    WHERE account_id = ${accountId} AND webhook_id = ${webhookId} AND is_enabled
      AND deleted_at IS NULL
    FOR NO KEY UPDATE`)
}

/** Switches a webhook off because of its failures. */
export async function switchOff(
  tx: Transaction,
  { accountId, webhookId }: WebhookKey,
  { reason, now }: { reason: DisabledReason; now: Date },
): Promise<void> {
  await tx.query(sql.unsafe`
    UPDATE webhooks SET is_enabled = false, disabled_reason = ${reason},
      disabled_at = ${sql.timestamp(now)}, updated_at = ${sql.timestamp(now)}
    WHERE account_id = ${accountId} AND webhook_id = ${webhookId}`)
  const cause = { actor: 'job', causeId: webhookId } as const
  await tell(tx, { accountId, webhookId }, { type: 'webhook.updated', now, cause })
}

/**
 * Marks a webhook as deleted and deletes its secrets and its progress, so that nothing more is
 * sent; a sweep removes the deliveries.
 */
export async function deleteWebhook(
  tx: Transaction,
  { accountId, webhookId }: WebhookKey,
  now: Date,
): Promise<void> {
  await tx.query(sql.unsafe`
    UPDATE webhooks SET deleted_at = ${sql.timestamp(now)}
    WHERE account_id = ${accountId} AND webhook_id = ${webhookId}`)
  await tx.query(sql.unsafe`
    DELETE FROM webhook_secrets WHERE account_id = ${accountId} AND webhook_id = ${webhookId}`)
  await tx.query(sql.unsafe`
    DELETE FROM webhook_progress WHERE account_id = ${accountId} AND webhook_id = ${webhookId}`)
  await tell(tx, { accountId, webhookId }, { type: 'webhook.deleted', now })
}
