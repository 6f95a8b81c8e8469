import { type Timestamp, timestampMs } from '@bufbuild/protobuf/wkt'
import type { Mesh } from '@coffer/kit/rpc/mesh'
import {
  type FundingSchedule,
  FundingScheduleService,
} from '@coffer/proto/budgeting/v1/funding_schedule'
import type { NextFunding } from '@coffer/proto/budgeting/v1/overview'
import { type Spending, SpendingService } from '@coffer/proto/budgeting/v1/spending'
import type { CallOptions } from '@connectrpc/connect'

// Number of bank accounts that are read concurrently.
const batchSize = 8

// Limits of the answer, equal to those of budgeting (docs/api/overview.md).
const behindMax = 100
const paydaysMax = 20

interface Plans {
  behind: Spending[]
  paydays: FundingSchedule[]
  /** Always empty: the former lists lack it, and `nextFunding` of a payday is optional. */
  nextFundings: NextFunding[]
  /** Never set: the former lists lack it, and the key is optional. */
  expenseCarryOver?: undefined
}

/**
 * until 0.5: returns the answer of the RPC `GetPlanOverview`, which a budgeting of 0.3 does not
 * know, from two lists for each bank account.
 */
export async function readFormerPlans(
  mesh: Mesh,
  bankAccountIds: readonly string[],
  options: CallOptions,
): Promise<Plans> {
  const plans = mesh.client('budgeting', SpendingService)
  const schedules = mesh.client('budgeting', FundingScheduleService)
  const behind: Spending[] = []
  const paydays: FundingSchedule[] = []
  const read = async (bankAccountId: string) => {
    const [spent, funded] = await Promise.all([
      plans.listSpending({ bankAccountId }, options),
      schedules.listFundingSchedules({ bankAccountId }, options),
    ])
    behind.push(...spent.spending.filter(({ isBehind, isPaused }) => isBehind && !isPaused))
    paydays.push(...funded.fundingSchedules.filter(firesAgain))
  }
  for (let at = 0; at < bankAccountIds.length; at += batchSize) {
    await Promise.all(bankAccountIds.slice(at, at + batchSize).map(read))
  }
  return {
    behind: behind.sort(byDate(({ spendingId }) => spendingId)).slice(0, behindMax),
    paydays: paydays
      .sort(byDate(({ fundingScheduleId }) => fundingScheduleId))
      .slice(0, paydaysMax),
    nextFundings: [],
  }
}

interface Dated {
  nextRecurrence?: Timestamp | undefined
  lastRecurrence?: Timestamp | undefined
}

function firesAgain({ nextRecurrence, lastRecurrence }: Dated): boolean {
  return msOf(nextRecurrence) !== msOf(lastRecurrence)
}

function byDate<Row extends Dated>(idOf: (row: Row) => string): (one: Row, other: Row) => number {
  return (one, other) =>
    msOf(one.nextRecurrence) - msOf(other.nextRecurrence) || (idOf(one) < idOf(other) ? -1 : 1)
}

function msOf(time: Timestamp | undefined): number {
  return time === undefined ? 0 : timestampMs(time)
}
