import type { ServiceDeps } from '@coffer/kit/service/service'
import { createWatchedGauge } from '@coffer/kit/telemetry/meter'
import { listDue } from './advance.sql.ts'

const watchLag = createWatchedGauge({
  name: 'coffer_hourly_job_lag_seconds',
  help: 'Time since the earliest date that the hourly job has not advanced, of all processes.',
})

/**
 * Exports the lag of the hourly job, in seconds since the earliest due date that is not booked,
 * until disposed. The job runs hourly, so a lag of up to an hour is normal.
 */
export function startAdvanceMetrics({
  database,
  clock,
}: Pick<ServiceDeps, 'database' | 'clock'>): Disposable {
  return watchLag(async () => {
    const now = clock()
    const [first] = await listDue(database, { now, after: null, limit: 1 })
    return first ? (now.getTime() - first.dueAt.getTime()) / 1_000 : 0
  })
}
