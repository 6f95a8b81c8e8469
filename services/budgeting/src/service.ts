import {
  accountRemovalActivities,
  askIdentity,
} from '@coffer/kit/accounts/account-removal.activities'
import { say } from '@coffer/kit/reasons/reasons'
import { unavailable } from '@coffer/kit/rpc/errors'
import { defineService } from '@coffer/kit/service/service'
import { startWorkers } from '@coffer/kit/service/workers'
import { ForecastService } from '@coffer/proto/budgeting/v1/forecast'
import { FundingScheduleService } from '@coffer/proto/budgeting/v1/funding_schedule'
import { ObjectService } from '@coffer/proto/budgeting/v1/object'
import { OverviewService } from '@coffer/proto/budgeting/v1/overview'
import { SpendingService } from '@coffer/proto/budgeting/v1/spending'
import { advanceActivities } from './advance/advance.activities.ts'
import { startAdvanceMetrics } from './advance/advance-metrics.service.ts'
import { timezoneActivities } from './advance/timezone.activities.ts'
import { settings } from './config.ts'
import { type Forecasters, forecastRoutes } from './forecast/forecast.rpc.ts'
import { overviewRoutes } from './forecast/overview.rpc.ts'
import { objectRoutes } from './objects/object.rpc.ts'
import { spendingRoutes } from './plans/spending.rpc.ts'
import { createPlanReader } from './plans/spending.sql.ts'
import { createPlanWriter } from './plans/writer.service.ts'
import { comparisonActivities } from './reconciliation/comparison.activities.ts'
import { handlers } from './reconciliation/envelope.consumer.ts'
import { fundingScheduleRoutes } from './schedules/funding-schedule.rpc.ts'
import { removalActivities } from './tenancy/removal.activities.ts'
import { sweepActivities } from './tenancy/sweep.activities.ts'

/** The budgeting service: plans and funding schedules (docs/plans.md). */
export const budgeting = defineService({
  name: 'budgeting',
  schema: 'budgeting',
  migrations: new URL('../migrations', import.meta.url),
  settings,
  create: (given) => {
    const findPlans = createPlanReader(given.database)
    const deps = { ...given, ...createPlanWriter(given), findPlans }
    const metrics = startAdvanceMetrics(given)
    const forecasters: Forecasters = startWorkers({
      module: new URL('./forecast/forecast.worker.ts', import.meta.url),
      threadsMax: 1,
      queueMax: 20,
      // The sum of the two timeouts of a forecast (ms) is below the deadline of its RPC, so that
      // the client gets a refusal instead of a timeout.
      waitTimeoutMs: 1_000,
      taskTimeoutMs: 3_500,
      memoryMaxMb: 256,
      exceeded: () => {
        throw unavailable(say('FORECAST_SLOW'))
      },
    })
    return {
      handlers: handlers(deps),
      routes: (router) => {
        const lists = { ...fundingScheduleRoutes(deps), ...spendingRoutes(deps) }
        router.service(FundingScheduleService, lists)
        router.service(SpendingService, lists)
        router.service(ObjectService, objectRoutes(lists))
        router.service(OverviewService, overviewRoutes(deps))
        router.service(ForecastService, forecastRoutes({ ...deps, forecasters }))
      },
      activities: {
        ...accountRemovalActivities(deps.database, askIdentity(deps)),
        ...advanceActivities(deps),
        ...comparisonActivities(deps),
        ...removalActivities(deps),
        ...sweepActivities(deps),
        ...timezoneActivities(deps),
      },
      schedules: [
        { args: [], id: 'advance', type: 'advance', cron: '0 * * * *' },
        { args: [], id: 'compare-plans', type: 'comparePlans', cron: '30 * * * *' },
        { args: [], id: 'sweep-plans', type: 'sweepPlans', cron: '*/10 * * * *' },
      ],
      close: async () => {
        metrics[Symbol.dispose]()
        await forecasters[Symbol.asyncDispose]()
      },
    }
  },
})
