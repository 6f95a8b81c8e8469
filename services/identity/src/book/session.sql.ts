import type { Database, Transaction } from '@coffer/kit/database/database'
import { columnsOf } from '@coffer/kit/database/rows'
import { sql } from 'slonik'
import { AccountFacts, SessionCredential } from './credential.ts'
import { type NewSession, Session } from './session.ts'

const accountColumns = columnsOf(AccountFacts, { table: 'a' })

export async function insertSession(tx: Transaction, session: NewSession): Promise<void> {
  const { accountId, userId, sessionId, tokenHash, isPending } = session
  const now = sql.timestamp(session.now)
  await tx.query(sql.unsafe`
    INSERT INTO sessions (account_id, user_id, session_id, token_hash, is_pending,
      created_at, last_used_at, expires_at)
    VALUES (${accountId}, ${userId}, ${sessionId}, ${sql.binary(tokenHash)}, ${isPending},
      ${now}, ${now}, ${sql.timestamp(session.expiresAt)})`)
}

/**
 * Returns the user and account of a session; null if the session has ended or its login is
 * disabled. Sets `last_used_at` to `now`, unless it is later than `notedSince`, to spare writes.
 * With `notedSince` null the statement only reads, which a read-only server accepts.
 */
export async function useSession(
  { pool }: Database,
  use: { tokenHash: Buffer; now: Date; idleSince: Date; notedSince: Date | null },
): Promise<SessionCredential | null> {
  const now = sql.timestamp(use.now)
  const noted =
    use.notedSince === null
      ? sql.fragment``
      : sql.fragment`, noted AS (
      UPDATE sessions SET last_used_at = ${now} FROM live
      WHERE sessions.token_hash = live.token_hash
        AND live.last_used_at <= ${sql.timestamp(use.notedSince)}
    )`
  return pool.maybeOne(sql.type(SessionCredential)`
    WITH live AS (
      SELECT s.account_id, s.user_id, s.session_id, s.token_hash, s.is_pending, s.last_used_at,
        u.login_id, ${accountColumns}
      FROM sessions s
      JOIN users u USING (account_id, user_id)
      JOIN logins l USING (login_id)
      JOIN accounts a USING (account_id)
      WHERE s.token_hash = ${sql.binary(use.tokenHash)} AND s.expires_at > ${now}
        AND s.last_used_at > ${sql.timestamp(use.idleSince)} AND l.disabled_at IS NULL
    )${noted}
    SELECT account_id AS "accountId", user_id AS "userId", login_id AS "loginId", timezone, locale,
      "trialEndsAt", "subscriptionActiveUntil", "subscriptionStatus",
      session_id AS "sessionId", is_pending AS "mfaPending"
    FROM live`)
}

/** Ends the session of a token; does nothing for an unknown token. */
export async function deleteSession(
  connection: Pick<Transaction, 'query'>,
  tokenHash: Buffer,
): Promise<void> {
  await connection.query(
    sql.unsafe`DELETE FROM sessions WHERE token_hash = ${sql.binary(tokenHash)}`,
  )
}

/** Ends a pending session; returns false if the ID has no pending session or it has expired. */
export async function endPendingSession(
  tx: Transaction,
  accountId: string,
  { sessionId, now }: { sessionId: string; now: Date },
): Promise<boolean> {
  const { rowCount } = await tx.query(sql.unsafe`
    DELETE FROM sessions
    WHERE account_id = ${accountId} AND session_id = ${sessionId} AND is_pending
      AND expires_at > ${sql.timestamp(now)}`)
  return rowCount === 1
}

/** Ends all sessions of a login, in all its accounts, except the session with the ID `except`. */
export async function endSessionsOfLogin(
  tx: Transaction,
  loginId: string,
  { except }: { except: string },
): Promise<void> {
  await tx.query(sql.unsafe`
    DELETE FROM sessions s USING users u
    WHERE u.login_id = ${loginId} AND s.account_id = u.account_id AND s.user_id = u.user_id
      AND s.session_id <> ${except}`)
}

/** Ends all sessions of all logins. */
export async function endEverySession({ pool }: Database): Promise<void> {
  await pool.query(sql.unsafe`DELETE FROM sessions`)
}

/** Returns the instant at which a session began; null for an unknown session. */
export async function findSessionStart(
  { pool }: Database,
  accountId: string,
  sessionId: string,
): Promise<Date | null> {
  return pool.maybeOneFirst(sql.type(Session.pick({ createdAt: true }))`
    SELECT created_at AS "createdAt" FROM sessions
    WHERE account_id = ${accountId} AND session_id = ${sessionId}`)
}

/** Returns the sessions of a user that are not pending and have not ended, newest first. */
export async function listSessions(
  { pool }: Database,
  accountId: string,
  { userId, now, idleSince }: { userId: string; now: Date; idleSince: Date },
): Promise<readonly Session[]> {
  return pool.any(sql.type(Session)`
    SELECT session_id AS "sessionId", created_at AS "createdAt", last_used_at AS "lastUsedAt",
      expires_at AS "expiresAt"
    FROM sessions
    WHERE account_id = ${accountId} AND user_id = ${userId} AND NOT is_pending
      AND expires_at > ${sql.timestamp(now)} AND last_used_at > ${sql.timestamp(idleSince)}
    ORDER BY session_id DESC`)
}

/** Ends one session of a user; returns false for an unknown session. */
export async function endSession(
  tx: Transaction,
  accountId: string,
  { userId, sessionId }: { userId: string; sessionId: string },
): Promise<boolean> {
  const { rowCount } = await tx.query(sql.unsafe`
    DELETE FROM sessions
    WHERE account_id = ${accountId} AND user_id = ${userId} AND session_id = ${sessionId}`)
  return rowCount === 1
}
