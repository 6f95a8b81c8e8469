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
      const budgetOf = (holder: string, quota: number) => {
        const row = rows.find((one) => one.apiKeyId === holder)
        const left = quota - (row?.spent ?? 0)
        return {
          isSufficient: row?.isChanged || left >= cost,
          remaining: Math.max(0, left),
          resetSeconds: row?.resetSeconds ?? windowSeconds,
        }
      }
      return {
        apiKey: apiKeyId && apiKeyQuota > 0 ? budgetOf(apiKeyId, apiKeyQuota) : undefined,
        account: accountQuota > 0 ? budgetOf('', accountQuota) : undefined,
      }
    },
  }
}
