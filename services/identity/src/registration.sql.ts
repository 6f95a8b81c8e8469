import { changeOf, emit } from '@coffer/kit/changes'
import type { Transaction } from '@coffer/kit/database'
import { AccountSettingsChangedSchema } from '@coffer/proto/identity/v1/events'
import { sql } from 'slonik'
import type { UserRow } from './user.ts'

/** Throws UniqueIntegrityConstraintViolationError on `logins_email_key` when the email is taken. */
export async function insertRegistration(
  tx: Transaction,
  row: UserRow,
  passwordHash: string,
): Promise<void> {
  const { accountId, timezone, locale, version } = row
  const createdAt = sql.timestamp(row.createdAt)
  await tx.query(sql.unsafe`
    INSERT INTO logins (login_id, email, password_hash, first_name, last_name, created_at)
    VALUES (${row.loginId}, ${row.email}, ${passwordHash}, ${row.firstName}, ${row.lastName},
      ${createdAt})`)
  await tx.query(sql.unsafe`
    INSERT INTO accounts (account_id, timezone, locale, version, created_at)
    VALUES (${accountId}, ${timezone}, ${locale}, ${version}, ${createdAt})`)
  await tx.query(sql.unsafe`
    INSERT INTO users (account_id, user_id, login_id, role, created_at)
    VALUES (${accountId}, ${row.userId}, ${row.loginId}, ${row.role}, ${createdAt})`)
  const subject = { accountId, entityId: accountId, version }
  const event = { accountId, timezone, locale, version }
  await emit(tx, changeOf(AccountSettingsChangedSchema, subject, event))
}
