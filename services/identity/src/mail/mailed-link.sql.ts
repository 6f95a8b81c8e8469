import type { Database, Transaction } from '@coffer/kit/database/database'
import { say } from '@coffer/kit/reasons/reasons'
import { refused } from '@coffer/kit/rpc/errors'
import { sql } from 'slonik'
import { z } from 'zod'
import { Person } from '../book/login.ts'

/** Purpose of a link: to set a new password, to verify an address, or to change to another one. */
export type MailedLinkPurpose = 'reset' | 'verify' | 'change'

/** The hash of a token that a client sent, and the purpose that the RPC requires. */
export interface PresentedToken {
  tokenHash: Buffer
  purpose: MailedLinkPurpose
  now: Date
}

const Consumed = z.object({
  loginId: z.string(),
  /**
   * Whether a password reset by the link unlocks the second factor. True if the link was mailed or
   * printed for an operator.
   */
  unlocksCodes: z.boolean(),
})

/**
 * Stores the hash of a link's token, which is valid before `expiresAt`. `email` is the address to
 * which the link is mailed; it is stored only for a change to this address.
 */
export async function insertMailedLink(
  connection: Pick<Transaction, 'query'>,
  loginId: string,
  token: {
    tokenHash: Buffer
    purpose: MailedLinkPurpose
    expiresAt: Date
    unlocksCodes: boolean
    email?: string
  },
): Promise<void> {
  await connection.query(sql.unsafe`
    INSERT INTO link_tokens (token_hash, login_id, scope, mailed_to, expires_at, unlocks_codes)
    VALUES (${sql.binary(token.tokenHash)}, ${loginId}, ${token.purpose},
      ${token.purpose === 'change' ? (token.email ?? null) : null},
      ${sql.timestamp(token.expiresAt)}, ${token.unlocksCodes})`)
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
 * Validates a link that verifies an address or confirms a new one; does not consume it. Throws
 * refused (400) if neither `consumeChangeLink` nor `consumeMailedLink` would accept it.
 */
export async function requireVerificationLink(
  { pool }: Database,
  { tokenHash, now }: Pick<PresentedToken, 'tokenHash' | 'now'>,
): Promise<void> {
  const isValid = await pool.exists(sql.unsafe`
    SELECT FROM link_tokens t JOIN logins l USING (login_id)
    WHERE t.token_hash = ${sql.binary(tokenHash)} AND t.expires_at > ${sql.timestamp(now)}
      AND l.disabled_at IS NULL
      AND (t.scope = 'verify' OR (t.scope = 'change' AND l.pending_email = t.mailed_to))`)
  if (!isValid) throw linkNotValid()
}

/** Locks the login of a link, because a login is locked before its other rows (`lockLogin`). */
async function lockLoginOf(tx: Transaction, tokenHash: Buffer): Promise<void> {
  await tx.query(sql.unsafe`
    SELECT FROM logins
    WHERE login_id = (SELECT login_id FROM link_tokens WHERE token_hash = ${sql.binary(tokenHash)})
    FOR NO KEY UPDATE`)
}

/**
 * Consumes a link and all other links of the same login and purpose; returns the login's ID, and
 * whether the link unlocks the login's second factor. Throws refused (400) as `requireMailedLink`
 * does.
 */
export async function consumeMailedLink(
  tx: Transaction,
  { tokenHash, purpose, now }: PresentedToken,
): Promise<z.infer<typeof Consumed>> {
  await lockLoginOf(tx, tokenHash)
  const consumed = await tx.maybeOne(sql.type(Consumed)`
    DELETE FROM link_tokens t USING logins l
    WHERE t.token_hash = ${sql.binary(tokenHash)} AND t.scope = ${purpose}
      AND t.expires_at > ${sql.timestamp(now)}
      AND l.login_id = t.login_id AND l.disabled_at IS NULL
    RETURNING t.login_id AS "loginId", t.unlocks_codes AS "unlocksCodes"`)
  if (consumed === null) throw linkNotValid()
  await deleteMailedLinks(tx, consumed.loginId, purpose)
  return consumed
}

const Changing = z.object({ loginId: z.string(), email: z.string() })

/**
 * Consumes the link that confirms a new address; returns the login and the address. Returns null if
 * the token has another purpose, or the link is invalid, for example because the login has
 * requested another address since.
 */
export async function consumeChangeLink(
  tx: Transaction,
  { tokenHash, now }: Pick<PresentedToken, 'tokenHash' | 'now'>,
): Promise<z.infer<typeof Changing> | null> {
  await lockLoginOf(tx, tokenHash)
  return tx.maybeOne(sql.type(Changing)`
    DELETE FROM link_tokens t USING logins l
    WHERE t.token_hash = ${sql.binary(tokenHash)} AND t.scope = 'change'
      AND t.expires_at > ${sql.timestamp(now)}
      AND l.login_id = t.login_id AND l.disabled_at IS NULL AND l.pending_email = t.mailed_to
    RETURNING t.login_id AS "loginId", t.mailed_to AS email`)
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
  return refused(say('MAILED_LINK_USED'))
}
