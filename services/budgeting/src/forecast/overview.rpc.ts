import { toMessage } from '@coffer/kit/rpc/message'
import { callerOf } from '@coffer/kit/rpc/rpc'
import type { ServiceDeps } from '@coffer/kit/service/service'
import { FundingScheduleSchema } from '@coffer/proto/budgeting/v1/funding_schedule'
import { NextFundingSchema, type OverviewService } from '@coffer/proto/budgeting/v1/overview'
import { EnvelopeService } from '@coffer/proto/ledger/v1/envelope'
import type { HandlerContext, ServiceImpl } from '@connectrpc/connect'
import type { settings } from '../config.ts'
import { forecastPlanOf } from '../contributions/forecast-envelope.ts'
import { onBehalfOf } from '../ledger/ledger.client.ts'
import { compose } from '../plans/plan.ts'
import { listBehind } from '../plans/spending.sql.ts'
import { listPaydays } from '../schedules/funding-schedule.sql.ts'
import { estimateNextFundings } from './forecast-questions.ts'

type Deps = Pick<ServiceDeps<typeof settings>, 'database' | 'mesh' | 'clock' | 'config'>

/** Returns the RPC handler of plans of several bank accounts (docs/api/overview.md). */
export function overviewRoutes(deps: Deps): ServiceImpl<typeof OverviewService> {
  const { database, config } = deps
  return {
    getPlanOverview: async ({ bankAccountIds }, context) => {
      const { accountId, timezone } = callerOf(context)
      const [behind, schedules] = await Promise.all([
        findBehind(deps, bankAccountIds, context),
        listPaydays(database, accountId, bankAccountIds),
      ])
      const paydays = schedules.map((one) => toMessage(FundingScheduleSchema, one))
      const planned = schedules.map(({ plans, ...schedule }) => {
        return { ...schedule, plans: plans.map((plan) => forecastPlanOf(plan, plan)) }
      })
      const fundings = estimateNextFundings(planned, { timezone, now: deps.clock() })
      const nextFundings = fundings.map((one) => toMessage(NextFundingSchema, one))
      const { expenseCarryOver } = config
      return { behind, paydays, nextFundings, expenseCarryOver }
    },
  }
}

/**
 * Returns the plans that are behind, recalculated with the ledger's current amounts, by due date.
 */
async function findBehind(
  { database, mesh, clock }: Omit<Deps, 'config'>,
  bankAccountIds: readonly string[],
  context: HandlerContext,
) {
  const { accountId, timezone } = callerOf(context)
  const plans = await listBehind(database, accountId, bankAccountIds)
  if (plans.length === 0) return []
  const spendingIds = plans.map(({ spendingId }) => spendingId)
  const owners = [...new Set(plans.map(({ bankAccountId }) => bankAccountId))]
  const found = await mesh
    .client('ledger', EnvelopeService)
    .findEnvelopes({ bankAccountIds: owners, spendingIds }, onBehalfOf(context))
  const place = new Map(spendingIds.map((spendingId, index) => [spendingId, index]))
  return compose(plans, found.envelopes, { timezone, now: clock() })
    .filter(({ isBehind }) => isBehind)
    .sort((one, other) => Number(place.get(one.spendingId)) - Number(place.get(other.spendingId)))
}
