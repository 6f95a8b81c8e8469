import { expect, test } from '@jest/globals'
import { type FeedSyncSteps, type Progress, runFeedSync } from './feed-sync-run.ts'

const run = { accountId: 'acct_1', linkId: 'link_1', feedLinkId: 'lfx_1', runId: 'run/1' }
const counts = { added: 1, changed: 2, matched: 3, skipped: 4, rows: 10 }
const accounts = ['bac_1', 'bac_2', 'bac_3', 'bac_4'].map((bankAccountId) => {
  return { bankAccountId, feedBankAccountId: `l${bankAccountId}`, isWhole: false }
})

/** Steps with four bank accounts, of which the second fails; every call is recorded. */
function record() {
  const calls: unknown[] = []
  const noted = <Result>(name: string, result: Result) => {
    return async (of: object): Promise<Result> => {
      calls.push([name, of])
      return result
    }
  }
  const today = '2026-03-01'
  const page = { kind: 'done' as const, ...counts, missing: [], isTooLarge: false }
  const imported = noted('importFeedPage', page)
  const steps: FeedSyncSteps = {
    beginFeedSync: noted('beginFeedSync', { isManual: true }),
    syncFeedAccounts: noted('syncFeedAccounts', { kind: 'done', accounts, leftOut: 0, today }),
    importFeedPage: async (of) => {
      const result = await imported(of)
      return of.bankAccountId === 'bac_2' ? { kind: 'failed' } : result
    },
    removeMissing: noted('removeMissing', { kind: 'done', removed: 0 }),
    syncFeedBalance: noted('syncFeedBalance', { kind: 'done' }),
    endFeedAccount: noted('endFeedAccount', undefined),
    endFeedSync: noted('endFeedSync', undefined),
    isStepFailure: () => false,
  }
  return { calls, steps }
}

const pause = async () => undefined

test('a sync in several runs of the workflow makes the calls of one run', async () => {
  const [whole, parts] = [record(), record()]
  await runFeedSync(whole.steps, run, pause)
  let from: Progress | null = null
  let runs = 0
  for (let isEnded = false; !isEnded && runs <= accounts.length; runs += 1) {
    const next: Progress[] = []
    const boundHistory = async (progress: Progress) => {
      next.push(structuredClone(progress))
      throw new Error('continued')
    }
    isEnded = await runFeedSync(parts.steps, run, pause, { from, boundHistory }).then(
      () => true,
      () => false,
    )
    from = next[0] ?? null
  }
  expect(runs).toBe(accounts.length)
  expect(parts.calls).toEqual(whole.calls)
})
