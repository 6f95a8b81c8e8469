import type { ServiceDeps } from '@coffer/kit/service'
import { TransactionService } from '@coffer/proto/ledger/v1/transaction'
import type { CallOptions } from '@connectrpc/connect'
import { hasPendingRun, removeSchedule, type ScheduleId } from './funding-schedule-removal.sql.ts'

/**
 * Has the ledger forget a hidden schedule, then removes it. A run that is still being booked could
 * name it afterwards: then it stays for the sweep. May be repeated, and stopped anywhere.
 */
export async function finishRemoval(
  { database, mesh }: Pick<ServiceDeps, 'database' | 'mesh'>,
  schedule: ScheduleId,
  options: CallOptions,
): Promise<void> {
  if (await hasPendingRun(database, schedule)) return
  const { bankAccountId, fundingScheduleId } = schedule
  const transactions = mesh.client('ledger', TransactionService)
  await transactions.forgetSchedule({ bankAccountId, fundingScheduleId }, options)
  await removeSchedule(database, schedule)
}
