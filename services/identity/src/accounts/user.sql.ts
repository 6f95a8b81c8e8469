import type { Database } from '@coffer/kit/database/database'
import { columnsOf } from '@coffer/kit/database/rows'
import { sql } from 'slonik'
import { Account } from './account.ts'
import { UserRow } from './user.ts'

const accountColumns = columnsOf(Account.omit({ accountId: true }), { table: 'a' })

/** Returns a user of the account, with login and account; null for an unknown one. */
export async function findUser(
  { pool }: Database,
  accountId: string,
  userId: string,
): Promise<UserRow | null> {
  return pool.maybeOne(sql.type(UserRow)`
    SELECT u.user_id AS "userId", u.account_id AS "accountId", u.login_id AS "loginId", u.role,
      l.email, l.first_name AS "firstName", l.last_name AS "lastName",
      t.enabled_at AS "totpEnabledAt", l.password_reset_at AS "passwordResetAt",
      l.email_verified_at AS "emailVerifiedAt",
      ${accountColumns}
    FROM users u JOIN logins l USING (login_id) JOIN accounts a USING (account_id)
    LEFT JOIN authenticators t USING (login_id)
    WHERE u.account_id = ${accountId} AND u.user_id = ${userId}`)
}
