import type { Database, Transaction } from '@coffer/kit/database'
import { sql } from 'slonik'
import { z } from 'zod'

const Of = z.object({ loginId: z.string() })

/** Lets the bearer of a token set a password; clears away what has expired of that login. */
export async function insertPasswordReset(
  { pool }: Database,
  loginId: string,
  reset: { tokenHash: Buffer; now: Date; expiresAt: Date },
): Promise<void> {
  await pool.query(sql.unsafe`
    WITH expired AS (
      DELETE FROM password_resets
      WHERE login_id = ${loginId} AND expires_at <= ${sql.timestamp(reset.now)}
    )
    INSERT INTO password_resets (token_hash, login_id, expires_at)
    VALUES (${sql.binary(reset.tokenHash)}, ${loginId}, ${sql.timestamp(reset.expiresAt)})`)
}

/** Whether the token may set a password: not used, not expired, its login not disabled. */
export async function isPasswordReset(
  { pool }: Database,
  { tokenHash, now }: { tokenHash: Buffer; now: Date },
): Promise<boolean> {
  return pool.exists(sql.unsafe`
    SELECT FROM password_resets JOIN logins USING (login_id)
    WHERE token_hash = ${sql.binary(tokenHash)} AND expires_at > ${sql.timestamp(now)}
      AND disabled_at IS NULL`)
}

/** Uses a token up, with every other one of its login; null where it cannot be used. */
export async function spendPasswordReset(
  tx: Transaction,
  { tokenHash, now }: { tokenHash: Buffer; now: Date },
): Promise<string | null> {
  const loginId = await tx.maybeOneFirst(sql.type(Of)`
    DELETE FROM password_resets r USING logins l
    WHERE r.token_hash = ${sql.binary(tokenHash)} AND r.expires_at > ${sql.timestamp(now)}
      AND l.login_id = r.login_id AND l.disabled_at IS NULL
    RETURNING r.login_id AS "loginId"`)
  if (loginId !== null) await deletePasswordResets(tx, loginId)
  return loginId
}

export async function deletePasswordResets(tx: Transaction, loginId: string): Promise<void> {
  await tx.query(sql.unsafe`DELETE FROM password_resets WHERE login_id = ${loginId}`)
}
