import { say } from '@coffer/kit/reasons/reasons'
import { refused } from '@coffer/kit/rpc/errors'
import type { Mesh } from '@coffer/kit/rpc/mesh'
import { asCaller, headers } from '@coffer/kit/rpc/rpc'
import {
  type SpendRequestBudgetResponse_Budget as Budget,
  RequestBudgetService,
} from '@coffer/proto/identity/v1/request_budget'
import type { FastifyReply } from 'fastify'
import { isUnknownRpc, throwUnavailable } from '../http/errors/errors.ts'
import type { Route } from '../http/route.ts'
import type { Sessions } from './session.ts'

/** Cost of a request; `apiKeyId` is empty for a session. */
interface Spending {
  accountId: string
  apiKeyId: string
  cost: number
}

export interface RequestBudget {
  /**
   * Spends the units of a request from the budgets of its API key and account, and adds their
   * state to the reply. Throws refused (429 with `Retry-After`) if a budget does not suffice, and
   * unavailable (503) if the service identity does not answer.
   */
  spend: (spending: Spending, request: { id: string }, reply: FastifyReply) => Promise<void>
}

interface BudgetDeps {
  mesh: Mesh
  config: { keyUnitsPerMinute: number; accountUnitsPerMinute: number }
  sessions: Pick<Sessions, 'anonymous'>
}

const windowSeconds = 60

/** Returns the units of a request with the method (docs/limits.md#the-budget-of-requests). */
export function costOf(method: Route['method']): number {
  if (method === 'GET') return 1
  return method === 'POST' ? 3 : 2
}

/**
 * Returns a rate limit by API key and by account: fixed windows of a minute, which identity counts
 * for all gateways; null if both quotas are 0. Headers:
 * draft-ietf-httpapi-ratelimit-headers-10.
 */
export function createRequestBudget({ mesh, config, sessions }: BudgetDeps): RequestBudget | null {
  const identity = mesh.client('identity', RequestBudgetService)
  const { keyUnitsPerMinute: apiKeyQuota, accountUnitsPerMinute: accountQuota } = config
  if (apiKeyQuota === 0 && accountQuota === 0) return null
  return {
    spend: async (spending, { id }, reply) => {
      const options = {
        ...asCaller(sessions.anonymous()),
        headers: { [headers.requestId]: id },
      }
      const request = { ...spending, apiKeyQuota, accountQuota }
      const spent = await identity.spendRequestBudget(request, options).catch(uncounted)
      const budgets = [
        { name: 'key', of: 'this API key', quota: apiKeyQuota, budget: spent.apiKey },
        { name: 'account', of: 'the account', quota: accountQuota, budget: spent.account },
      ].filter((one): one is typeof one & { budget: Budget } => one.budget !== undefined)
      if (budgets.length === 0) return
      reply.headers({
        'ratelimit-policy': budgets
          .map(({ name, quota }) => `"${name}";q=${quota};w=${windowSeconds}`)
          .join(', '),
        ratelimit: budgets
          .map(({ name, budget }) => `"${name}";r=${budget.remaining};t=${budget.resetSeconds}`)
          .join(', '),
      })
      const short = budgets.find(({ budget }) => !budget.isSufficient)
      if (!short) return
      const text = say('BUDGET_SPENT', { of: short.of, max: short.quota })
      const retryAfterSeconds = Math.max(1, short.budget.resetSeconds)
      throw refused(text, { status: 429, retryAfterSeconds })
    },
  }
}

/** until 0.4: the service identity of 0.2.0 counts no requests, so it limits none. */
function uncounted(error: unknown): { apiKey?: Budget; account?: Budget } {
  return isUnknownRpc(error) ? {} : throwUnavailable(error)
}
