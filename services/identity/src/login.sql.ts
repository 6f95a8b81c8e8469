import type { Database } from '@coffer/kit/database'
import { sql } from 'slonik'
import { z } from 'zod'

const SignIn = z.object({
  passwordHash: z.string(),
  isDisabled: z.boolean(),
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
      u.user_id AS "userId", u.account_id AS "accountId"
    FROM logins l LEFT JOIN users u USING (login_id)
    WHERE l.email = ${email}`)
}
