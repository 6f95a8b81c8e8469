import type { Database, Queries, Transaction } from '@coffer/kit/database/database'
import { columnsOf } from '@coffer/kit/database/rows'
import { changeOf, emit } from '@coffer/kit/events/changes'
import { TimezoneChangeRequestedSchema } from '@coffer/proto/identity/v1/events'
import { sql } from 'slonik'
import { z } from 'zod'
import { emitAccountSettings, tellAccounts } from '../book/account.sql.ts'
import { Account } from '../book/account.ts'

const Timezone = z.object({ timezone: z.string() })
const Id = z.object({ accountId: z.string() })

/**
 * Stores and emits the request to move the days of an account to another timezone. Returns the
 * requested timezone; if a change is already running, the timezone of that change.
 */
export async function requestTimezone(
  tx: Transaction,
  { accountId, timezone }: { accountId: string; timezone: string },
  now: Date,
): Promise<string> {
  const requested = await tx.oneFirst(sql.type(Timezone)`
    INSERT INTO timezone_changes AS stored (account_id, timezone, requested_at)
    VALUES (${accountId}, ${timezone}, ${sql.timestamp(now)})
    ON CONFLICT (account_id) DO UPDATE SET timezone = stored.timezone RETURNING timezone`)
  const subject = { accountId, entityId: accountId, version: 1n }
  await emit(tx, changeOf(TimezoneChangeRequestedSchema, subject, { accountId }))
  await tellAccounts(tx, [accountId])
  return requested
}

/** Returns the timezone of the running change of an account; null if none is running. */
export function findTimezoneChange(
  { pool }: { pool: Queries },
  accountId: string,
): Promise<string | null> {
  return pool.maybeOneFirst(sql.type(Timezone)`
    SELECT timezone FROM timezone_changes WHERE account_id = ${accountId}`)
}

/** Returns accounts above `after`, ascending, whose change was requested before `before`. */
export function listTimezoneChanges(
  { pool }: Database,
  page: { before: Date; after: string; limit: number },
): Promise<readonly string[]> {
  return pool.anyFirst(sql.type(Id)`
    SELECT account_id AS "accountId" FROM timezone_changes
    WHERE requested_at < ${sql.timestamp(page.before)} AND account_id > ${page.after}
    ORDER BY account_id LIMIT ${page.limit}`)
}

/** Sets the account's requested timezone and emits its settings; does nothing without a change. */
export function completeTimezone(
  { database, billed }: { database: Database; billed: boolean },
  accountId: string,
): Promise<void> {
  return database.transaction(async (tx) => {
    const changed = await tx.maybeOne(sql.type(Account)`
      WITH done AS (
        DELETE FROM timezone_changes WHERE account_id = ${accountId} RETURNING timezone
      )
      UPDATE accounts SET timezone = done.timezone, version = version + 1
      FROM done WHERE account_id = ${accountId}
      RETURNING ${columnsOf(Account, { table: 'accounts' })}`)
    if (changed) await emitAccountSettings(tx, [changed], { billed })
  })
}
