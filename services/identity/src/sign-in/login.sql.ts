import type { Database, Transaction } from '@coffer/kit/database/database'
import { unauthenticated } from '@coffer/kit/rpc/errors'
import { sql } from 'slonik'
import { z } from 'zod'
import { Login } from './login.ts'

const SignIn = z.object({
  loginId: z.string(),
  passwordHash: z.string(),
  isDisabled: z.boolean(),
  isEmailVerified: z.boolean(),
  isPasswordExpired: z.boolean(),
  /** Whether the account is removed unless its address is verified or it is signed in to. */
  isToVerify: z.boolean(),
  /** Null where the login is a user of no account. */
  userId: z.string().nullable(),
  accountId: z.string().nullable(),
})
export type SignIn = z.infer<typeof SignIn>

/** The login of an email address, once for each account it is a user of; none where unknown. */
export async function findSignIns({ pool }: Database, email: string): Promise<readonly SignIn[]> {
  return pool.any(sql.type(SignIn)`
    SELECT l.login_id AS "loginId", l.password_hash AS "passwordHash",
      l.disabled_at IS NOT NULL AS "isDisabled",
      l.email_verified_at IS NOT NULL AS "isEmailVerified",
      l.is_password_expired AS "isPasswordExpired", l.verify_by IS NOT NULL AS "isToVerify",
      u.user_id AS "userId", u.account_id AS "accountId"
    FROM logins l LEFT JOIN users u USING (login_id)
    WHERE l.email = ${email}`)
}

const Person = Login.pick({ email: true, firstName: true, lastName: true })

/** Whose login it is. Throws unauthenticated: whose login has gone is not signed in. */
export async function getPerson(
  { pool }: Database,
  loginId: string,
): Promise<z.infer<typeof Person>> {
  const person = await pool.maybeOne(sql.type(Person)`
    SELECT email, first_name AS "firstName", last_name AS "lastName"
    FROM logins WHERE login_id = ${loginId}`)
  if (!person) throw unauthenticated('SESSION_ENDED')
  return person
}

const Password = z.object({ passwordHash: z.string() })

/** Null where the login has gone or is disabled. */
export async function findPasswordHash(
  { pool }: Database,
  loginId: string,
): Promise<string | null> {
  return pool.maybeOneFirst(sql.type(Password)`
    SELECT password_hash AS "passwordHash" FROM logins
    WHERE login_id = ${loginId} AND disabled_at IS NULL`)
}

/**
 * Holds a login still, so that sessions begin and end one after the other; to be locked before all
 * else. Returns the hash of its password as it is now, null where the login has gone or is
 * disabled.
 */
export async function lockLogin(tx: Transaction, loginId: string): Promise<string | null> {
  return tx.maybeOneFirst(sql.type(Password)`
    SELECT password_hash AS "passwordHash" FROM logins
    WHERE login_id = ${loginId} AND disabled_at IS NULL FOR NO KEY UPDATE`)
}

/**
 * Sets a password, which is no expired one; returns the login's email address. `resetAt`: when it
 * was set without the old one, or null where the old one was known.
 */
export async function setPassword(
  tx: Transaction,
  loginId: string,
  { passwordHash, resetAt }: { passwordHash: string; resetAt: Date | null },
): Promise<string> {
  return tx.oneFirst(sql.type(z.object({ email: z.string() }))`
    UPDATE logins SET password_hash = ${passwordHash}, is_password_expired = false,
      password_reset_at = coalesce(${resetAt && sql.timestamp(resetAt)}, password_reset_at)
    WHERE login_id = ${loginId}
    RETURNING email`)
}

/** Notes that the email address is its owner's. False where the login has gone or is disabled. */
export async function setEmailVerified(
  tx: Transaction,
  loginId: string,
  now: Date,
): Promise<boolean> {
  const { rowCount } = await tx.query(sql.unsafe`
    UPDATE logins SET email_verified_at = coalesce(email_verified_at, ${sql.timestamp(now)}),
      verify_by = NULL
    WHERE login_id = ${loginId} AND disabled_at IS NULL`)
  return rowCount === 1
}

/** Notes that an account is in use, so that it is never removed as unverified. */
export async function clearVerifyDeadline(tx: Transaction, loginId: string): Promise<void> {
  await tx.query(sql.unsafe`UPDATE logins SET verify_by = NULL WHERE login_id = ${loginId}`)
}

/** Signs nobody in any more with the password there is. */
export async function expirePasswordOf({ pool }: Database, loginId: string): Promise<void> {
  await pool.query(sql.unsafe`
    UPDATE logins SET is_password_expired = true WHERE login_id = ${loginId}`)
}

const LoginState = z.object({
  loginId: z.string(),
  isDisabled: z.boolean(),
  hasAuthenticator: z.boolean(),
})
export type LoginState = z.infer<typeof LoginState>

/** The login of an email address in lower case; null where there is none. */
export async function findLogin({ pool }: Database, email: string): Promise<LoginState | null> {
  return pool.maybeOne(sql.type(LoginState)`
    SELECT login_id AS "loginId", disabled_at IS NOT NULL AS "isDisabled",
      t.enabled_at IS NOT NULL AS "hasAuthenticator"
    FROM logins LEFT JOIN authenticators t USING (login_id) WHERE email = ${email}`)
}

/** Disables a login; one that is disabled already stays so since then. */
export async function disableLoginOf(tx: Transaction, loginId: string, now: Date): Promise<void> {
  await tx.query(sql.unsafe`
    UPDATE logins SET disabled_at = coalesce(disabled_at, ${sql.timestamp(now)})
    WHERE login_id = ${loginId}`)
}

/** Lets a disabled login in again. */
export async function enableLoginOf({ pool }: Database, loginId: string): Promise<void> {
  await pool.query(sql.unsafe`UPDATE logins SET disabled_at = NULL WHERE login_id = ${loginId}`)
}
