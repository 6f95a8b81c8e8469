import type { Database, Transaction } from '@coffer/kit/database/database'
import { columnsOf } from '@coffer/kit/database/rows'
import { prepare, read } from '@coffer/kit/database/statement'
import { sql } from 'slonik'
import { z } from 'zod'
import { AccountFacts, SessionCredential } from './credential.ts'
import { type NewSession, Session } from './session.ts'

const accountColumns = columnsOf(AccountFacts, { table: 'a' })

export async function insertSession(tx: Transaction, session: NewSession): Promise<void> {
  const { accountId, userId, sessionId, tokenHash, isPending, deviceName, isForeign } = session
  const now = sql.timestamp(session.now)
  await tx.query(sql.unsafe`
    INSERT INTO sessions (account_id, user_id, session_id, token_hash, is_pending,
      created_at, last_used_at, expires_at, device_name, is_foreign)
    VALUES (${accountId}, ${userId}, ${sessionId}, ${sql.binary(tokenHash)}, ${isPending},
      ${now}, ${now}, ${sql.timestamp(session.expiresAt)}, ${deviceName}, ${isForeign})`)
}

const foundSession = prepare(['tokenHash', 'now', 'idleSince'], (of) => {
  return read(SessionCredential.extend({ lastUsedAt: z.date() }))`
    SELECT s.account_id AS "accountId", s.user_id AS "userId", u.login_id AS "loginId",
      ${accountColumns}, s.session_id AS "sessionId", s.is_pending AS "mfaPending",
      s.expires_at AS "sessionExpiresAt", s.last_used_at AS "lastUsedAt"
    FROM sessions s
    JOIN users u USING (account_id, user_id)
    JOIN logins l USING (login_id)
    JOIN accounts a USING (account_id)
    WHERE s.token_hash = decode(${of.tokenHash}, 'hex') AND s.expires_at > ${of.now}::timestamptz
      AND s.last_used_at > ${of.idleSince}::timestamptz AND l.disabled_at IS NULL`
})

/**
 * Returns the user and account of a session, and when it was last used; null if the session has
 * ended or its login is disabled.
 */
export function findSession(
  { pool }: Database,
  { tokenHash, now, idleSince }: { tokenHash: Buffer; now: Date; idleSince: Date },
): Promise<(SessionCredential & { lastUsedAt: Date }) | null> {
  return pool.maybeOne(
    foundSession({
      tokenHash: tokenHash.toString('hex'),
      now: now.toISOString(),
      idleSince: idleSince.toISOString(),
    }),
  )
}

/** Stores that a session was used at `now`. */
export async function noteSessionUse(
  { pool }: Database,
  { accountId, sessionId }: { accountId: string; sessionId: string },
  now: Date,
): Promise<void> {
  await pool.query(sql.unsafe`
    UPDATE sessions SET last_used_at = ${sql.timestamp(now)}
    WHERE account_id = ${accountId} AND session_id = ${sessionId}
      AND last_used_at < ${sql.timestamp(now)}`)
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

const Ended = z.object({ isForeign: z.boolean() })

/** Ends a pending session; returns null if the ID has no pending session or it has expired. */
export async function endPendingSession(
  tx: Transaction,
  accountId: string,
  { sessionId, now }: { sessionId: string; now: Date },
): Promise<z.infer<typeof Ended> | null> {
  return tx.maybeOne(sql.type(Ended)`
    DELETE FROM sessions
    WHERE account_id = ${accountId} AND session_id = ${sessionId} AND is_pending
      AND expires_at > ${sql.timestamp(now)}
    RETURNING coalesce(is_foreign, false) AS "isForeign"`)
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
      expires_at AS "expiresAt", device_name AS "deviceName"
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
