import { sampleSize } from '@coffer/kit/testing/sample-size'
import { expect, test } from '@jest/globals'
import fc from 'fast-check'
import { aProviderRow } from '../../test/imports/samples.ts'
import {
  bring,
  check,
  drop,
  edit,
  emptyWorld,
  START,
  type World,
} from '../../test/syncs/synced-world.ts'
import type { ProviderRow } from './provider-transaction.ts'

type Step =
  | { kind: 'bring'; rows: ProviderRow[] }
  | { kind: 'drop'; ids: string[] }
  | { kind: 'edit'; pick: number }

const DAY = 86_400_000

// Few different IDs, amounts and texts, so that many are equal.
const ids = fc.constantFrom('a', 'b', 'c', 'd', 'e')
const rows = fc
  .record({
    providerTransactionId: ids,
    pendingProviderTransactionId: fc.option(ids, { nil: null, freq: 2 }),
    amount: fc.constantFrom(-700n, 0n, 700n, 1200n, 9000n),
    name: fc.constantFrom('Deli', 'Garage'),
    isPending: fc.boolean(),
    currency: fc.constantFrom('USD', 'USD', 'USD', 'EUR'),
    days: fc.integer({ min: 0, max: 12 }),
  })
  .map(({ days, ...one }) => {
    const date = new Date(START + days * DAY)
    return aProviderRow({ ...one, displayName: one.name, merchantName: '', date })
  })
const batches = fc
  .tuple(fc.constantFrom('account_1', 'account_2'), fc.array(rows, { maxLength: 6 }))
  .map(([providerAccountId, batch]) => batch.map((one) => ({ ...one, providerAccountId })))
const steps: fc.Arbitrary<Step> = fc.oneof(
  fc.record({ kind: fc.constant('bring' as const), rows: batches }),
  fc.record({ kind: fc.constant('drop' as const), ids: fc.array(ids, { maxLength: 3 }) }),
  fc.record({ kind: fc.constant('edit' as const), pick: fc.nat() }),
)

function take(world: World, step: Step): void {
  if (step.kind === 'bring') {
    bring(world, step.rows)
    // After a change of the account's ID, a feed's second call may separate transactions.
    if (world.source === 'feed') bring(world, step.rows)
    const again = bring(world, step.rows)
    expect([...again.transactions, ...again.records]).toEqual([])
  } else if (step.kind === 'drop') {
    drop(world, step.ids)
  } else {
    edit(world, step.pick)
  }
}

test.each(['aggregator', 'feed'] as const)(
  'any sequence of %s syncs keeps the money and the edits of the user',
  (source) => {
    fc.assert(
      fc.property(fc.array(steps, { maxLength: 12 }), (taken) => {
        const world = emptyWorld(source)
        for (const step of taken) {
          take(world, step)
          check(world)
        }
      }),
      { numRuns: sampleSize(300) },
    )
  },
)
