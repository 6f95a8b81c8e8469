import type { Database } from '@coffer/kit/database/database'
import { deleteSome } from '@coffer/kit/database/rows'
import { sql } from 'slonik'

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
