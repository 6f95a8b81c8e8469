import { afterAll, beforeAll, expect, test } from '@jest/globals'
import { daysAgo } from './feed-world.ts'
import { linkItem, type PlaidWorld, startPlaidWorld } from './plaid-world.ts'

let world: PlaidWorld

beforeAll(async () => {
  world = await startPlaidWorld()
})

afterAll(async () => {
  await world[Symbol.asyncDispose]()
})

test('the first sync imports all transactions and sets the balances', async () => {
  const { bank, sync, list, person, paths } = await linkItem(world)
  bank.post({ date: '2024-05-01', amount: '10', name: 'OLD SHOP 0815', merchant: 'Old Shop' })
  bank.post({ date: daysAgo(3), amount: '-1234.56', name: 'PAY', description: 'ACME PAYROLL' })
  bank.pend({ date: daysAgo(1), amount: '4.50', name: 'Cafe', category: 'FOOD_AND_DRINK_COFFEE' })
  const health = await sync()
  expect(health).toMatchObject({ status: 'setup', isSyncing: false, failuresInRow: 0 })
  expect(health.lastArrival).toMatchObject({ added: 3, changed: 0, matched: 0, removed: 0 })
  const [cafe, pay, old] = await list()
  expect(cafe).toMatchObject({ name: 'Cafe', amount: 450, isPending: true, source: 'aggregator' })
  expect(pay).toMatchObject({ name: 'PAY', originalName: 'ACME PAYROLL', amount: -123_456 })
  expect(old).toMatchObject({ name: 'Old Shop', amount: 1_000, date: '2024-05-01T05:00:00Z' })
  expect(await person.get(`${paths[0]}/balances`)).toMatchObject({
    current: 11_000,
    available: 10_000,
  })
})
