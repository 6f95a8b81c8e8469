import { defineService } from '@coffer/kit/service'
import { FundingScheduleService } from '@coffer/proto/budgeting/v1/funding_schedule'
import { SpendingService } from '@coffer/proto/budgeting/v1/spending'
import { advanceActivities } from './advance.activities.ts'
import { createAmountsStore } from './amounts.sql.ts'
import { settings } from './config.ts'
import { handlers } from './envelope.consumer.ts'
import { fundingScheduleRoutes } from './funding-schedule.rpc.ts'
import { openingActivities } from './opening.activities.ts'
import { removalActivities } from './removal.activities.ts'
import { spendingRoutes } from './spending.rpc.ts'

const workflow = { taskQueue: 'budgeting', args: [] }

/** Budgeting: the plans (design 1). */
export const budgeting = defineService({
  name: 'budgeting',
  schema: 'budgeting',
  migrations: new URL('../migrations', import.meta.url),
  settings,
  create: (deps) => {
    return {
      handlers: handlers({ ...deps, storeAmounts: createAmountsStore(deps) }),
      routes: (router) => {
        router.service(FundingScheduleService, fundingScheduleRoutes(deps))
        router.service(SpendingService, spendingRoutes(deps))
      },
      workflowModules: [
        new URL('./advance.workflow.ts', import.meta.url),
        new URL('./openings.workflow.ts', import.meta.url),
      ],
      activities: {
        ...advanceActivities(deps),
        ...openingActivities(deps),
        ...removalActivities(deps),
      },
      schedules: [
        { ...workflow, id: 'advance', type: 'advance', cron: '0 * * * *' },
        { ...workflow, id: 'sweep-openings', type: 'sweepOpenings', cron: '*/10 * * * *' },
      ],
    }
  },
})
