import type { Database, Transaction } from '@coffer/kit/database/database'
import { refused } from '@coffer/kit/rpc/errors'
import { sql } from 'slonik'
import { z } from 'zod'
import { Login } from '../sign-in/login.ts'

/** What the bearer of a link may do: set a new password, or verify an email address. */
export type LinkScope = 'reset' | 'verify'

/** A token as somebody shows it: good for its own scope alone. */
export interface ShownToken {
  tokenHash: Buffer
  scope: LinkScope
  now: Date
}

const Bearer = Login.pick({ email: true, firstName: true, lastName: true })
type Bearer = z.infer<typeof Bearer>

const Of = z.object({ loginId: z.string() })

/** Stores a token of a login. */
export async function insertLinkToken(
  connection: Pick<Transaction, 'query'>,
  loginId: string,
  token: { tokenHash: Buffer; scope: LinkScope; expiresAt: Date },
): Promise<void> {
  await connection.query(sql.unsafe`
    INSERT INTO link_tokens (token_hash, login_id, scope, expires_at)
    VALUES (${sql.binary(token.tokenHash)}, ${loginId}, ${token.scope},
      ${sql.timestamp(token.expiresAt)})`)
}

/**
 * Whose token it is. Throws refused unless it counts: of that scope, not used or expired, of a live
 * login.
 */
export async function requireLinkToken(
  { pool }: Database,
  { tokenHash, scope, now }: ShownToken,
): Promise<Bearer> {
  const bearer = await pool.maybeOne(sql.type(Bearer)`
    SELECT email, first_name AS "firstName", last_name AS "lastName"
    FROM link_tokens JOIN logins USING (login_id)
    WHERE token_hash = ${sql.binary(tokenHash)} AND scope = ${scope}
      AND expires_at > ${sql.timestamp(now)} AND disabled_at IS NULL`)
  if (!bearer) throw linkNotValid()
  return bearer
}

/**
 * Uses a token up, with every other one of its login and scope; returns the login. Throws refused
 * where it does not count.
 */
export async function spendLinkToken(
  tx: Transaction,
  { tokenHash, scope, now }: ShownToken,
): Promise<string> {
  const loginId = await tx.maybeOneFirst(sql.type(Of)`
    DELETE FROM link_tokens t USING logins l
    WHERE t.token_hash = ${sql.binary(tokenHash)} AND t.scope = ${scope}
      AND t.expires_at > ${sql.timestamp(now)}
      AND l.login_id = t.login_id AND l.disabled_at IS NULL
    RETURNING t.login_id AS "loginId"`)
  if (loginId === null) throw linkNotValid()
  await deleteLinkTokens(tx, loginId, scope)
  return loginId
}

/** Uses up what a login was sent for that purpose. */
export async function deleteLinkTokens(
  tx: Transaction,
  loginId: string,
  scope: LinkScope,
): Promise<void> {
  await tx.query(sql.unsafe`
    DELETE FROM link_tokens WHERE login_id = ${loginId} AND scope = ${scope}`)
}

/** The refusal of a link that was used, has expired or is of a login that has gone. */
export function linkNotValid(): Error {
  return refused('this link was used or is not valid any more: ask for another')
}
