import { newId } from '@coffer/kit/id'
import { connectTemporal } from '@coffer/kit/temporal'
import type { Booted } from '@coffer/kit/testing/boot'
import { requiredVariable } from '@coffer/kit/testing/database'

/** Runs the sweep as its schedule would, and waits for its end. */
export async function runSweep({ prefix }: Booted): Promise<void> {
  const address = requiredVariable('COFFER_TEST_TEMPORAL_ADDRESS')
  await using temporal = await connectTemporal({ address, namespace: 'default', prefix })
  const id = newId('sweep')
  await temporal.start({ type: 'sweepLedger', id, taskQueue: 'ledger', args: [] })
  await temporal.client.workflow.getHandle(`${prefix}/${id}`).result()
}
