import type { ServiceDeps } from '@coffer/kit/service/service'
import { TransactionService } from '@coffer/proto/ledger/v1/transaction'
import type { CallOptions } from '@connectrpc/connect'
import type { PlanWriter } from '../plans/writer.service.ts'
import { hasPendingRun, type ScheduleId } from './schedule-removal.sql.ts'

/**
 * Drops the ledger's references to a hidden schedule, then deletes its row. Does nothing while a
 * run is pending, since booking it would refer to the schedule again. Idempotent: the sweep
 * repeats it.
 */
export async function finishRemoval(
  { database, mesh, write }: Pick<ServiceDeps, 'database' | 'mesh'> & Pick<PlanWriter, 'write'>,
  schedule: ScheduleId,
  options: CallOptions,
): Promise<void> {
  if (await hasPendingRun(database, schedule)) return
  const { bankAccountId, fundingScheduleId } = schedule
  const transactions = mesh.client('ledger', TransactionService)
  await transactions.forgetSchedule({ bankAccountId, fundingScheduleId }, options)
  await write({
    scope: { ...schedule, fundingScheduleIds: [fundingScheduleId] },
    decide: ({ schedules }) => ({
      reply: undefined,
      deletedSchedules: schedules.filter((one) => {
        return one.fundingScheduleId === fundingScheduleId && one.deletedAt !== null
      }),
    }),
  })
}
