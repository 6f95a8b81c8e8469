import { defineService } from '@coffer/kit/service'
import { FundingScheduleService } from '@coffer/proto/budgeting/v1/funding_schedule'
import { SpendingService } from '@coffer/proto/budgeting/v1/spending'
import { createAmountsStore } from './amounts.sql.ts'
import { settings } from './config.ts'
import { handlers } from './envelope.consumer.ts'
import { fundingScheduleRoutes } from './funding-schedule.rpc.ts'
import { spendingRoutes } from './spending.rpc.ts'

/** Budgeting: the plans (design 1). */
export const budgeting = defineService({
  name: 'budgeting',
  schema: 'budgeting',
  migrations: new URL('../migrations', import.meta.url),
  settings,
  create: (deps) => {
    const plans = { ...deps, storeAmounts: createAmountsStore(deps.database) }
    return {
      handlers: handlers(plans),
      routes: (router) => {
        router.service(FundingScheduleService, fundingScheduleRoutes(deps))
        router.service(SpendingService, spendingRoutes(plans))
      },
    }
  },
})
