import type { Database } from '@coffer/kit/database'
import { prepare } from '@coffer/kit/statement'
import { type FragmentSqlToken, sql } from 'slonik'
import { z } from 'zod'
import type { PlanHead } from './kept-spending.ts'
import { type PlanScope, within } from './spending.sql.ts'
import { Spending } from './spending.ts'

const Version = z.object({ version: z.string() })
const Head = z.union([
  Version.extend(Spending.pick({ spendingId: true, amountsVersion: true, revision: true }).shape),
  Version.extend({ spendingId: z.null() }),
])

const scopeNames = ['accountId', 'bankAccountId'] as const

/**
 * The query of one row whose `version` changes with the open plans of a bank account: with how many
 * there are, and with the ID and the revision of each.
 */
function versionOfOpen(scope: PlanScope): FragmentSqlToken {
  return sql.fragment`
    SELECT count(*) || ':' || coalesce(bit_xor(hashtextextended(spending_id, revision)), 0)
      AS version FROM spending WHERE ${within(scope)} AND state = 'open'`
}

const versionStatement = prepare(scopeNames, (scope) => sql.type(Version)`${versionOfOpen(scope)}`)

const headsOfOpen = prepare(
  scopeNames,
  (scope) => sql.type(Head)`
    SELECT spending_id AS "spendingId", amounts_version AS "amountsVersion", revision, version
    FROM (${versionOfOpen(scope)}) AS list
    LEFT JOIN spending ON ${within(scope)} AND state = 'open'`,
)

/**
 * Which open plans a bank account has, as of which change, and a version of it all: without plans
 * (null) where it is the known one. That is asked for alone, which is all there is to do mostly.
 */
export async function listPlanHeads(
  { pool }: Database,
  { accountId, bankAccountId }: PlanScope,
  knownVersion: string | null,
): Promise<{ plans: readonly PlanHead[] | null; version: string }> {
  const scope = { accountId, bankAccountId }
  if (knownVersion !== null) {
    const { version } = await pool.one(versionStatement(scope))
    if (version === knownVersion) return { plans: null, version }
  }
  const rows = await pool.any(headsOfOpen(scope))
  const plans = rows.filter((row) => row.spendingId !== null)
  return { plans, version: rows[0]?.version ?? '' }
}
