import { FaultCode } from '@coffer/feed-sync/provider/feed-fault'
import { eventually } from '@coffer/host/testing/boot'
import { auditLedger } from '@coffer/ledger/money/audit.sql'
import { afterAll, beforeAll, expect, test } from '@jest/globals'
import fc from 'fast-check'
import {
  addAccount,
  daysAgo,
  type FeedHome,
  type FeedWorld,
  linkFeed,
  linkOne,
  type OneAccount,
  startFeedWorld,
} from '../mesh/feed-world.ts'
import { faults } from '../providers/feed-faults.ts'
import { type LunchFlow, startLunchFlow } from '../providers/lunch-flow.ts'
import { faultOfText, isAmountOf, isExact, type Readable, readableIn } from './feed-oracle.ts'
import { hostileAnswers } from './hostile-answers.ts'
import type { Hostile } from './hostile-json.ts'
import { listCandidates, listStoredAccounts, listStoredRows } from './stored-feed.ts'

// The 20 rounds of `test:long` thus send more than 20,000 hostile answers.
const answersMin = 1_050
const roundsMax = 60
// A busy machine takes minutes for the long run.
const timeoutMs = 900_000
const linkCount = 3
const accountCount = 10

type Kind = keyof typeof hostileAnswers

/** A link whose provider is hostile. */
interface HostileHome extends FeedHome {
  provider: LunchFlow
  feedIds: string[]
  /** Amounts in its answers, by `<bank account> <kind> <day>`; a balance has no day. */
  readable: Map<string, Readable[]>
}

const stack = new AsyncDisposableStack()
let world: FeedWorld
let homes: HostileHome[]
let peaceful: OneAccount
let answered = 0

beforeAll(async () => {
  const providers = await Promise.all(Array.from({ length: linkCount + 1 }, startOne))
  const urls = providers.map(({ url }) => url).join()
  world = stack.use(await startFeedWorld({ COFFER_FEED_ALLOWED_URLS: urls }))
  const [own, ...hostile] = providers as [LunchFlow, ...LunchFlow[]]
  peaceful = await linkOne({ ...world, provider: own })
  homes = await Promise.all(hostile.map((provider) => link(provider)))
})

afterAll(async () => {
  await stack.disposeAsync()
})

const startOne = async () => stack.use(await startLunchFlow())

async function link(provider: LunchFlow): Promise<HostileHome> {
  const feedIds = Array.from({ length: accountCount }, () => addAccount(provider))
  for (const [index, feedId] of feedIds.entries()) {
    const bank = provider.bank(feedId)
    bank.post({ id: 'a', date: daysAgo(9), amount: '-1.25' })
    bank.post({ id: 'b', date: daysAgo(40), amount: `${index}.30` })
    bank.pend({ id: null, date: daysAgo(1), amount: '-7' })
  }
  const home = await linkFeed({ ...world, provider }, feedIds)
  const first = { amount: '0', currency: '', date: '' }
  const readable = new Map(feedIds.map((feedId) => [`${feedId} balance `, [first]]))
  return { ...home, provider, feedIds, readable }
}

/** Returns functions, one for each link, that return the next hostile answer of a kind. */
function hostileOf(kind: Kind): (() => Hostile)[] {
  const sample = fc.sample(hostileAnswers[kind], 3_000)
  return homes.map((_, index) => {
    let next = index * 1_000
    return () => {
      next += 1
      return sample[next % sample.length] as Hostile
    }
  })
}

/** Makes all answers of the provider hostile. */
function turnHostile(home: HostileHome, next: (kind: Kind) => Hostile): void {
  const { provider, feedIds, readable } = home
  const answerOf = (kind: Kind, feedId: string) =>
    faults.any((right) => {
      const answer = next(kind)(right)
      if (answer.body !== right) answered += 1
      const body = typeof answer.body === 'string' ? answer.body : answer.body.toString()
      if (kind !== 'accounts' && body.length < 2 ** 20) {
        for (const one of readableIn(body, { kind, feedId })) {
          const key = `${feedId} ${kind} ${one.date}`
          readable.set(key, [...(readable.get(key) ?? []), one])
        }
      }
      return answer
    })
  for (const [path, kind, feedId] of pathsOf(feedIds)) provider.fault(path, answerOf(kind, feedId))
}

function pathsOf(feedIds: string[]): [RegExp, Kind, string][] {
  const paths = feedIds.flatMap((feedId): [RegExp, Kind, string][] => [
    [new RegExp(`^/accounts/${feedId}/balance`), 'balance', feedId],
    [new RegExp(`^/accounts/${feedId}/transactions`), 'transactions', feedId],
  ])
  return [[/^\/accounts$/, 'accounts', ''], ...paths]
}

const codes: unknown[] = [...FaultCode.values].filter((code) => code !== 'internal')

/** Syncs a link. Its workflow must end, and no activity may be refused. */
async function requireEnded(home: HostileHome): Promise<void> {
  const { status, lastError, bankAccounts } = await home.sync()
  expect(['active', 'error']).toContain(status)
  const errors = [lastError, ...bankAccounts.map((one) => one.lastError)]
  for (const error of errors) if (error) expect(codes).toContain(error.code)
  const { workflows, prefix } = world.coffer.booted
  const id = `${prefix}/workflows/feed-sync/${home.linkId}`
  const workflow = workflows.client.workflow.getHandle(id)
  const isEnded = ({ status: { name } }: { status: { name: string } }) => name !== 'RUNNING'
  expect((await eventually(() => workflow.describe(), isEnded)).status.name).toBe('COMPLETED')
  const { events } = await workflow.fetchHistory()
  // On a busy machine, activities may be repeated after a timeout.
  const failures = (events ?? []).flatMap(({ activityTaskFailedEventAttributes: failed }) => {
    return failed?.failure?.applicationFailureInfo?.nonRetryable ? [failed.failure.message] : []
  })
  expect(failures).toEqual([])
}

/** Requires that all amounts stored of a person are in answers. Returns the number of texts. */
async function requireSane({ person: { accountId }, ...home }: HostileHome): Promise<number> {
  const { booted } = world.coffer
  const isIn = (
    { bankAccountId, amount, date }: { bankAccountId: string; amount: bigint; date: string },
    kind: 'balance' | 'transactions',
  ) => {
    const feedId = home.feedIds[home.bankAccountIds.indexOf(bankAccountId)]
    const known = home.readable.get(`${feedId} ${kind} ${date}`) ?? []
    const isOne = (one: Readable) =>
      ['', 'USD'].includes(one.currency) && isAmountOf(amount, one, kind === 'balance')
    return isExact(amount) && known.some(isOne)
  }
  const texts: (string | null)[] = []
  for (const row of await listStoredRows(booted.database('ledger'), accountId)) {
    texts.push(...row.texts)
    const [date = '', time] = row.date.split(' ')
    const found = isIn({ ...row, amount: -row.amount, date }, 'transactions')
    if (!found || time !== '00:00') expect([row, 'is in no answer']).toEqual([])
    expect(['', 'USD']).toContain(row.currency)
    expect(row.providerId ?? 'a').toMatch(/^[^\p{Cc}\p{Zl}\p{Zp}]{1,200}$/u)
  }
  for (const account of await listStoredAccounts(booted.database('ledger'), accountId)) {
    texts.push(...account.texts)
    const found = isIn({ ...account, amount: account.current, date: '' }, 'balance')
    if (!found) expect([account, 'is in no answer']).toEqual([])
    expect(account.available).toBe(account.current)
  }
  for (const candidate of await listCandidates(booted.database('feed-sync'), accountId)) {
    texts.push(...candidate.texts)
    expect(isExact(candidate.balance)).toBe(true)
  }
  expect(texts.filter((text) => faultOfText(text))).toEqual([])
  return texts.length
}

/** Requires that a bank account has the provider's transactions, and others from before only. */
async function requireRight(home: HostileHome): Promise<void> {
  const shown = ({ amount, date }: { amount: number | string; date: string }) =>
    `${date.slice(0, 10)} ${amount}`
  for (const [index, bankAccountId] of home.bankAccountIds.entries()) {
    const rows = home.provider.bank(home.feedIds[index] ?? '').listed()
    const right = rows.map((row) =>
      shown({ ...row, amount: Math.round(-100 * Number(row.amount)) }),
    )
    const listed = await home.person.get(`/bank_accounts/${bankAccountId}/transactions?limit=100`)
    const [first = ''] = right.toSorted()
    const since = listed.map(shown).filter((one: string) => one.slice(0, 10) >= first.slice(0, 10))
    expect(since.sort()).toEqual(right.sort())
  }
}

test(
  'hostile answers end every sync in its order, and store no nonsense',
  async () => {
    const nextOf = {
      accounts: hostileOf('accounts'),
      balance: hostileOf('balance'),
      transactions: hostileOf('transactions'),
    }
    for (const [index, home] of homes.entries()) turnHostile(home, (kind) => nextOf[kind][index]!())
    const database = world.coffer.booted.database('ledger')
    let [rounds, texts] = [0, 0]
    for (; answered < answersMin && rounds < roundsMax; rounds += 1) {
      peaceful.bank.post({ date: daysAgo(2), amount: '-1' })
      const [{ lastError }] = await Promise.all([peaceful.sync(), ...homes.map(requireEnded)])
      // On a busy machine both attempts of a call may take over 4 s: the next sync adds the rest.
      if (lastError?.code !== 'no-answer') {
        expect(lastError).toBeUndefined()
        const stored = await listStoredRows(database, peaceful.person.accountId)
        // Each with its record.
        expect(stored).toHaveLength(2 * (rounds + 1))
      }
      texts = (await Promise.all(homes.map(requireSane))).reduce((sum, count) => sum + count)
    }
    expect(texts).toBeGreaterThan(1_000)
    expect(answered).toBeGreaterThanOrEqual(answersMin)
    process.stdout.write(`${answered} hostile answers in ${linkCount * rounds} syncs\n`)
    expect(await auditLedger(database)).toEqual([])
  },
  timeoutMs,
)

test('after hostile answers, right ones restore the bank accounts', async () => {
  const recover = async (home: HostileHome) => {
    for (const [path] of pathsOf(home.feedIds)) home.provider.fault(path, null)
    // The first sync removes transactions that replaced right ones, the second restores these.
    await home.sync()
    await home.sync()
    await requireRight(home)
  }
  await Promise.all(homes.map(recover))
  expect(await auditLedger(world.coffer.booted.database('ledger'))).toEqual([])
})
