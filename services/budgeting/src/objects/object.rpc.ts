import { create } from '@bufbuild/protobuf'
import { readsOf } from '@coffer/kit/rpc/objects'
import {
  type FundingScheduleService,
  ListFundingSchedulesRequestSchema,
} from '@coffer/proto/budgeting/v1/funding_schedule'
import type { ObjectService } from '@coffer/proto/budgeting/v1/object'
import {
  ListSpendingRequestSchema,
  type SpendingService,
} from '@coffer/proto/budgeting/v1/spending'
import type { ObjectKey } from '@coffer/proto/changes/v1/changes'
import type { ServiceImpl } from '@connectrpc/connect'

/** RPC handlers of `plans` and `schedules` that list the objects of a bank account. */
type Lists = Pick<ServiceImpl<typeof SpendingService>, 'listSpending'> &
  Pick<ServiceImpl<typeof FundingScheduleService>, 'listFundingSchedules'>

/**
 * Returns the RPC handler that reads plans and schedules by ID: it filters the lists of their bank
 * accounts.
 */
export function objectRoutes({
  listSpending,
  listFundingSchedules,
}: Lists): ServiceImpl<typeof ObjectService> {
  return {
    readObjects: async ({ objects }, context) => {
      const { of, present } = readsOf(objects)
      const isWanted = new Set(objects.map(({ objectId }) => objectId))
      const spending = await present(bankAccountsOf(of('spending')), async (bankAccountId) => {
        const request = create(ListSpendingRequestSchema, { bankAccountId })
        const { spending: all = [] } = await listSpending(request, context)
        return all.filter(({ spendingId = '' }) => isWanted.has(spendingId))
      })
      const schedules = bankAccountsOf(of('funding_schedule'))
      const fundingSchedules = await present(schedules, async (bankAccountId) => {
        const request = create(ListFundingSchedulesRequestSchema, { bankAccountId })
        const { fundingSchedules: all = [] } = await listFundingSchedules(request, context)
        return all.filter(({ fundingScheduleId = '' }) => isWanted.has(fundingScheduleId))
      })
      return { spending, fundingSchedules }
    },
  }
}

const bankAccountsOf = (keys: readonly ObjectKey[]) =>
  new Set(keys.map(({ bankAccountId }) => bankAccountId ?? ''))
