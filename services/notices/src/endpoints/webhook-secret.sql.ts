import type { Queries, Transaction } from '@coffer/kit/database/database'
import { read } from '@coffer/kit/database/statement'
import type { SealedSecret } from '@coffer/kit/secrets/secrets'
import { sql } from 'slonik'
import { z } from 'zod'
import type { WebhookKey } from './webhook.sql.ts'

/** A secret of a webhook, sealed: encrypted and bound to its row. */
const SealedRow = z.object({
  webhookSecretId: z.string(),
  keyId: z.string(),
  dataKey: z.instanceof(Buffer),
  ciphertext: z.instanceof(Buffer),
})

export async function insertSecret(
  tx: Transaction,
  { accountId, webhookId }: WebhookKey,
  { webhookSecretId, now, sealed }: { webhookSecretId: string; now: Date; sealed: SealedSecret },
): Promise<void> {
  await tx.query(sql.unsafe`
    INSERT INTO webhook_secrets
      (account_id, webhook_id, webhook_secret_id, created_at, key_id, data_key, ciphertext)
    VALUES (${accountId}, ${webhookId}, ${webhookSecretId}, ${sql.timestamp(now)},
      ${sealed.keyId}, ${sql.binary(sealed.dataKey)}, ${sql.binary(sealed.ciphertext)})`)
}

/**
 * Ends the current and the oldest valid secret at `endsAt` or earlier, and deletes the others. The
 * oldest stays because the receiver may know no other: answers with later ones may be lost.
 */
export async function endSecrets(
  tx: Transaction,
  { accountId, webhookId }: WebhookKey,
  { endsAt, now }: { endsAt: Date; now: Date },
): Promise<void> {
  await tx.query(sql.unsafe`
    DELETE FROM webhook_secrets
    WHERE account_id = ${accountId} AND webhook_id = ${webhookId} AND ends_at IS NOT NULL
      AND webhook_secret_id <> (
        SELECT min(webhook_secret_id) FROM webhook_secrets
        WHERE account_id = ${accountId} AND webhook_id = ${webhookId}
          AND (ends_at IS NULL OR ends_at > ${sql.timestamp(now)}))`)
  await tx.query(sql.unsafe`
    UPDATE webhook_secrets SET ends_at = least(ends_at, ${sql.timestamp(endsAt)})
    WHERE account_id = ${accountId} AND webhook_id = ${webhookId}`)
}

/** Deletes former secrets, which are those with an end. */
export async function deleteFormerSecrets(
  tx: Transaction,
  { accountId, webhookId }: WebhookKey,
): Promise<void> {
  await tx.query(sql.unsafe`
    DELETE FROM webhook_secrets
    WHERE account_id = ${accountId} AND webhook_id = ${webhookId} AND ends_at IS NOT NULL`)
}

/** Returns the valid secrets of a webhook, the newest first: at most three. */
export function listSecrets(
  { pool }: { pool: Queries },
  { accountId, webhookId }: WebhookKey,
  now: Date,
): Promise<readonly z.infer<typeof SealedRow>[]> {
  return pool.any(read(SealedRow)`
    SELECT webhook_secret_id AS "webhookSecretId", key_id AS "keyId", data_key AS "dataKey",
      ciphertext
    FROM webhook_secrets
    WHERE account_id = ${accountId} AND webhook_id = ${webhookId}
      AND (ends_at IS NULL OR ends_at > ${sql.timestamp(now)})
    ORDER BY webhook_secret_id DESC LIMIT 3`)
}
