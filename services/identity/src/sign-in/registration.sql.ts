import type { Transaction } from '@coffer/kit/database/database'
import { sql } from 'slonik'
import { emitAccountSettings, insertAccount } from '../book/account.sql.ts'
import { Account, type UserRow } from '../book/account.ts'

interface Registered {
  passwordHash: string
  /** Deadline for verifying the address; null if verification is off. */
  verifyBy: Date | null
  billed: boolean
}

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
  await emitAccountSettings(tx, [account], { billed, isKnown: true })
}
