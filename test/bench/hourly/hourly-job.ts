import { silentLog } from '@coffer/host/testing/silent-log'
import { connectTemporal } from '@coffer/host/workflows/temporal'

/** Runs the workflow of the hourly job once, and waits for its end. */
export async function runHourlyJob(address: string): Promise<void> {
  await using temporal = connectTemporal({
    address,
    namespace: 'default',
    prefix: 'coffer',
    log: silentLog,
  })
  const id = 'advance-bench'
  await temporal.start({ type: 'advance', id, args: [] })
  await temporal.client.workflow.getHandle(`coffer/workflows/${id}`).result()
}
