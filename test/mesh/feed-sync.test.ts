import { afterAll, beforeAll, beforeEach, expect, test } from '@jest/globals'
import { addAccount, type FeedWorld, linkFeed, startFeedWorld } from './feed-world.ts'

let world: FeedWorld

beforeAll(async () => {
  world = await startFeedWorld()
})

afterAll(async () => {
  await world[Symbol.asyncDispose]()
})

beforeEach(() => {
  world.provider.accounts.splice(0)
})

const day = (ago: number) => new Date(Date.now() - ago * 86_400_000).toISOString().slice(0, 10)

test('the first sync imports all transactions and sets the balances', async () => {
  const { provider } = world
  const feedId = addAccount(provider, { balance: '100.25' })
  const bank = provider.bank(feedId)
  bank.post({ id: 'old', date: '2019-05-01', amount: '-10', merchant: 'Old Shop' })
  bank.post({ id: 'pay', date: day(3), amount: '1234.56', merchant: null, description: 'SALARY' })
  bank.pend({ id: null, date: day(1), amount: '-4.50', merchant: 'Cafe' })
  const home = await linkFeed(world, [feedId])
  const [bankAccountId = ''] = home.bankAccountIds
  const health = await home.sync()
  expect(health).toMatchObject({ status: 'active', isSyncing: false, failuresInRow: 0 })
  expect(health.lastArrival).toMatchObject({ added: 3, changed: 0, matched: 0, removed: 0 })
  const [cafe, pay, old] = await home.transactions(bankAccountId)
  expect(cafe).toMatchObject({ name: 'Cafe', amount: 450, isPending: true, source: 'feed' })
  expect(pay).toMatchObject({ name: 'SALARY', amount: -123_456, isPending: false })
  expect(old).toMatchObject({ name: 'Old Shop', amount: 1_000, date: '2019-05-01T00:00:00Z' })
  const balances = await home.person.get(`/bank_accounts/${bankAccountId}/balances`)
  expect(balances).toMatchObject({ current: 10_025, available: 10_025 })
})
