import { eventually, untilLockAwaited } from '@coffer/host/testing/boot'
import { withClient } from '@coffer/host/testing/database'
import { started } from '@coffer/host/testing/started'
import { beforeEach, expect, test } from '@jest/globals'
import { createGoalIn } from '../harness/goal.ts'
import type { Json } from '../harness/person.ts'
import { faults } from '../providers/feed-faults.ts'
import { addAccount, daysAgo, linkOne, startFeedWorld } from './feed-world.ts'

const stages = ['begin', 'transactions', 'balances', 'complete']

const world = started(() => startFeedWorld())

beforeEach(() => {
  world.provider.accounts.splice(0)
})

/** Holds the provider's next answer to paths that match, until `release`. */
function hold(path: RegExp) {
  const { promise, resolve } = Promise.withResolvers<void>()
  world.provider.fault(path, faults.hold(promise), 1)
  const from = world.provider.requests.length
  const isAsked = async () => world.provider.requests.slice(from).some((one) => path.test(one))
  return { release: resolve, untilAsked: () => eventually(isAsked, Boolean) }
}

test('sockets receive the stages of a sync in order', async () => {
  const home = await linkOne(world)
  using frames = home.watch()
  home.bank.post({ date: daysAgo(1), amount: '-1' })
  await home.sync()
  expect(await frames.until(4)).toEqual(stages)
  world.provider.fault(/balance/, faults.status(500, 'on fire'))
  await home.sync()
  world.provider.fault(/balance/, null)
  expect((await frames.until(8)).slice(4)).toEqual([...stages.slice(0, 3), 'error'])
  expect(frames.all.at(-1)).toEqual({
    bankAccountId: home.bankAccountId,
    status: 'error',
    run: expect.any(String),
    error: 'the feed provider answered with status 500: on fire',
  })
})

test('a request during a sync is followed by another sync, never two at once', async () => {
  const home = await linkOne(world)
  using frames = home.watch()
  const held = hold(/balance/)
  await home.request()
  await held.untilAsked()
  await home.request()
  home.bank.post({ date: daysAgo(1), amount: '-1' })
  held.release()
  await eventually(home.list, ({ length }) => length === 1)
  const health = await home.until(
    ({ isSyncing, lastArrival }) => !isSyncing && !!lastArrival?.added,
  )
  expect(health.failuresInRow).toBe(0)
  expect(await frames.until(8)).toEqual([...stages, ...stages])
})

test('a request while the last step of a sync runs is not lost', async () => {
  const home = await linkOne(world)
  const { booted } = world.coffer
  const held = hold(/balance/)
  await home.request()
  await held.untilAsked()
  await withClient(booted.databaseUrl, async (client) => {
    const row = 'SELECT FROM feed_sync.feed_links WHERE feed_link_id = $1 FOR UPDATE'
    await client.query('BEGIN')
    await client.query(row, [home.feedLinkId])
    held.release()
    await untilLockAwaited(booted.database('feed-sync'))
    const requested = home.request()
    await client.query('COMMIT')
    await requested
  })
  home.bank.post({ date: daysAgo(1), amount: '-1' })
  await eventually(home.list, ({ length }) => length === 1)
})

test('of ten requests at once, no two are synced at once', async () => {
  const home = await linkOne(world)
  using frames = home.watch()
  await Promise.all(Array.from({ length: 10 }, () => home.request()))
  await home.sync()
  const all = await frames.until(4)
  expect(all).toEqual(all.map((_, index) => stages[index % 4]))
  expect(new Set(frames.all.map(({ run }) => run)).size).toBe(all.length / 4)
})

test('a bank account that is archived during its sync ends it quietly', async () => {
  const home = await linkOne(world)
  home.bank.post({ date: daysAgo(1), amount: '-1' })
  const held = hold(/transactions/)
  await home.request()
  await held.untilAsked()
  await home.person.call('DELETE', home.path)
  held.release()
  const health = await home.until(({ isSyncing, lastAttempt }) => !isSyncing && !!lastAttempt)
  expect(health).toMatchObject({ status: 'active', failuresInRow: 0 })
  expect(health.lastError).toBeUndefined()
  expect(await home.list()).toEqual([])
  const before = world.provider.requests.length
  await home.sync()
  expect(world.provider.requests.slice(before)).toEqual(['/accounts'])
})

test('a link that is deleted during its sync ends it quietly', async () => {
  const home = await linkOne(world)
  const held = hold(/transactions/)
  await home.request()
  await held.untilAsked()
  await home.person.call('DELETE', `/links/${home.linkId}`)
  held.release()
  const health = await home.until(({ isSyncing, status }) => !isSyncing && status === 'deactivated')
  expect([health.failuresInRow, health.lastError, health.nextAttempt]).toEqual([
    0,
    undefined,
    undefined,
  ])
  await expect(home.request()).rejects.toThrow(
    'the feed link is deactivated: create a new connection',
  )
})

test('new IDs of all transactions, and the former ones, keep what the user wrote', async () => {
  const { bank, sync, person, path } = await linkOne(world)
  const posted = Array.from({ length: 150 }, (_, n) => {
    return bank.post({ date: daysAgo(n % 20), amount: `-${1 + (n % 30)}` })
  })
  await sync()
  const listAll = async (): Promise<Json[]> => {
    const pages = [0, 100].map((offset) => `${path}/transactions?limit=100&offset=${offset}`)
    return (await Promise.all(pages.map((page) => person.get(page)))).flat()
  }
  const spendingId = await createGoalIn(person, path, 1_000_000)
  for (const [n, { transactionId }] of (await listAll()).entries()) {
    await person.patch(`${path}/transactions/${transactionId}`, { name: `Mine ${n}`, spendingId })
  }
  const before = await listAll()
  expect(before).toHaveLength(150)
  // Only the provider's record differs: it has an ID of its own.
  const userFields = (all: Json[]) => all.map(({ feedTransaction: _, ...rest }) => rest)
  for (const id of posted) bank.change(id, { id: `new-${id}` })
  expect((await sync()).lastArrival).toMatchObject({ added: 0, matched: 150, removed: 0 })
  expect(userFields(await listAll())).toEqual(userFields(before))
  for (const id of posted) bank.change(`new-${id}`, { id })
  expect((await sync()).lastArrival).toMatchObject({ added: 0, changed: 150, removed: 0 })
  expect(userFields(await listAll())).toEqual(userFields(before))
})

test('the removal of a posted transaction shows a pending one that equals it', async () => {
  const { bank, sync, list } = await linkOne(world)
  const row = { amount: '-12', merchant: 'Deli' }
  const posted = bank.post({ ...row, id: 'posted', date: daysAgo(3) })
  bank.post({ ...row, id: 'first', date: daysAgo(9), amount: '-1' })
  await sync()
  bank.pend({ ...row, id: 'pending', date: daysAgo(4) })
  expect((await sync()).lastArrival).toMatchObject({ matched: 1, removed: 0 })
  const [before] = await list()
  expect(before).toMatchObject({ amount: 1_200, isPending: false })
  bank.remove(posted)
  await sync()
  const { transactionId } = before
  expect(await list()).toMatchObject([{ transactionId, isPending: true }, { amount: 100 }])
})

test('a bank account under a new ID is attached to it, and keeps its transactions', async () => {
  const home = await linkOne(world)
  const { provider } = world
  const { person, feedLinkId, path } = home
  const paid = { date: daysAgo(3), amount: '-10', merchant: 'Deli' }
  home.bank.post(paid)
  await home.sync()
  const [before] = await home.list()
  await person.patch(`${path}/transactions/${before?.transactionId}`, { name: 'Lunch with Kim' })
  provider.accounts.splice(0, 1)
  const feedId = addAccount(provider)
  provider.bank(feedId).post(paid)
  const { lastError } = await home.sync()
  expect(lastError).toMatchObject({
    code: 'account-missing',
    advice: expect.stringMatching(/\/bank_accounts as feedBankAccountId in a PATCH/),
  })
  const list = (): Promise<Json[]> => person.get(`/feed/link/${feedLinkId}/bank_accounts`)
  const [fresh, former] = await list()
  expect(fresh).toMatchObject({ feedId, status: 'inactive' })
  const { feedBankAccountId } = fresh ?? {}
  addAccount(provider, { currency: 'EUR' })
  await person.post(`/feed/link/${feedLinkId}/bank_accounts/refresh`, {})
  const euros = (await list()).find(({ currency }) => currency === 'EUR')
  const other = { feedBankAccountId: euros?.feedBankAccountId }
  expect(await person.call('PATCH', path, { body: other })).toMatchObject({ status: 400 })
  const attached = await person.patch(path, { feedBankAccountId })
  expect(attached.feedBankAccount).toMatchObject({ feedBankAccountId, status: 'active' })
  expect((await list()).filter(({ status }) => status === 'active')).toHaveLength(1)
  const { bankAccounts } = await person.get(`/links/${home.linkId}/health`)
  expect(bankAccounts).toMatchObject([{ bankAccountId: home.bankAccountId }])
  expect((await home.sync()).lastArrival).toMatchObject({ added: 0, matched: 1, removed: 0 })
  expect(await home.list()).toMatchObject([{ ...before, name: 'Lunch with Kim' }])
  const back = { feedBankAccountId: former?.feedBankAccountId }
  expect(await person.patch(path, back)).toMatchObject(back)
})

test.each([
  ['another list', [{ date: daysAgo(4), amount: '-70', merchant: 'Tools' }]],
  ['an empty list', []],
])('a bank account attached to the wrong candidate, with %s, loses nothing', async (_, rows) => {
  const home = await linkOne(world)
  const { provider } = world
  const { person, feedLinkId, path } = home
  for (const amount of ['-10', '-20']) home.bank.post({ date: daysAgo(3), amount })
  await home.sync()
  const before = await home.list()
  const other = provider.bank(addAccount(provider))
  for (const row of rows) other.post(row)
  await person.post(`/feed/link/${feedLinkId}/bank_accounts/refresh`, {})
  const candidates: Json[] = await person.get(`/feed/link/${feedLinkId}/bank_accounts`)
  const [right, wrong] = ['active', 'inactive'].map((status) => {
    const found = candidates.find((one) => one.status === status)
    return { feedBankAccountId: found?.feedBankAccountId }
  })
  await person.patch(path, wrong)
  expect((await home.sync()).bankAccounts[0]?.lastError).toMatchObject({
    code: 'other-account',
    text: expect.stringContaining('none of the 2 known ones'),
  })
  expect(await home.list()).toEqual(before)
  await person.patch(path, right)
  expect((await home.sync()).lastArrival).toMatchObject({ added: 0, matched: 0, removed: 0 })
  expect(await home.list()).toEqual(before)
})
