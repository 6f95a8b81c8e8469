import type { Database, Transaction } from '@coffer/kit/database/database'
import { refused } from '@coffer/kit/rpc/errors'
import { sql } from 'slonik'
import { z } from 'zod'
import { Login } from '../sign-in/login.ts'

/** Purpose of a link: to set a new password, or to verify an email address. */
export type MailedLinkPurpose = 'reset' | 'verify'

/** A token that a client sent, and the purpose that the called RPC requires. */
export interface PresentedToken {
  tokenHash: Buffer
  purpose: MailedLinkPurpose
  now: Date
}

const Bearer = Login.pick({ email: true, firstName: true, lastName: true })
type Bearer = z.infer<typeof Bearer>

const Owner = z.object({ loginId: z.string() })

/** Stores the hash of a link's token; `expiresAt` is exclusive. */
export async function insertMailedLink(
  connection: Pick<Transaction, 'query'>,
  loginId: string,
  token: { tokenHash: Buffer; purpose: MailedLinkPurpose; expiresAt: Date },
): Promise<void> {
  await connection.query(sql.unsafe`
    INSERT INTO link_tokens (token_hash, login_id, scope, expires_at)
    VALUES (${sql.binary(token.tokenHash)}, ${loginId}, ${token.purpose},
      ${sql.timestamp(token.expiresAt)})`)
}

/**
 * Returns address and names of the token's login, without consuming the token. Throws refused (400)
 * unless the token has that purpose, is neither used nor expired, and its login is not disabled.
 */
export async function requireMailedLink(
  { pool }: Database,
  { tokenHash, purpose, now }: PresentedToken,
): Promise<Bearer> {
  const bearer = await pool.maybeOne(sql.type(Bearer)`
    SELECT email, first_name AS "firstName", last_name AS "lastName"
    FROM link_tokens JOIN logins USING (login_id)
    WHERE token_hash = ${sql.binary(tokenHash)} AND scope = ${purpose}
      AND expires_at > ${sql.timestamp(now)} AND disabled_at IS NULL`)
  if (!bearer) throw linkNotValid()
  return bearer
}

/**
 * Consumes a token and every other one of its login and purpose. Returns the login's ID. Throws
 * refused (400) as `requireMailedLink` does.
 */
export async function consumeMailedLink(
  tx: Transaction,
  { tokenHash, purpose, now }: PresentedToken,
): Promise<string> {
  const loginId = await tx.maybeOneFirst(sql.type(Owner)`
    DELETE FROM link_tokens t USING logins l
    WHERE t.token_hash = ${sql.binary(tokenHash)} AND t.scope = ${purpose}
      AND t.expires_at > ${sql.timestamp(now)}
      AND l.login_id = t.login_id AND l.disabled_at IS NULL
    RETURNING t.login_id AS "loginId"`)
  if (loginId === null) throw linkNotValid()
  await deleteMailedLinks(tx, loginId, purpose)
  return loginId
}

/** Invalidates every link of a login for that purpose. */
export async function deleteMailedLinks(
  tx: Transaction,
  loginId: string,
  purpose: MailedLinkPurpose,
): Promise<void> {
  await tx.query(sql.unsafe`
    DELETE FROM link_tokens WHERE login_id = ${loginId} AND scope = ${purpose}`)
}

/**
 * Returns the refusal (400) of every invalid link. One text for all causes: the answer discloses
 * nothing about the login.
 */
export function linkNotValid(): Error {
  return refused('this link was used or is not valid any more: ask for another')
}
