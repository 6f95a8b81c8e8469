import type { Database } from '@coffer/kit/database/database'
import { type FragmentSqlToken, sql } from 'slonik'
import { z } from 'zod'

const SpentBudget = z.object({
  /** Empty for the budget of the account. */
  apiKeyId: z.string(),
  /** Whether the request's units were spent from this budget. */
  isChanged: z.boolean(),
  /** Units that are spent in the window. */
  spent: z.number(),
  resetSeconds: z.number(),
})

interface Spending {
  accountId: string
  /** Empty for a session. */
  apiKeyId: string
  /** Units of the request. */
  cost: number
  /** Units in a window; 0 for no limit. */
  apiKeyQuota: number
  accountQuota: number
  windowSeconds: number
}

/**
 * Fixed-window rate limit: spends a request's units from the budgets of its API key and its account
 * in one statement; returns the budgets that have a window. If the key's budget is too small, the
 * account's is not reduced, so that a busy key cannot use up the account's units. Windows follow
 * the clock of the database, which all gateways share.
 */
export async function spendBudgets(
  { pool }: Database,
  { accountId, apiKeyId, cost, apiKeyQuota, accountQuota, windowSeconds }: Spending,
): Promise<readonly z.infer<typeof SpentBudget>[]> {
  const isKeyLimited = apiKeyId !== '' && apiKeyQuota > 0
  const endsAt = sql.fragment`now() + make_interval(secs => ${windowSeconds})`
  const isOver = sql.fragment`running.ends_at <= now()`
  const spendFrom = (holder: string, quota: number, condition: FragmentSqlToken) => sql.fragment`
    INSERT INTO request_budgets AS running (account_id, api_key_id, spent, ends_at)
    SELECT ${accountId}, ${holder}, ${cost}::integer, ${endsAt} WHERE ${condition}
    ON CONFLICT (account_id, api_key_id) DO UPDATE SET
      spent = CASE WHEN ${isOver} THEN 0 ELSE running.spent END + excluded.spent,
      ends_at = CASE WHEN ${isOver} THEN excluded.ends_at ELSE running.ends_at END
      WHERE ${isOver} OR running.spent + excluded.spent <= ${quota}
    RETURNING api_key_id, spent, ends_at`
  const isKeySufficient = isKeyLimited
    ? sql.fragment`EXISTS (SELECT FROM of_key)`
    : sql.fragment`true`
  return pool.any(sql.type(SpentBudget)`
    WITH of_key AS (${spendFrom(apiKeyId, apiKeyQuota, sql.fragment`${isKeyLimited}`)}),
      of_account AS (
        ${spendFrom('', accountQuota, sql.fragment`${accountQuota > 0} AND ${isKeySufficient}`)}
      ),
      changed AS (SELECT * FROM of_key UNION ALL SELECT * FROM of_account)
    SELECT api_key_id AS "apiKeyId", is_changed AS "isChanged", spent,
      ceil(extract(epoch FROM ends_at - now()))::integer AS "resetSeconds"
    FROM (
      SELECT *, true AS is_changed FROM changed
      UNION ALL
      SELECT api_key_id, spent, ends_at, false FROM request_budgets
      WHERE account_id = ${accountId} AND api_key_id IN (${apiKeyId}, '') AND ends_at > now()
        AND api_key_id NOT IN (SELECT api_key_id FROM changed)
    ) AS budgets`)
}
