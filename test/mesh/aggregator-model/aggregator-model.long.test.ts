import { started } from '@coffer/host/testing/started'
import { expect, test } from '@jest/globals'
import fc from 'fast-check'
import { userActions } from '../sync-model/user-actions.ts'
import { startAggregatorWorld } from './aggregator-world.ts'
import { bankEvents } from './bank-events.ts'
import { scripts } from './script.ts'
import { syncKinds } from './sync-kinds.ts'
import { runScript } from './world.ts'

const world = started(() => startAggregatorWorld())

test('any script of events, edits and syncs ends in the ledger that a model expects', async () => {
  const kinds = [bankEvents, userActions, syncKinds].flatMap((some) => Object.keys(some))
  const missing = new Set(kinds)
  const property = fc.asyncProperty(fc.tuple(scripts, scripts, scripts), async (samples) => {
    for (const sample of samples) {
      for (const step of await runScript(world, sample)) missing.delete(step)
      // Some events need others before: a second script may be needed to reach all.
      if (missing.size === 0) break
    }
  })
  // A failure prints a seed that repeats the run. No shrinking, because it would take minutes.
  await fc.assert(property, { numRuns: 1, endOnFailure: true })
  expect([...missing]).toEqual([])
})
