import type { Database, Queries, Transaction } from '@coffer/kit/database/database'
import { columnsOf, insertOf } from '@coffer/kit/database/rows'
import { prepare, read } from '@coffer/kit/database/statement'
import { changeOf, emit } from '@coffer/kit/events/changes'
import { objectsChanged } from '@coffer/kit/events/objects-changed'
import { notFound } from '@coffer/kit/rpc/errors'
import {
  AccountSettingsChangedSchema,
  ObjectsChangedSchema,
} from '@coffer/proto/identity/v1/events'
import { sql } from 'slonik'
import { z } from 'zod'
import { Account, sharedSettings, UserRow } from './account.ts'

const columns = columnsOf(Account, { table: 'accounts' })
const userColumns = columnsOf(Account.omit({ accountId: true }), { table: 'a' })

const Now = z.object({ now: z.date() })

/** Returns an account; throws notFound for an unknown ID. */
export async function getAccount({ pool }: Database, accountId: string): Promise<Account> {
  const account = await pool.maybeOne(sql.type(Account)`
    SELECT ${columns} FROM accounts WHERE account_id = ${accountId}`)
  if (!account) throw notFound('account')
  return account
}

/** Returns at most `pageSize` accounts with IDs above `accountId`, in ascending order of ID. */
export async function listAccounts(
  { pool }: Database,
  accountId: string,
  pageSize: number,
): Promise<readonly Account[]> {
  return pool.any(sql.type(Account)`
    SELECT ${columns} FROM accounts WHERE account_id > ${accountId}
    ORDER BY account_id LIMIT ${pageSize}`)
}

const userById = prepare(
  ['accountId', 'userId'],
  ({ accountId, userId }) => read(UserRow)`
    SELECT u.user_id AS "userId", u.account_id AS "accountId", u.login_id AS "loginId", u.role,
      l.email, l.first_name AS "firstName", l.last_name AS "lastName",
      t.enabled_at AS "totpEnabledAt", l.password_reset_at AS "passwordResetAt",
      l.email_verified_at AS "emailVerifiedAt", l.pending_email AS "pendingEmail",
      c.timezone AS "pendingTimezone", ${userColumns}
    FROM users u JOIN logins l USING (login_id) JOIN accounts a USING (account_id)
    LEFT JOIN authenticators t USING (login_id)
    LEFT JOIN timezone_changes c USING (account_id)
    WHERE u.account_id = ${accountId} AND u.user_id = ${userId}`,
)

/** Returns a user with its login and account; null if the account has no user of this ID. */
export async function findUser(
  { pool }: { pool: Queries },
  accountId: string,
  userId: string,
): Promise<UserRow | null> {
  return pool.maybeOne(userById({ accountId, userId }))
}

/** Inserts an account; emits no event. */
export async function insertAccount(tx: Transaction, account: Account): Promise<void> {
  await tx.query(sql.unsafe`${insertOf('accounts', Account, account)}`)
}

/** Saves the locale of an account and emits its settings, unless it has this locale already. */
export async function saveLocale(
  tx: Transaction,
  accountId: string,
  { locale, billed }: { locale: string; billed: boolean },
): Promise<void> {
  const saved = await tx.maybeOne(sql.type(Account)`
    UPDATE accounts SET locale = ${locale}, version = version + 1
    WHERE account_id = ${accountId} AND locale <> ${locale}
    RETURNING ${columns}`)
  if (saved) await emitAccountSettings(tx, [saved], { billed })
}

/** Emits the accounts as changed objects, about which clients that follow changes are notified. */
export async function tellAccounts(tx: Transaction, accountIds: readonly string[]): Promise<void> {
  const now = await tx.oneFirst(sql.type(Now)`SELECT now() AS now`)
  const changes = accountIds.flatMap((accountId) => {
    const objects = [{ type: 'account.updated', objectId: accountId }] as const
    return objectsChanged(ObjectsChangedSchema, { accountId, now }, objects)
  })
  await emit(tx, ...changes)
}

/**
 * Emits AccountSettingsChanged for each account, with the version of the given row. Also emits the
 * account as a changed object for clients, unless `isKnown`: then clients know these settings, as
 * of a new account.
 */
export async function emitAccountSettings(
  tx: Transaction,
  accounts: readonly Account[],
  { isKnown = false, ...billing }: { billed: boolean; isKnown?: boolean },
): Promise<void> {
  const accountIds = accounts.map(({ accountId }) => accountId)
  if (!isKnown) await tellAccounts(tx, accountIds)
  const changes = accounts.map((account) => {
    const { accountId, version } = account
    const event = { accountId, ...sharedSettings(account, billing) }
    const subject = { accountId, entityId: accountId, version }
    return changeOf(AccountSettingsChangedSchema, subject, event)
  })
  await emit(tx, ...changes)
}
