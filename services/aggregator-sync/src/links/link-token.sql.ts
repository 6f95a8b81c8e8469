import type { Database, Transaction } from '@coffer/kit/database/database'
import type { SealedSecret } from '@coffer/kit/secrets/secrets'
import { sql } from 'slonik'
import { z } from 'zod'

/** A user of an account. */
export interface UserKey {
  accountId: string
  userId: string
}

const SealedToken = z.object({
  keyId: z.string(),
  dataKey: z.instanceof(Buffer),
  ciphertext: z.instanceof(Buffer),
})

/** Returns the sealed link token of a user that expires after `after`; null without one. */
export function findLinkToken(
  { pool }: Database,
  { accountId, userId }: UserKey,
  after: Date,
): Promise<SealedSecret | null> {
  return pool.maybeOne(sql.type(SealedToken)`
    SELECT key_id AS "keyId", data_key AS "dataKey", ciphertext FROM link_tokens
    WHERE account_id = ${accountId} AND user_id = ${userId}
      AND expires_at > ${after.toISOString()}`)
}

/** Stores the link token of a user instead of an earlier one. */
export async function saveLinkToken(
  { pool }: Database,
  { accountId, userId }: UserKey,
  { keyId, dataKey, ciphertext, expiresAt }: SealedSecret & { expiresAt: Date },
): Promise<void> {
  await pool.query(sql.unsafe`
    INSERT INTO link_tokens (account_id, user_id, expires_at, key_id, data_key, ciphertext)
    SELECT ${accountId}, ${userId}, ${expiresAt.toISOString()}::timestamptz, ${keyId},
      ${sql.binary(dataKey)}, ${sql.binary(ciphertext)}
    WHERE NOT EXISTS (SELECT FROM deleted_accounts WHERE account_id = ${accountId})
    ON CONFLICT (account_id, user_id) DO UPDATE SET expires_at = excluded.expires_at,
      key_id = excluded.key_id, data_key = excluded.data_key, ciphertext = excluded.ciphertext`)
}

/** Deletes the used link token of a user. */
export async function deleteLinkToken(
  { pool }: Database | { pool: Transaction },
  { accountId, userId }: UserKey,
): Promise<void> {
  await pool.query(sql.unsafe`
    DELETE FROM link_tokens WHERE account_id = ${accountId} AND user_id = ${userId}`)
}
