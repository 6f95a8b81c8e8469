import { notFound, refused } from '@coffer/kit/errors'
import { callerOf, onBehalfOf } from '@coffer/kit/rpc'
import type { ServiceDeps } from '@coffer/kit/service'
import type { HandlerContext } from '@connectrpc/connect'
import { lockSchedule } from './advance.sql.ts'
import { finishRemoval } from './funding-schedule-removal.client.ts'
import { hideSchedule, isInUse } from './funding-schedule-removal.sql.ts'
import { describeWritable } from './ledger.client.ts'

type Deps = Pick<ServiceDeps, 'database' | 'mesh' | 'clock' | 'log'>

/**
 * Deletes a schedule that nothing is on: it is hidden, the ledger forgets it, the row goes (design
 * 4). From the first step on it is gone; what is left of the others a sweep does.
 */
export async function deleteFundingSchedule(
  deps: Deps,
  { bankAccountId, fundingScheduleId }: { bankAccountId: string; fundingScheduleId: string },
  context: HandlerContext,
): Promise<void> {
  const { database, clock, log } = deps
  const { accountId } = callerOf(context)
  const schedule = { accountId, bankAccountId, fundingScheduleId }
  await describeWritable(deps, bankAccountId, context)
  await database.transaction(async (tx) => {
    const found = await lockSchedule(tx, schedule, fundingScheduleId)
    if (!found) {
      const text = 'cannot remove funding schedule, it does not exist'
      throw notFound('funding schedule', text)
    }
    if (await isInUse(tx, schedule)) {
      throw refused('cannot remove funding schedule, expenses or goals are on it')
    }
    await hideSchedule(tx, schedule, clock())
  })
  try {
    await finishRemoval(deps, schedule, onBehalfOf(context))
  } catch (error) {
    log.warn({ err: error, ...schedule }, 'the end of a removal is left to the sweep')
  }
}
