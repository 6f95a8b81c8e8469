import { eventually } from '@coffer/host/testing/boot'
import { booting } from '@coffer/host/testing/booting'
import { silentLog } from '@coffer/host/testing/silent-log'
import { RuleRunService } from '@coffer/proto/ledger/v1/rule_run'
import { RuleSuggestionService } from '@coffer/proto/ledger/v1/rule_suggestion'
import { afterAll, expect, test } from '@jest/globals'
import { ledger } from '../../src/service.ts'
import { startSearchers } from '../../src/similar/cluster-pool.client.ts'
import { similarActivities } from '../../src/similar/similar.activities.ts'
import { auditing } from '../auditing.ts'
import { aRow, assign, envelopeOf, type SyncedHome, syncedHome } from '../syncs/syncing.ts'
import { days, payment, plainName, readSamples, type Sample } from './corpus.ts'

const pageSize = 100
const searchers = startSearchers()
const booted = auditing(booting([ledger]))

afterAll(async () => {
  await searchers[Symbol.asyncDispose]()
})

const samples = [...(await readSamples('first')), ...(await readSamples('second'))]
const score = { right: 0, wrong: 0, left: 0, all: 0 }

interface Paid {
  sample: Sample
  transactionId: string
}

/** Imports a payment of each sample in each of four months. */
async function pays(home: SyncedHome, own: readonly Sample[]): Promise<Paid[]> {
  const paid = own.flatMap((sample) => days.map((date) => ({ sample, date })))
  const rows = paid.map(({ sample, date }) => {
    const text = payment(sample, date)
    const texts = { originalName: text, name: text, displayName: text, merchantName: '' }
    return aRow({ ...texts, date, amount: 10n })
  })
  const stored = await home.brings(...rows)
  return paid.map(({ sample }, at) => ({
    sample,
    transactionId: stored[at]?.transactionId ?? '',
  }))
}

/** Accepts suggestions until there are none; returns how many. */
async function acceptAll({ as }: SyncedHome): Promise<number> {
  const client = booted.client('ledger', RuleSuggestionService)
  for (let accepted = 0; ; ) {
    const { suggestions } = await client.listRuleSuggestions({}, as)
    if (suggestions.length === 0) return accepted
    for (const { ruleSuggestionId } of suggestions) {
      await client.acceptRuleSuggestion({ ruleSuggestionId }, as).catch(() => undefined)
      accepted += 1
    }
    if (accepted > 500) throw new Error('accepted suggestions are suggested again')
  }
}

/** Returns all transactions of a bank account by ID. */
async function rowsOf({ transactions, bankAccountId, as }: SyncedHome, count: number) {
  const offsets = Array.from({ length: Math.ceil(count / pageSize) }, (_, at) => at * pageSize)
  const pages = offsets.map((offset) =>
    transactions.listTransactions({ bankAccountId, limit: pageSize, offset }, as),
  )
  const rows = (await Promise.all(pages)).flatMap((page) => page.transactions)
  return new Map(rows.map((row) => [row.transactionId, row]))
}

async function applyRules({ as }: SyncedHome): Promise<void> {
  const runs = booted.client('ledger', RuleRunService)
  const { run } = await runs.createRuleRun({}, as)
  const one = async () => (await runs.getRuleRun({ ruleRunId: run?.ruleRunId ?? '' }, as)).run
  await eventually(one, (found) => found?.status === 'complete', 60_000)
}

test.each([...new Set(samples.map(({ country }) => country))])(
  'suggested rules sort texts of %s, and none acts against an edit',
  async (country) => {
    const home = await syncedHome(booted)
    const own = samples.filter((one) => one.country === country)
    const paid = await pays(home, own)
    const deps = { database: booted.database('ledger'), clock: () => new Date(), log: silentLog }
    await similarActivities({ ...deps, searchers, quietMs: 0 }).clusterWaiting(null)
    const categories = [...new Set(own.map(({ category }) => category))]
    const envelopes = new Map<string, string>()
    for (const category of categories) {
      envelopes.set(category, (await envelopeOf(home, 5n)).spendingId)
    }
    const newest = own.flatMap((sample) => paid.findLast((one) => one.sample === sample) ?? [])
    for (const { sample, transactionId } of newest) {
      await assign(home, transactionId, { spendingId: envelopes.get(sample.category) ?? '' })
    }
    await acceptAll(home)
    await applyRules(home)
    const rows = await rowsOf(home, paid.length)
    for (const { sample, transactionId } of paid) {
      const row = rows.get(transactionId)
      const isNamed = plainName(row?.name) === plainName(sample.name)
      const isSorted = row?.spendingId === envelopes.get(sample.category)
      const isLeft = row?.name === row?.originalName && !row?.spendingId
      score.all += 1
      if (isNamed && isSorted) score.right += 1
      else score[isLeft ? 'left' : 'wrong'] += 1
    }
    // The edits of the user are what they were.
    expect(newest.map(({ transactionId }) => rows.get(transactionId)?.spendingId)).toEqual(
      newest.map(({ sample }) => envelopes.get(sample.category)),
    )
  },
  120_000,
)

test('at least 80 % of the transactions are named and sorted as a person would', () => {
  expect(score.right / score.all).toBeGreaterThanOrEqual(0.8)
})
