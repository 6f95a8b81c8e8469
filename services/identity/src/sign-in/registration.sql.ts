import type { Database, Transaction } from '@coffer/kit/database/database'
import { sql } from 'slonik'
import { z } from 'zod'
import { requestDeletion } from '../accounts/account-deletion.sql.ts'
import { emitAccountSettings, insertAccount } from '../book/account.sql.ts'
import { Account, type UserRow } from '../book/account.ts'

interface Registered {
  passwordHash: string
  /** Deadline for verifying the address; null if verification is off. */
  verifyBy: Date | null
  billed: boolean
}

const Unverified = z.object({ loginId: z.string(), accountId: z.string() })
type Unverified = z.infer<typeof Unverified>

/**
 * Inserts login, account and user, and emits the account's settings. Throws
 * UniqueIntegrityConstraintViolationError on `logins_email_key` if the address is taken.
 */
export async function insertRegistration(
  tx: Transaction,
  row: UserRow,
  { passwordHash, verifyBy, billed }: Registered,
): Promise<void> {
  const account = Account.parse(row)
  const createdAt = sql.timestamp(row.createdAt)
  await tx.query(sql.unsafe`
    INSERT INTO logins (login_id, email, password_hash, first_name, last_name, verify_by,
      created_at)
    VALUES (${row.loginId}, ${row.email}, ${passwordHash}, ${row.firstName}, ${row.lastName},
      ${verifyBy && sql.timestamp(verifyBy)}, ${createdAt})`)
  await insertAccount(tx, account)
  await tx.query(sql.unsafe`
    INSERT INTO users (account_id, user_id, login_id, role, created_at)
    VALUES (${row.accountId}, ${row.userId}, ${row.loginId}, ${row.role}, ${createdAt})`)
  await emitAccountSettings(tx, [account], { billed })
}

/** Returns logins past their deadline of verification that have no valid verification link. */
export async function listUnverified(
  { pool }: Database,
  now: Date,
  limit: number,
): Promise<readonly Unverified[]> {
  return pool.any(sql.type(Unverified)`
    SELECT l.login_id AS "loginId", u.account_id AS "accountId"
    FROM logins l JOIN users u USING (login_id)
    WHERE l.verify_by <= ${sql.timestamp(now)} AND NOT EXISTS (
      SELECT FROM link_tokens t WHERE t.login_id = l.login_id AND t.scope = 'verify'
        AND t.expires_at > ${sql.timestamp(now)})
    ORDER BY l.verify_by LIMIT ${limit}`)
}

/** Requests the deletion of the account, unless its address was verified after `listUnverified`. */
export async function removeUnverified(
  tx: Transaction,
  { loginId, accountId }: Unverified,
  now: Date,
): Promise<void> {
  const { rowCount } = await tx.query(sql.unsafe`
    UPDATE logins SET verify_by = NULL
    WHERE login_id = ${loginId} AND verify_by <= ${sql.timestamp(now)}`)
  if (rowCount === 1) await requestDeletion(tx, accountId, now)
}
