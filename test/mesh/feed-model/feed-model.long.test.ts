import { definitions } from '@coffer/cli/process/services'
import { feedSync } from '@coffer/feed-sync/service'
import { started } from '@coffer/host/testing/started'
import { mortalOf } from '@coffer/kit/testing/mortal'
import { ledger } from '@coffer/ledger/service'
import { expect, test } from '@jest/globals'
import fc from 'fast-check'
import { startFeedWorld } from '../feed-world.ts'
import { userActions } from '../sync-model/user-actions.ts'
import { bankEvents } from './bank-events.ts'
import { scripts } from './script.ts'
import { syncKinds } from './sync-kinds.ts'
import { runScript } from './world.ts'

const mortals = {
  ledger: mortalOf(ledger, { hasWorkflows: true }),
  feedSync: mortalOf(feedSync, { hasWorkflows: true }),
}
const services = definitions.map((one) => {
  const all = Object.values(mortals).map(({ definition }) => definition)
  return all.find(({ name }) => name === one.name) ?? one
})

const world = started(() => startFeedWorld({}, services))

test('any script of events, edits and syncs ends in the ledger that a model expects', async () => {
  const kinds = [bankEvents, userActions, syncKinds].flatMap((some) => Object.keys(some))
  const missing = new Set(kinds)
  const property = fc.asyncProperty(fc.tuple(scripts, scripts, scripts), async (samples) => {
    for (const sample of samples) {
      for (const step of await runScript({ world, mortals }, sample)) {
        missing.delete(step.replace(/:.*/, ''))
      }
      // Some events need others before: a second script may be needed to reach all.
      if (missing.size === 0) break
    }
  })
  // A failure prints a seed that repeats the run. No shrinking, because it would take minutes.
  await fc.assert(property, { numRuns: 1, endOnFailure: true })
  expect([...missing]).toEqual([])
})
