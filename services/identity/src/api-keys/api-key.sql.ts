import type { Bound } from '@coffer/kit/database/account-bound.sql'
import type { Database, Transaction } from '@coffer/kit/database/database'
import { columnsOf } from '@coffer/kit/database/rows'
import { notFound } from '@coffer/kit/rpc/errors'
import { sql } from 'slonik'
import { z } from 'zod'
import { AccountFacts, Credential } from '../book/credential.ts'
import { ApiKey } from './api-key.ts'

const columns = sql.fragment`api_key_id AS "apiKeyId", name, created_at AS "createdAt",
  created_by AS "createdBy", updated_at AS "updatedAt", deleted_at AS "deletedAt",
  expires_at AS "expiresAt", scope, last_used_at AS "lastUsedAt"`

const accountColumns = columnsOf(AccountFacts, { table: 'a' })

const KeyCredential = Credential.extend({ isReadOnly: z.boolean() })

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
}

/** Returns the bound `max` on the API keys of an account; expired keys count until revoked. */
export function apiKeyBound(max: number, accountId: string): Bound {
  return {
    scope: `api_keys ${accountId}`,
    rows: sql.fragment`
      SELECT FROM api_keys WHERE account_id = ${accountId} AND deleted_at IS NULL`,
    max,
    refusal: `an account has at most ${max} API keys: revoke one first`,
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
}

/**
 * Returns the user and account of an API key; null if the secret is wrong, the key revoked or
 * expired, or the login disabled. Sets `last_used_at` to `now`, unless it is later than
 * `notedSince`, to spare a write per request. With `notedSince` null the statement only reads,
 * which a read-only server accepts.
 */
export async function useApiKey(
  { pool }: Database,
  use: { apiKeyId: string; secretHash: Buffer; now: Date; notedSince: Date | null },
): Promise<z.infer<typeof KeyCredential> | null> {
  const now = sql.timestamp(use.now)
  const noted =
    use.notedSince === null
      ? sql.fragment``
      : sql.fragment`, noted AS (
      UPDATE api_keys k SET last_used_at = ${now} FROM live
      WHERE k.account_id = live.account_id AND k.api_key_id = live.api_key_id
        AND (live.last_used_at IS NULL OR live.last_used_at <= ${sql.timestamp(use.notedSince)})
    )`
  return pool.maybeOne(sql.type(KeyCredential)`
    WITH live AS (
      SELECT k.account_id, k.api_key_id, k.scope, k.last_used_at, u.user_id, u.login_id,
        ${accountColumns}
      FROM api_keys k
      JOIN users u ON u.account_id = k.account_id AND u.user_id = k.created_by
      JOIN logins l USING (login_id)
      JOIN accounts a ON a.account_id = k.account_id
      WHERE k.api_key_id = ${use.apiKeyId} AND k.secret_hash = ${sql.binary(use.secretHash)}
        AND k.deleted_at IS NULL AND (k.expires_at IS NULL OR k.expires_at > ${now})
        AND l.disabled_at IS NULL
    )${noted}
    SELECT account_id AS "accountId", user_id AS "userId", login_id AS "loginId", timezone, locale,
      "trialEndsAt", "subscriptionActiveUntil", "subscriptionStatus",
      scope = 'read' AS "isReadOnly"
    FROM live`)
}
