import type { Step } from '@coffer/sync-kit/syncs/sync-run'
import { expect, test } from '@jest/globals'
import fc from 'fast-check'
import {
  type AccountToSync,
  type FeedSyncSteps,
  type PageResult,
  runFeedSync,
} from './feed-sync-run.ts'

const run = { accountId: 'acct_1', linkId: 'link_1', feedLinkId: 'lfx_1', runId: 'run/1' }
const today = '2026-03-01'
const done: { kind: 'done' } & PageResult = {
  kind: 'done',
  added: 1,
  changed: 2,
  matched: 3,
  skipped: 4,
  rows: 10,
  missing: [],
  isTooLarge: false,
}
const tooLarge = { ...done, isTooLarge: true }
const outage = new Error('a step failed eight times')

/** Account `bac_1`, `bac_2` and so on; even numbers are read whole. */
function accounts(count: number): AccountToSync[] {
  return Array.from({ length: count }, (_, index) => {
    const isWhole = index % 2 === 1
    return { bankAccountId: `bac_${index + 1}`, feedBankAccountId: `lbac_${index + 1}`, isWhole }
  })
}

// biome-ignore lint/suspicious/noExplicitAny: tests read the arguments of each step
type Call = { step: string; of: any }

/** Steps that succeed with two bank accounts, apart from `changes`; every call is recorded. */
function record(changes: Partial<FeedSyncSteps> = {}, count = 2) {
  const calls: Call[] = []
  const pauses: number[] = []
  const steps: FeedSyncSteps = {
    beginFeedSync: async () => ({ isManual: true }),
    syncFeedAccounts: async () => ({ kind: 'done', accounts: accounts(count), leftOut: 0, today }),
    importFeedPage: async () => done,
    removeMissing: async ({ missing }) => ({ kind: 'done', removed: missing.length }),
    syncFeedBalance: async () => ({ kind: 'done' }),
    endFeedAccount: async () => undefined,
    endFeedSync: async () => undefined,
    isStepFailure: (error) => error === outage,
    ...changes,
  }
  const noted = (name: string, step: (of: unknown) => unknown) => (of: unknown) => {
    if (name !== 'isStepFailure') calls.push({ step: name, of })
    return step(of)
  }
  const all = Object.entries(steps).map(([name, step]) => [name, noted(name, step)])
  const pause = async (ms: number) => {
    pauses.push(ms)
  }
  return {
    calls,
    pauses,
    named: (step: string) => calls.filter((one) => one.step === step).map(({ of }) => of),
    sync: () => runFeedSync(Object.fromEntries(all), run, pause),
  }
}

test('nothing is done without work', async () => {
  const { calls, sync } = record({ beginFeedSync: async () => null })
  await sync()
  expect(calls).toEqual([{ step: 'beginFeedSync', of: run }])
})

test('bank accounts are synced one after the other, balances last', async () => {
  const { calls, named, sync } = record({
    importFeedPage: async ({ isManual }) => ({ ...done, missing: isManual ? ['t1'] : [] }),
  })
  await sync()
  const account = ['importFeedPage', 'removeMissing', 'syncFeedBalance', 'endFeedAccount']
  const ofAccounts = [...account, ...account]
  expect(calls.map(({ step }) => step)).toEqual([
    'beginFeedSync',
    'syncFeedAccounts',
    ...ofAccounts,
    'endFeedSync',
  ])
  expect(named('importFeedPage')).toEqual([
    expect.objectContaining({ bankAccountId: 'bac_1', range: { from: '2025-12-01', to: null } }),
    expect.objectContaining({ bankAccountId: 'bac_2', range: { from: null, to: null } }),
  ])
  expect(named('endFeedAccount')[0]).toEqual({
    ...run,
    isManual: true,
    bankAccountId: 'bac_1',
    feedBankAccountId: 'lbac_1',
    ending: 'complete',
    isWhole: false,
  })
  const tally = { added: 2, changed: 4, matched: 6, skipped: 8, removed: 2 }
  expect(named('endFeedSync')).toEqual([
    { ...run, outcome: { kind: 'complete', tally }, unended: [] },
  ])
})

const failed = async () => ({ kind: 'failed' as const })
const gone = async () => ({ kind: 'gone' as const })
const wait = (ms: number) => async () => ({ kind: 'wait' as const, ms })
const dies = async () => {
  throw outage
}
/** Applies a step to the first bank account only. */
function first<Result>(step: () => Promise<Step<Result>>, other: Step<Result>) {
  return async ({ bankAccountId }: { bankAccountId: string }): Promise<Step<Result>> => {
    return bankAccountId === 'bac_1' ? step() : other
  }
}

const both = ['bac_1', 'bac_2']
const left = (count: number) => async () => {
  return { kind: 'done' as const, accounts: accounts(count), leftOut: 1, today }
}

test.each<[string, Partial<FeedSyncSteps>, Ending]>([
  ['the list fails', { syncFeedAccounts: failed }, { kind: 'failed' }],
  ['the link is gone', { syncFeedAccounts: gone }, { kind: 'gone' }],
  ['the list asks to wait', { syncFeedAccounts: wait(60_001) }, { kind: 'postponed' }],
  ['the list is not finished', { syncFeedAccounts: dies }, { kind: 'unfinished' }],
  [
    'one bank account fails',
    { importFeedPage: first<PageResult>(failed, done) },
    { kind: 'complete', endings: ['failed', 'complete'] },
  ],
  [
    'every bank account fails',
    { syncFeedBalance: failed },
    { kind: 'failed', endings: ['failed', 'failed'] },
  ],
  [
    'one is gone',
    { importFeedPage: first<PageResult>(gone, done) },
    { kind: 'complete', endings: ['complete'] },
  ],
  ['all are gone', { syncFeedBalance: gone }, { kind: 'complete' }],
  ['all are left out', { syncFeedAccounts: left(0) }, { kind: 'unsynced' }],
  ['the rest is gone', { syncFeedAccounts: left(1), syncFeedBalance: gone }, { kind: 'unsynced' }],
  [
    'one is gone and the other fails',
    { syncFeedBalance: first<object>(gone, { kind: 'failed' }) },
    { kind: 'failed', endings: ['failed'] },
  ],
  [
    'a bank account asks to wait for long',
    { syncFeedBalance: wait(3_600_000) },
    { kind: 'postponed', unended: both },
  ],
  [
    'a bank account is not finished',
    { importFeedPage: dies },
    { kind: 'unfinished', unended: both },
  ],
])('if %s, the sync ends', async (_case, changes, { kind, endings = [], unended = [] }) => {
  const { named, sync } = record(changes)
  await sync()
  expect(named('endFeedAccount').map(({ ending }) => ending)).toEqual(endings)
  expect(named('endFeedSync')).toHaveLength(1)
  expect(named('endFeedSync')[0]).toMatchObject({ outcome: { kind }, unended })
})

/** How a sync ends, and each of its bank accounts. */
type Ending = { kind: string; endings?: string[]; unended?: string[] }

test('an error that is no failure of a step is thrown, and the sync does not end', async () => {
  const { named, sync } = record({
    importFeedPage: async () => {
      throw new TypeError('a fault of the code')
    },
  })
  await expect(sync()).rejects.toThrow('a fault of the code')
  expect(named('endFeedSync')).toEqual([])
})

test('a step that asks to wait is repeated three times in a sync', async () => {
  let waits = 3
  const { pauses, named, sync } = record({
    importFeedPage: async () => {
      waits -= 1
      return waits >= 0 ? { kind: 'wait', ms: 60_000 } : done
    },
  })
  await sync()
  expect(pauses).toEqual([60_000, 60_000, 60_000])
  expect(named('endFeedSync')[0].outcome.kind).toBe('complete')
  const endless = record({ importFeedPage: wait(5) })
  await endless.sync()
  expect(endless.pauses).toEqual([5, 5, 5])
  expect(endless.named('endFeedSync')[0].outcome).toEqual({ kind: 'postponed', untilMs: 5 })
})

test('a list that is too large is requested by halves of its days, older ones first', async () => {
  const { named, sync } = record({ importFeedPage: async () => tooLarge }, 1)
  await sync()
  expect(
    named('importFeedPage')
      .slice(0, 3)
      .map(({ range }) => range),
  ).toEqual([
    { from: '2025-12-01', to: null },
    { from: '2025-12-01', to: '2026-07-16' },
    { from: '2025-12-01', to: '2026-03-24' },
  ])
  expect(
    named('importFeedPage')
      .map(({ isFirst }) => isFirst)
      .slice(0, 3),
  ).toEqual([true, false, false])
  expect(named('endFeedAccount')[0].ending).toBe('too-large')
  expect(named('endFeedSync')[0].outcome.kind).toBe('failed')
})

test('every page that fits is imported, and what all pages lack is removed', async () => {
  const { named, sync } = record(
    {
      importFeedPage: async ({ range: { from, to } }) => {
        const isWide = from === null && to === null
        return isWide ? tooLarge : { ...done, missing: [`after ${from}`] }
      },
    },
    2,
  )
  await sync()
  expect(named('importFeedPage')).toHaveLength(4)
  expect(named('removeMissing').map(({ missing }) => missing)).toEqual([
    ['after 2025-12-01'],
    ['after null', 'after 1998-08-02'],
  ])
  expect(named('endFeedSync')[0].outcome.tally).toMatchObject({ added: 3, removed: 3 })
})

test('more than 200,000 transactions of a bank account are too large', async () => {
  const { named, sync } = record({ importFeedPage: async () => ({ ...done, rows: 200_001 }) }, 1)
  await sync()
  expect(named('endFeedAccount')[0].ending).toBe('too-large')
  const fits = record({ importFeedPage: async () => ({ ...done, rows: 200_000 }) }, 1)
  await fits.sync()
  expect(fits.named('endFeedAccount')[0].ending).toBe('complete')
})

/** The answer of a step to a number from 0 to 99; null: the step fails. */
function answer(die: number): Step<PageResult> | null {
  if (die < 8) return { kind: 'failed' }
  if (die < 16) return { kind: 'gone' }
  if (die < 24) return { kind: 'wait', ms: die < 22 ? 1_000 : 100_000 }
  if (die < 28) return null
  if (die < 45) return tooLarge
  return { ...done, missing: die < 60 ? Array.from({ length: 200 }, (_, id) => `t${id}`) : [] }
}

test('whatever the steps answer, the sync ends once, within its bounds', async () => {
  const dice = fc.array(fc.nat({ max: 99 }), { maxLength: 60 })
  await fc.assert(
    fc.asyncProperty(dice, fc.nat({ max: 4 }), async (rolls, count) => {
      const waiting = [...rolls]
      const roll = async () => {
        const answered = answer(waiting.shift() ?? 99)
        if (answered === null) throw outage
        return answered
      }
      const { calls, pauses, named, sync } = record({
        syncFeedAccounts: async () => {
          const listed = await roll()
          return listed.kind === 'done'
            ? { kind: 'done', accounts: accounts(count), leftOut: count % 2, today }
            : listed
        },
        importFeedPage: roll,
        removeMissing: async ({ missing }) => {
          const removal = await roll()
          return removal.kind === 'done' ? { kind: 'done', removed: missing.length } : removal
        },
        syncFeedBalance: roll,
        endFeedAccount: async () => {
          if ((waiting.shift() ?? 99) < 3) throw outage
        },
      })
      await sync()
      expect(named('endFeedSync')).toHaveLength(1)
      expect(calls.at(-1)?.step).toBe('endFeedSync')
      expect(pauses.filter((ms) => ms <= 60_000)).toEqual(pauses.slice(0, 3))
      expect(calls.length).toBeLessThanOrEqual(rolls.length + count * 105 + 10)
      const { outcome, unended } = named('endFeedSync')[0]
      const ended = named('endFeedAccount').map(({ bankAccountId }) => bankAccountId)
      expect(new Set(ended).size).toBe(ended.length)
      for (const { missing } of named('removeMissing'))
        expect(missing.length).toBeLessThanOrEqual(500)
      const endings = named('endFeedAccount').map(({ ending }) => ending)
      if (outcome.kind === 'complete') expect(unended).toEqual([])
      if (outcome.kind === 'failed') expect(endings).not.toContain('complete')
    }),
  )
})
