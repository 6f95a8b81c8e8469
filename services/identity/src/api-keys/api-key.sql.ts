import type { Bound } from '@coffer/kit/database/account-bound.sql'
import type { Database, Transaction } from '@coffer/kit/database/database'
import { columnsOf } from '@coffer/kit/database/rows'
import { prepare, read } from '@coffer/kit/database/statement'
import { emit } from '@coffer/kit/events/changes'
import { objectsChanged } from '@coffer/kit/events/objects-changed'
import { say } from '@coffer/kit/reasons/reasons'
import { notFound } from '@coffer/kit/rpc/errors'
import { ObjectsChangedSchema } from '@coffer/proto/identity/v1/events'
import { sql } from 'slonik'
import { z } from 'zod'
import { AccountFacts, Credential } from '../book/credential.ts'
import { ApiKey } from './api-key.ts'

const columns = sql.fragment`api_key_id AS "apiKeyId", name, created_at AS "createdAt",
  created_by AS "createdBy", updated_at AS "updatedAt", deleted_at AS "deletedAt",
  expires_at AS "expiresAt", scope, last_used_at AS "lastUsedAt"`

const accountColumns = columnsOf(AccountFacts, { table: 'a' })

const KeyCredential = Credential.extend({
  isReadOnly: z.boolean(),
  lastUsedAt: z.date().nullable(),
})

/** Returns the API keys of an account that are not revoked, newest first. */
export async function listApiKeys(
  { pool }: Database,
  accountId: string,
): Promise<readonly ApiKey[]> {
  return pool.any(sql.type(ApiKey)`
    SELECT ${columns} FROM api_keys
    WHERE account_id = ${accountId} AND deleted_at IS NULL ORDER BY api_key_id DESC`)
}

/** Inserts an API key. Throws UniqueIntegrityConstraintViolationError if its name is in use. */
export async function insertApiKey(
  tx: Transaction,
  accountId: string,
  key: ApiKey & { secretHash: Buffer },
): Promise<void> {
  await tx.query(sql.unsafe`
    INSERT INTO api_keys
      (account_id, api_key_id, name, secret_hash, created_by, created_at, updated_at,
        expires_at, scope)
    VALUES (${accountId}, ${key.apiKeyId}, ${key.name}, ${sql.binary(key.secretHash)},
      ${key.createdBy}, ${sql.timestamp(key.createdAt)}, ${sql.timestamp(key.updatedAt)},
      ${key.expiresAt && sql.timestamp(key.expiresAt)}, ${key.scope})`)
  const { apiKeyId: objectId, createdAt: now } = key
  const objects = [{ type: 'api_key.created', objectId }] as const
  await emit(tx, ...objectsChanged(ObjectsChangedSchema, { accountId, now }, objects))
}

/** Returns the bound `max` on the API keys of an account; expired keys count until revoked. */
export function apiKeyBound(max: number, accountId: string): Bound {
  return {
    scope: `api_keys ${accountId}`,
    rows: sql.fragment`
      SELECT FROM api_keys WHERE account_id = ${accountId} AND deleted_at IS NULL`,
    max,
    refusal: say('API_KEYS_MAX', { max }),
  }
}

/** Locks an API key and returns its row; throws notFound for an unknown ID. */
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

/** Marks an API key as revoked, so that requests with it are refused; the row is kept. */
export async function revokeApiKey(
  tx: Transaction,
  accountId: string,
  { apiKeyId, now }: { apiKeyId: string; now: Date },
): Promise<void> {
  await tx.query(sql.unsafe`
    UPDATE api_keys SET deleted_at = ${sql.timestamp(now)}, updated_at = ${sql.timestamp(now)}
    WHERE account_id = ${accountId} AND api_key_id = ${apiKeyId}`)
  const objects = [{ type: 'api_key.deleted', objectId: apiKeyId }] as const
  await emit(tx, ...objectsChanged(ObjectsChangedSchema, { accountId, now }, objects))
}

const foundKey = prepare(['apiKeyId', 'secretHash', 'now'], (of) => {
  return read(KeyCredential)`
    SELECT k.account_id AS "accountId", u.user_id AS "userId", u.login_id AS "loginId",
      ${accountColumns}, k.scope = 'read' AS "isReadOnly", k.last_used_at AS "lastUsedAt"
    FROM api_keys k
    JOIN users u ON u.account_id = k.account_id AND u.user_id = k.created_by
    JOIN logins l USING (login_id)
    JOIN accounts a ON a.account_id = k.account_id
    WHERE k.api_key_id = ${of.apiKeyId} AND k.secret_hash = decode(${of.secretHash}, 'hex')
      AND k.deleted_at IS NULL AND (k.expires_at IS NULL OR k.expires_at > ${of.now}::timestamptz)
      AND l.disabled_at IS NULL`
})

/**
 * Returns the user and account of an API key, and the time of its last use (null before the first).
 * Returns null if the secret is wrong, the key revoked or expired, or the login disabled.
 */
export function findApiKey(
  { pool }: Database,
  { apiKeyId, secretHash, now }: { apiKeyId: string; secretHash: Buffer; now: Date },
): Promise<z.infer<typeof KeyCredential> | null> {
  const hash = secretHash.toString('hex')
  return pool.maybeOne(foundKey({ apiKeyId, secretHash: hash, now: now.toISOString() }))
}

/** Stores that an API key was used at `now`. */
export async function noteApiKeyUse(
  { pool }: Database,
  { accountId, apiKeyId }: { accountId: string; apiKeyId: string },
  now: Date,
): Promise<void> {
  await pool.query(sql.unsafe`
    UPDATE api_keys SET last_used_at = ${sql.timestamp(now)}
    WHERE account_id = ${accountId} AND api_key_id = ${apiKeyId}
      AND (last_used_at IS NULL OR last_used_at < ${sql.timestamp(now)})`)
}
