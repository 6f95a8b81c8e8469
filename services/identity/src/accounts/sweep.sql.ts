import type { Database, Transaction } from '@coffer/kit/database/database'
import { deleteSome } from '@coffer/kit/database/rows'
import { sql } from 'slonik'
import { z } from 'zod'
import { requestDeletion } from './account-deletion.sql.ts'

/** Tables whose rows expire, with the column that contains the instant of expiry. */
const expiries = {
  sessions: 'expires_at',
  link_tokens: 'expires_at',
  spent_challenges: 'expires_at',
  beta_codes: 'expires_at',
  sign_in_attempts: 'ends_at',
  network_attempts: 'ends_at',
  request_budgets: 'ends_at',
} as const

export const expiringTables = Object.keys(expiries) as (keyof typeof expiries)[]

/** Deletes at most `limit` rows that have expired at `now`; returns their number. */
export async function deleteExpired(
  database: Database,
  table: keyof typeof expiries,
  { now, limit }: { now: Date; limit: number },
): Promise<number> {
  const column = sql.identifier([expiries[table]])
  const where = sql.fragment`${column} <= ${sql.timestamp(now)}`
  return deleteSome(database, { table, where, limit })
}

const Unverified = z.object({ loginId: z.string(), accountId: z.string() })
type Unverified = z.infer<typeof Unverified>

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
