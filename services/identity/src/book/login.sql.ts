import type { Database, Transaction } from '@coffer/kit/database/database'
import { emit } from '@coffer/kit/events/changes'
import { objectsChanged } from '@coffer/kit/events/objects-changed'
import { unauthenticated } from '@coffer/kit/rpc/errors'
import { ObjectsChangedSchema } from '@coffer/proto/identity/v1/events'
import { sql, UniqueIntegrityConstraintViolationError } from 'slonik'
import { z } from 'zod'
import { emailInUse, Person } from './login.ts'

const SignIn = z.object({
  loginId: z.string(),
  passwordHash: z.string(),
  isDisabled: z.boolean(),
  isEmailVerified: z.boolean(),
  isPasswordExpired: z.boolean(),
  /** Whether the account will be deleted unless the login verifies its address or signs in. */
  isToVerify: z.boolean(),
  /** Null if the login has no account. */
  userId: z.string().nullable(),
  accountId: z.string().nullable(),
})
export type SignIn = z.infer<typeof SignIn>

/** Returns one row per account of the login with this lower-case address; none if unknown. */
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

/** Returns address and names of a login. Throws unauthenticated if the login was deleted. */
export async function getPerson({ pool }: Database, loginId: string): Promise<Person> {
  const person = await pool.maybeOne(sql.type(Person)`
    SELECT email, first_name AS "firstName", last_name AS "lastName"
    FROM logins WHERE login_id = ${loginId}`)
  if (!person) throw unauthenticated('SESSION_ENDED')
  return person
}

/** Returns whether a statement failed because another login has the address. */
export function isEmailTaken(error: unknown): boolean {
  return (
    error instanceof UniqueIntegrityConstraintViolationError &&
    error.constraint === 'logins_email_key'
  )
}

const Password = z.object({ passwordHash: z.string() })

/** Returns the password hash of a login; null if the login was deleted or disabled. */
export async function findPasswordHash(
  { pool }: Database,
  loginId: string,
): Promise<string | null> {
  return pool.maybeOneFirst(sql.type(Password)`
    SELECT password_hash AS "passwordHash" FROM logins
    WHERE login_id = ${loginId} AND disabled_at IS NULL`)
}

/**
 * Locks a login (always before its other rows), to serialize changes of sessions and credentials.
 * Returns its current password hash; null if the login was deleted or disabled.
 */
export async function lockLogin(tx: Transaction, loginId: string): Promise<string | null> {
  return tx.maybeOneFirst(sql.type(Password)`
    SELECT password_hash AS "passwordHash" FROM logins
    WHERE login_id = ${loginId} AND disabled_at IS NULL FOR NO KEY UPDATE`)
}

const UserOf = z.object({ accountId: z.string(), userId: z.string(), now: z.date() })

/** Emits every user of a login as changed for clients, who see the login as a part of the user. */
export async function tellLogin(tx: Transaction, loginId: string): Promise<void> {
  const users = await tx.any(sql.type(UserOf)`
    SELECT account_id AS "accountId", user_id AS "userId", now() AS now FROM users
    WHERE login_id = ${loginId}`)
  for (const { userId: objectId, ...save } of users) {
    const objects = [{ type: 'user.updated', objectId }] as const
    await emit(tx, ...objectsChanged(ObjectsChangedSchema, save, objects))
  }
}

/**
 * Sets a password and clears the mark of an expired one; returns the login's email address.
 * `resetAt` is the instant of a reset by a mailed link, null if the client knew the old password.
 */
export async function setPassword(
  tx: Transaction,
  loginId: string,
  { passwordHash, resetAt }: { passwordHash: string; resetAt: Date | null },
): Promise<string> {
  if (resetAt) await tellLogin(tx, loginId)
  return tx.oneFirst(sql.type(z.object({ email: z.string() }))`
    UPDATE logins SET password_hash = ${passwordHash}, is_password_expired = false,
      password_reset_at = coalesce(${resetAt && sql.timestamp(resetAt)}, password_reset_at)
    WHERE login_id = ${loginId}
    RETURNING email`)
}

/** Marks the address as verified. Returns false if the login was deleted or disabled. */
export async function setEmailVerified(
  tx: Transaction,
  loginId: string,
  now: Date,
): Promise<boolean> {
  const { rowCount } = await tx.query(sql.unsafe`
    UPDATE logins SET email_verified_at = coalesce(email_verified_at, ${sql.timestamp(now)}),
      verify_by = NULL
    WHERE login_id = ${loginId} AND disabled_at IS NULL`)
  await tellLogin(tx, loginId)
  return rowCount === 1
}

/** Saves the names of a login; an undefined name is unchanged. */
export async function setNames(
  tx: Transaction,
  loginId: string,
  { firstName, lastName }: { [Name in 'firstName' | 'lastName']: string | undefined },
): Promise<void> {
  await tx.query(sql.unsafe`
    UPDATE logins SET first_name = coalesce(${firstName ?? null}, first_name),
      last_name = coalesce(${lastName ?? null}, last_name)
    WHERE login_id = ${loginId}`)
  await tellLogin(tx, loginId)
}

/**
 * Saves the new address of a login, pending until its mailed link is used. Throws refused (428) if
 * another login has this address.
 */
export async function setPendingEmail(
  tx: Transaction,
  loginId: string,
  email: string,
): Promise<void> {
  const { rowCount } = await tx.query(sql.unsafe`
    UPDATE logins SET pending_email = ${email}
    WHERE login_id = ${loginId} AND NOT EXISTS (SELECT FROM logins WHERE email = ${email})`)
  if (rowCount === 0) throw emailInUse()
  await tellLogin(tx, loginId)
}

/** Cancels a pending change of an address. */
export async function clearPendingEmail(tx: Transaction, loginId: string): Promise<void> {
  await tx.query(sql.unsafe`UPDATE logins SET pending_email = NULL WHERE login_id = ${loginId}`)
  await tellLogin(tx, loginId)
}

const Former = z.object({ email: z.string() })

/**
 * Changes the address of a login; returns the former one. Throws
 * UniqueIntegrityConstraintViolationError on `logins_email_key` if the address is taken.
 */
export async function setEmail(
  tx: Transaction,
  loginId: string,
  { email, verifiedAt }: { email: string; verifiedAt: Date | null },
): Promise<string> {
  await tellLogin(tx, loginId)
  return tx.oneFirst(sql.type(Former)`
    UPDATE logins SET email = ${email}, pending_email = NULL,
      email_verified_at = ${verifiedAt && sql.timestamp(verifiedAt)}
    FROM logins AS former
    WHERE logins.login_id = ${loginId} AND former.login_id = logins.login_id
    RETURNING former.email`)
}

/** Clears the deadline of verification, so that an account that signs in is never deleted. */
export async function clearVerifyDeadline(tx: Transaction, loginId: string): Promise<void> {
  await tx.query(sql.unsafe`UPDATE logins SET verify_by = NULL WHERE login_id = ${loginId}`)
}

/** Expires the password: the next sign-in has to change it first. */
export async function expirePasswordOf({ pool }: Database, loginId: string): Promise<void> {
  await pool.query(sql.unsafe`
    UPDATE logins SET is_password_expired = true WHERE login_id = ${loginId}`)
}

const LoginState = z.object({
  loginId: z.string(),
  email: z.string(),
  isDisabled: z.boolean(),
  hasAuthenticator: z.boolean(),
})
export type LoginState = z.infer<typeof LoginState>

/** Returns the login with this lower-case email address; null for an unknown address. */
export async function findLogin({ pool }: Database, email: string): Promise<LoginState | null> {
  return pool.maybeOne(sql.type(LoginState)`
    SELECT login_id AS "loginId", email, disabled_at IS NOT NULL AS "isDisabled",
      t.enabled_at IS NOT NULL AS "hasAuthenticator"
    FROM logins LEFT JOIN authenticators t USING (login_id) WHERE email = ${email}`)
}

/** Disables a login; if the login is disabled already, the earlier instant is kept. */
export async function disableLoginOf(tx: Transaction, loginId: string, now: Date): Promise<void> {
  await tx.query(sql.unsafe`
    UPDATE logins SET disabled_at = coalesce(disabled_at, ${sql.timestamp(now)})
    WHERE login_id = ${loginId}`)
}

export async function enableLoginOf({ pool }: Database, loginId: string): Promise<void> {
  await pool.query(sql.unsafe`UPDATE logins SET disabled_at = NULL WHERE login_id = ${loginId}`)
}
