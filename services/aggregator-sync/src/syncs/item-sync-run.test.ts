import type { Step } from '@coffer/sync-kit/syncs/sync-run'
import { expect, test } from '@jest/globals'
import { type ItemSyncSteps, type Pages, runItemSync } from './item-sync-run.ts'

const run = { accountId: 'acct_1', linkId: 'link_1', runId: 'run/1' }
const counts = { added: 1, changed: 2, matched: 3, removed: 4, skipped: 5 }
const pages = (next: Pages['next']): Step<Pages> => ({ kind: 'done', ...counts, next })
const times = (count: number) =>
  Object.fromEntries(Object.entries(counts).map(([name, one]) => [name, one * count]))
const outage = new Error('a step failed eight times')

/** Steps that succeed, apart from `changes`; every call is recorded. */
function record(changes: Partial<ItemSyncSteps> = {}) {
  const calls: string[] = []
  const pauses: number[] = []
  const ends: unknown[] = []
  const steps: ItemSyncSteps = {
    beginAggregatorSync: async () => ({ isManual: false, hasWindow: false }),
    syncItem: async () => ({ kind: 'done' }),
    importPages: async () => pages('end'),
    importWindow: async () => ({ kind: 'done', ...counts }),
    endAggregatorSync: async ({ outcome }) => void ends.push(outcome),
    isStepFailure: (error) => error === outage,
    ...changes,
  }
  const noted = (name: string, step: (of: never) => unknown) => (of: never) => {
    if (name !== 'isStepFailure') calls.push(name)
    return step(of)
  }
  const all = Object.entries(steps).map(([name, step]) => [name, noted(name, step)])
  const pause = async (ms: number) => void pauses.push(ms)
  return { calls, pauses, ends, sync: () => runItemSync(Object.fromEntries(all), run, pause) }
}

/** Returns a step with these results, one after the other; the last one repeats. */
function inTurn<Result>(...results: Result[]): () => Promise<Result> {
  let calls = 0
  return async () => {
    const result = results[Math.min(calls, results.length - 1)] as Result
    calls += 1
    return result
  }
}

test('nothing is done without work', async () => {
  const { calls, sync } = record({ beginAggregatorSync: async () => null })
  await sync()
  expect(calls).toEqual(['beginAggregatorSync'])
})

test('bank accounts are first, then pages up to the last', async () => {
  const importPages = inTurn(pages('more'), pages('more'), pages('end'))
  const { calls, ends, sync } = record({ importPages })
  await sync()
  const steps = ['importPages', 'importPages', 'importPages']
  expect(calls).toEqual(['beginAggregatorSync', 'syncItem', ...steps, 'endAggregatorSync'])
  expect(ends).toEqual([{ kind: 'complete', tally: times(3) }])
})

const byUser = { beginAggregatorSync: async () => ({ isManual: true, hasWindow: true }) }

test('a requested sync reads the last days again, after the changes', async () => {
  const { calls, ends, sync } = record(byUser)
  await sync()
  expect(calls.slice(2)).toEqual(['importPages', 'importWindow', 'endAggregatorSync'])
  // The last days have skipped rows of the changes, and of earlier syncs.
  expect(ends).toEqual([{ kind: 'complete', tally: { ...times(2), skipped: counts.skipped } }])
})

test('a sync that the service requested reads changes only', async () => {
  const begun = async () => ({ isManual: true, hasWindow: false })
  const { calls, ends, sync } = record({ beginAggregatorSync: begun })
  await sync()
  expect(calls.slice(2)).toEqual(['importPages', 'endAggregatorSync'])
  expect(ends).toEqual([{ kind: 'complete', tally: counts }])
})

test('a sync that the version before has begun reads the last days if requested', async () => {
  const { calls, sync } = record({ beginAggregatorSync: async () => ({ isManual: true }) })
  await sync()
  expect(calls).toContain('importWindow')
})

test.each<[Pages['next'], unknown]>([
  ['initial', { kind: 'partial', tally: counts }],
  ['not-ready', { kind: 'early', code: 'not-ready' }],
])('pages that end with %s are not the whole history', async (next, outcome) => {
  const { ends, sync } = record({ importPages: async () => pages(next) })
  await sync()
  expect(ends).toEqual([outcome])
})

test('before anything is ready, a requested sync reads no days', async () => {
  const { calls, sync } = record({
    ...byUser,
    importPages: async () => pages('not-ready'),
  })
  await sync()
  expect(calls).not.toContain('importWindow')
})

test('a loop is restarted five times; a sixth ends the sync', async () => {
  const restarts = (count: number) => Array.from({ length: count }, () => pages('restarted'))
  const five = record({ importPages: inTurn(...restarts(5), pages('end')) })
  await five.sync()
  // Each loop skips the same rows.
  expect(five.ends).toEqual([{ kind: 'complete', tally: { ...times(6), skipped: 5 } }])
  const six = record({ importPages: inTurn(...restarts(6), pages('end')) })
  await six.sync()
  expect(six.ends).toEqual([{ kind: 'early', code: 'mutated' }])
})

test('pages without an end are left to the next sync', async () => {
  const { calls, ends, sync } = record({ importPages: async () => pages('more') })
  await sync()
  expect(calls.filter((one) => one === 'importPages')).toHaveLength(200)
  expect(ends).toEqual([{ kind: 'unfinished' }])
})

const steps = ['syncItem', 'importPages', 'importWindow'] as const

test.each(steps)('%s that fails, or whose link is gone, ends the sync', async (step) => {
  for (const kind of ['failed', 'gone'] as const) {
    const { calls, ends, sync } = record({ ...byUser, [step]: async () => ({ kind }) })
    await sync()
    expect(ends).toEqual([{ kind }])
    expect(calls.slice(-2)).toEqual([step, 'endAggregatorSync'])
  }
})

test.each(steps)('%s that is to wait is repeated', async (step) => {
  const done = step === 'syncItem' ? { kind: 'done' } : pages('end')
  const waits = { [step]: inTurn<unknown>({ kind: 'wait', ms: 20_000 }, done) }
  const { ends, pauses, sync } = record({ ...byUser, ...waits })
  await sync()
  expect(pauses).toEqual([20_000])
  expect(ends).toMatchObject([{ kind: 'complete' }])
})

test.each(steps)('%s that is to wait for long postpones the sync', async (step) => {
  const long = { [step]: async () => ({ kind: 'wait', ms: 60_001 }) }
  const { ends, pauses, sync } = record({ ...byUser, ...long })
  await sync()
  expect(pauses).toEqual([])
  expect(ends).toEqual([{ kind: 'postponed', untilMs: 60_001 }])
})

test.each(steps)('%s that fails after all repetitions leaves the sync unfinished', async (step) => {
  const failing = { [step]: () => Promise.reject(outage) }
  const { ends, sync } = record({ ...byUser, ...failing })
  await sync()
  expect(ends).toEqual([{ kind: 'unfinished' }])
})

test.each(steps)('other errors of %s are thrown, and nothing ends', async (step) => {
  const cancelled = new Error('cancelled')
  const failing = { [step]: () => Promise.reject(cancelled) }
  const { ends, sync } = record({ ...byUser, ...failing })
  await expect(sync()).rejects.toBe(cancelled)
  expect(ends).toEqual([])
})
