import type { Database, Transaction } from '@coffer/kit/database/database'
import { changeOf, emit } from '@coffer/kit/events/changes'
import { AccountDeletionRequestedSchema } from '@coffer/proto/identity/v1/events'
import { sql } from 'slonik'
import { z } from 'zod'

const Id = z.object({ accountId: z.string() })

/**
 * Stores and emits the request to delete an account. Deletes its sessions and API keys, and
 * disables its logins that have no other account; a workflow deletes all other rows.
 */
export async function requestDeletion(
  tx: Transaction,
  accountId: string,
  now: Date,
): Promise<void> {
  const at = sql.timestamp(now)
  await tx.query(sql.unsafe`
    INSERT INTO account_deletions (account_id, requested_at) VALUES (${accountId}, ${at})
    ON CONFLICT DO NOTHING`)
  await tx.query(sql.unsafe`DELETE FROM sessions WHERE account_id = ${accountId}`)
  await tx.query(sql.unsafe`DELETE FROM api_keys WHERE account_id = ${accountId}`)
  await tx.query(sql.unsafe`
    UPDATE logins SET disabled_at = coalesce(disabled_at, ${at})
    FROM users WHERE users.account_id = ${accountId} AND users.login_id = logins.login_id
      AND NOT EXISTS (SELECT FROM users AS other
        WHERE other.login_id = logins.login_id AND other.account_id <> ${accountId})`)
  const subject = { accountId, entityId: accountId, version: 1n }
  await emit(tx, changeOf(AccountDeletionRequestedSchema, subject, { accountId }))
}

/** Returns account IDs above `after`, ascending, whose deletion was requested before `before`. */
export async function listDeletions(
  { pool }: Database,
  page: { before: Date; after: string; limit: number },
): Promise<readonly string[]> {
  return pool.anyFirst(sql.type(Id)`
    SELECT account_id AS "accountId" FROM account_deletions
    WHERE requested_at < ${sql.timestamp(page.before)} AND account_id > ${page.after}
    ORDER BY account_id LIMIT ${page.limit}`)
}

/** Returns when the account's deletion was requested; null if it was not, or is complete. */
export function findDeletion({ pool }: Database, accountId: string): Promise<Date | null> {
  return pool.maybeOneFirst(sql.type(z.object({ requestedAt: z.date() }))`
    SELECT requested_at AS "requestedAt" FROM account_deletions WHERE account_id = ${accountId}`)
}

/**
 * Deletes the account's users, and its logins that have no other account. Foreign keys (ON DELETE
 * CASCADE) delete the rows of these users and logins.
 */
export async function removeLogins({ pool }: Database, accountId: string): Promise<void> {
  await pool.query(sql.unsafe`
    WITH gone AS (DELETE FROM users WHERE account_id = ${accountId} RETURNING login_id)
    DELETE FROM logins USING gone
    WHERE logins.login_id = gone.login_id AND NOT EXISTS (SELECT FROM users AS other
      WHERE other.login_id = gone.login_id AND other.account_id <> ${accountId})`)
}

/** Deletes the request row, after the deletion of the account is complete. */
export async function settleDeletion({ pool }: Database, accountId: string): Promise<void> {
  await pool.query(sql.unsafe`DELETE FROM account_deletions WHERE account_id = ${accountId}`)
}
