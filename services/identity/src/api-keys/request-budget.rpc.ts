import type { RequestBudgetService } from '@coffer/proto/identity/v1/request_budget'
import type { ServiceImpl } from '@connectrpc/connect'
import type { IdentityDeps } from '../deps.ts'
import { spendBudgets } from './request-budget.sql.ts'

const windowSeconds = 60

/** Returns the RPC that limits requests by API key and account (docs/limits.md). */
export function requestBudgets({
  database,
}: Pick<IdentityDeps, 'database'>): ServiceImpl<typeof RequestBudgetService> {
  return {
    spendRequestBudget: async ({ accountId, apiKeyId, cost, apiKeyQuota, accountQuota }) => {
      const spending = { accountId, apiKeyId, cost, apiKeyQuota, accountQuota, windowSeconds }
      const rows = await spendBudgets(database, spending)
      /** `isSpent`: whether the statement has tried to spend units of this budget. */
      const budgetOf = (holder: string, quota: number, isSpent: boolean) => {
        const row = rows.find((one) => one.apiKeyId === holder)
        // No row although the statement tried to spend: a concurrent request has begun this window
        // and spent the whole budget.
        const left = quota - (row?.spent ?? (isSpent ? quota : 0))
        return {
          isSufficient: isSpent ? row?.isChanged === true : left >= cost,
          remaining: Math.max(0, left),
          resetSeconds: row?.resetSeconds ?? windowSeconds,
        }
      }
      const isKeyLimited = apiKeyId !== '' && apiKeyQuota > 0
      const apiKey = isKeyLimited ? budgetOf(apiKeyId, apiKeyQuota, true) : undefined
      const isOfAccount = apiKey?.isSufficient ?? true
      const account = accountQuota > 0 ? budgetOf('', accountQuota, isOfAccount) : undefined
      return { apiKey, account }
    },
  }
}
