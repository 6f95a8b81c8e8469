import type { Database, Transaction } from '@coffer/kit/database'
import { sql } from 'slonik'
import { Credential } from './credential.ts'
import type { NewSession } from './session.ts'

// Each session that begins clears away a few that have ended, so the table does not grow for ever.
const endedMax = 10

/** Begins a session. */
export async function insertSession(tx: Transaction, session: NewSession): Promise<void> {
  const { accountId, userId, tokenHash } = session
  const now = sql.timestamp(session.now)
  await tx.query(sql.unsafe`
    WITH ended AS (
      DELETE FROM sessions WHERE token_hash = ANY(ARRAY(
        SELECT token_hash FROM sessions WHERE expires_at <= ${now}
        ORDER BY expires_at LIMIT ${endedMax} FOR UPDATE SKIP LOCKED))
    )
    INSERT INTO sessions (account_id, user_id, token_hash, created_at, last_used_at, expires_at)
    VALUES (${accountId}, ${userId}, ${sql.binary(tokenHash)}, ${now}, ${now},
      ${sql.timestamp(session.expiresAt)})`)
}

/**
 * Who the session stands for, or null where it has ended or its login is disabled. Notes the use
 * where the last one noted is before `notedSince`.
 */
export async function useSession(
  { pool }: Database,
  use: { tokenHash: Buffer; now: Date; idleSince: Date; notedSince: Date },
): Promise<Credential | null> {
  const now = sql.timestamp(use.now)
  return pool.maybeOne(sql.type(Credential)`
    WITH live AS (
      SELECT s.account_id, s.user_id, s.token_hash, s.last_used_at, u.login_id, a.timezone, a.locale
      FROM sessions s
      JOIN users u USING (account_id, user_id)
      JOIN logins l USING (login_id)
      JOIN accounts a USING (account_id)
      WHERE s.token_hash = ${sql.binary(use.tokenHash)} AND s.expires_at > ${now}
        AND s.last_used_at > ${sql.timestamp(use.idleSince)} AND l.disabled_at IS NULL
    ), noted AS (
      UPDATE sessions SET last_used_at = ${now} FROM live
      WHERE sessions.token_hash = live.token_hash
        AND live.last_used_at <= ${sql.timestamp(use.notedSince)}
    )
    SELECT account_id AS "accountId", user_id AS "userId", login_id AS "loginId", timezone, locale
    FROM live`)
}

/** Ends a session; nothing happens where there is none. */
export async function deleteSession({ pool }: Database, tokenHash: Buffer): Promise<void> {
  await pool.query(sql.unsafe`DELETE FROM sessions WHERE token_hash = ${sql.binary(tokenHash)}`)
}
