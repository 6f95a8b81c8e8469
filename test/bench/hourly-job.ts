import { connectTemporal } from '@coffer/kit/temporal'

/** Runs the hourly job once, to its end. */
export async function runHourlyJob(address: string): Promise<void> {
  await using temporal = await connectTemporal({ address, namespace: 'default', prefix: 'coffer' })
  const id = 'advance-bench'
  await temporal.start({ type: 'advance', id, taskQueue: 'budgeting', args: [] })
  await temporal.client.workflow.getHandle(`coffer/${id}`).result()
}
