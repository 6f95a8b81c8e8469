import type { Database, Transaction } from '@coffer/kit/database/database'
import { refused } from '@coffer/kit/rpc/errors'
import { sql } from 'slonik'
import { z } from 'zod'
import { Person } from '../sign-in/login.ts'

/** Purpose of a link: to set a new password, or to verify an email address. */
export type MailedLinkPurpose = 'reset' | 'verify'

/** The hash of a token that a client sent, and the purpose that the RPC requires. */
export interface PresentedToken {
  tokenHash: Buffer
  purpose: MailedLinkPurpose
  now: Date
}

const Owner = z.object({ loginId: z.string() })

/** Stores the hash of a link's token, which is valid before `expiresAt`. */
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
 * Returns address and names of the login of a mailed link; does not consume the link. Throws
 * refused (400) if the link is unknown, consumed, expired or of another purpose, or the login is
 * disabled.
 */
export async function requireMailedLink(
  { pool }: Database,
  { tokenHash, purpose, now }: PresentedToken,
): Promise<Person> {
  const person = await pool.maybeOne(sql.type(Person)`
    SELECT email, first_name AS "firstName", last_name AS "lastName"
    FROM link_tokens JOIN logins USING (login_id)
    WHERE token_hash = ${sql.binary(tokenHash)} AND scope = ${purpose}
      AND expires_at > ${sql.timestamp(now)} AND disabled_at IS NULL`)
  if (!person) throw linkNotValid()
  return person
}

/**
 * Consumes a link and all other links of the same login and purpose; returns the login's ID. Throws
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

/** Deletes all mailed links of a login for a purpose, so that their tokens are refused. */
export async function deleteMailedLinks(
  tx: Transaction,
  loginId: string,
  purpose: MailedLinkPurpose,
): Promise<void> {
  await tx.query(sql.unsafe`
    DELETE FROM link_tokens WHERE login_id = ${loginId} AND scope = ${purpose}`)
}

/** Returns the refusal (400) of an invalid link. Its text does not disclose why it is invalid. */
export function linkNotValid(): Error {
  return refused('this link was used or is not valid any more: ask for another')
}
