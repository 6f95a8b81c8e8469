import type { Database, Transaction } from '@coffer/kit/database'
import { notFound } from '@coffer/kit/errors'
import { sql } from 'slonik'
import { z } from 'zod'
import { ApiKey } from './api-key.ts'
import { Credential } from './credential.ts'

const columns = sql.fragment`api_key_id AS "apiKeyId", name, created_at AS "createdAt",
  created_by AS "createdBy", updated_at AS "updatedAt", deleted_at AS "deletedAt"`

const KeyCredential = Credential.extend({ secretHash: z.instanceof(Buffer) })

/** The keys of an account that are not revoked, newest first. */
export async function listApiKeys(
  { pool }: Database,
  accountId: string,
): Promise<readonly ApiKey[]> {
  return pool.any(sql.type(ApiKey)`
    SELECT ${columns} FROM api_keys
    WHERE account_id = ${accountId} AND deleted_at IS NULL ORDER BY api_key_id DESC`)
}

/** Throws UniqueIntegrityConstraintViolationError when a key that is not revoked has the name. */
export async function insertApiKey(
  { pool }: Database,
  accountId: string,
  key: Omit<ApiKey, 'deletedAt'> & { secretHash: Buffer },
): Promise<void> {
  await pool.query(sql.unsafe`
    INSERT INTO api_keys
      (account_id, api_key_id, name, secret_hash, created_by, created_at, updated_at)
    VALUES (${accountId}, ${key.apiKeyId}, ${key.name}, ${sql.binary(key.secretHash)},
      ${key.createdBy}, ${sql.timestamp(key.createdAt)}, ${sql.timestamp(key.updatedAt)})`)
}

/** Throws notFound. */
export async function lockApiKey(
  tx: Transaction,
  accountId: string,
  apiKeyId: string,
): Promise<ApiKey> {
  const key = await tx.maybeOne(sql.type(ApiKey)`
    SELECT ${columns} FROM api_keys
    WHERE account_id = ${accountId} AND api_key_id = ${apiKeyId} FOR NO KEY UPDATE`)
  if (!key) throw notFound('API key')
  return key
}

export async function revokeApiKey(
  tx: Transaction,
  accountId: string,
  { apiKeyId, now }: { apiKeyId: string; now: Date },
): Promise<void> {
  await tx.query(sql.unsafe`
    UPDATE api_keys SET deleted_at = ${sql.timestamp(now)}, updated_at = ${sql.timestamp(now)}
    WHERE account_id = ${accountId} AND api_key_id = ${apiKeyId}`)
}

/** Who a key stands for, with the hash its secret must have; null where revoked or disabled. */
export async function findKeyCredential(
  { pool }: Database,
  apiKeyId: string,
): Promise<z.infer<typeof KeyCredential> | null> {
  return pool.maybeOne(sql.type(KeyCredential)`
    SELECT k.account_id AS "accountId", u.user_id AS "userId", u.login_id AS "loginId",
      a.timezone, a.locale, k.secret_hash AS "secretHash"
    FROM api_keys k
    JOIN users u ON u.account_id = k.account_id AND u.user_id = k.created_by
    JOIN logins l USING (login_id)
    JOIN accounts a ON a.account_id = k.account_id
    WHERE k.api_key_id = ${apiKeyId} AND k.deleted_at IS NULL AND l.disabled_at IS NULL`)
}
