import type { Booted } from '@coffer/host/testing/boot'
import { newId } from '@coffer/kit/values/id'

/** Runs the workflow of a Temporal schedule once, and waits for its end. */
export async function runSweep(
  { prefix, workflows }: Booted,
  type: 'sweepLedger' | 'findWaitingSimilar' = 'sweepLedger',
): Promise<void> {
  const id = newId('sweep')
  await workflows.start({ type, id, args: [] })
  await workflows.client.workflow.getHandle(`${prefix}/workflows/${id}`).result()
}
