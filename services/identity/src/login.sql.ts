import type { Database, Transaction } from '@coffer/kit/database'
import { unauthenticated } from '@coffer/kit/errors'
import { sql } from 'slonik'
import { z } from 'zod'

const SignIn = z.object({
  passwordHash: z.string(),
  isDisabled: z.boolean(),
  hasAuthenticator: z.boolean(),
  /** Null where the login is a user of no account. */
  userId: z.string().nullable(),
  accountId: z.string().nullable(),
})

/** The login of an email address, once for each account it is a user of; none where unknown. */
export async function findSignIns(
  { pool }: Database,
  email: string,
): Promise<readonly z.infer<typeof SignIn>[]> {
  return pool.any(sql.type(SignIn)`
    SELECT l.password_hash AS "passwordHash", l.disabled_at IS NOT NULL AS "isDisabled",
      t.enabled_at IS NOT NULL AS "hasAuthenticator", u.user_id AS "userId",
      u.account_id AS "accountId"
    FROM logins l
    LEFT JOIN users u USING (login_id) LEFT JOIN authenticators t USING (login_id)
    WHERE l.email = ${email}`)
}

/** Throws unauthenticated: somebody whose login has gone is not signed in. */
export async function getLoginEmail({ pool }: Database, loginId: string): Promise<string> {
  const email = await pool.maybeOneFirst(sql.type(z.object({ email: z.string() }))`
    SELECT email FROM logins WHERE login_id = ${loginId}`)
  if (email === null) throw unauthenticated()
  return email
}

/** Null where the login has gone or is disabled. */
export async function findPasswordHash(
  { pool }: Database,
  loginId: string,
): Promise<string | null> {
  return pool.maybeOneFirst(sql.type(z.object({ passwordHash: z.string() }))`
    SELECT password_hash AS "passwordHash" FROM logins
    WHERE login_id = ${loginId} AND disabled_at IS NULL`)
}

/** `resetAt`: when it was set without the old one, or null where the old one was known. */
export async function setPassword(
  tx: Transaction,
  loginId: string,
  { passwordHash, resetAt }: { passwordHash: string; resetAt: Date | null },
): Promise<void> {
  await tx.query(sql.unsafe`
    UPDATE logins SET password_hash = ${passwordHash},
      password_reset_at = coalesce(${resetAt && sql.timestamp(resetAt)}, password_reset_at)
    WHERE login_id = ${loginId}`)
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
