import { budgeting } from '@coffer/budgeting/service'
import { type Booted, boot, eventually } from '@coffer/kit/testing/boot'
import { ledger } from '@coffer/ledger/service'
import { afterAll, beforeAll, expect, test } from '@jest/globals'
import { household } from './budgeting-household.ts'

let booted: Booted

beforeAll(async () => {
  booted = await boot([ledger, budgeting])
  booted.clock.now = new Date('2023-10-09T13:32Z')
})

afterAll(async () => {
  await booted[Symbol.asyncDispose]()
})

test('a list is whole while its plans change and others list them', async () => {
  const home = await household(booted)
  const { spending, bankAccountId, as } = home
  const { fundingScheduleId } = await home.pay()
  const plans = await Promise.all([1, 2, 3, 4].map(() => home.expense(fundingScheduleId)))
  const ids = plans.map(({ spendingId }) => spendingId).sort()
  const change = (spendingId: string, targetAmount: bigint) => {
    const patch = { spendingId, targetAmount, updateMask: { paths: ['target_amount'] } }
    return spending.updateSpending({ bankAccountId, ...patch }, as)
  }
  for (let round = 1n; round <= 60n; round += 1n) {
    const changes = ids.map((id) => change(id, 1000n + round))
    const lists = await Promise.all([...changes.map((done) => done.then(home.list)), home.list()])
    expect(lists.map((list) => list.map(({ spendingId }) => spendingId))).toEqual(
      lists.map(() => ids),
    )
  }
})

test('a list says that it is unchanged only while plans and money are', async () => {
  const home = await household(booted)
  const { spending, envelopes, bankAccountId, as } = home
  const { fundingScheduleId } = await home.pay()
  const { spendingId } = await home.expense(fundingScheduleId)
  let version: string | undefined
  /** What the plan shows if the list changed since it was last read whole, otherwise null. */
  const news = async () => {
    const known = version === undefined ? {} : { knownVersion: version }
    const reply = await spending.listSpending({ bankAccountId, ...known }, as)
    if (reply.isUnchanged) return null
    version = reply.version
    const [plan] = reply.spending
    return [plan?.targetAmount, plan?.currentAmount]
  }
  const settled = () => eventually(news, (shown) => shown === null)
  const before = await news()
  await settled()
  await envelopes.transfer({ bankAccountId, toSpendingId: spendingId, amount: 5n }, as)
  expect(await news()).toEqual([before?.[0], (before?.[1] ?? 0n) + 5n])
  await settled()
  const patch = { spendingId, targetAmount: 4321n, updateMask: { paths: ['target_amount'] } }
  await spending.updateSpending({ bankAccountId, ...patch }, as)
  expect(await news()).toEqual([4321n, (before?.[1] ?? 0n) + 5n])
  await settled()
  await spending.deleteSpending({ bankAccountId, spendingId }, as)
  expect(await news()).toEqual([undefined, undefined])
})

test('a list is new where one plan took the place of another', async () => {
  const home = await household(booted)
  const { spending, bankAccountId, as } = home
  const { fundingScheduleId } = await home.pay()
  const first = await home.expense(fundingScheduleId, { name: 'Rent' })
  const read = (knownVersion?: string) =>
    spending.listSpending({ bankAccountId, ...(knownVersion ? { knownVersion } : {}) }, as)
  const { version = '' } = await eventually(read, (list) => list.version !== undefined)
  expect(await read(version)).toMatchObject({ isUnchanged: true, spending: [] })
  await spending.deleteSpending({ bankAccountId, spendingId: first.spendingId }, as)
  const second = await home.expense(fundingScheduleId, { name: 'Rent' })
  const list = await read(version)
  expect(list.isUnchanged).toBe(false)
  expect(list.spending.map(({ spendingId }) => spendingId)).toEqual([second.spendingId])
})

test('a list that is unchanged costs a statement in each service', async () => {
  const home = await household(booted)
  const { spending, bankAccountId, as } = home
  const { fundingScheduleId } = await home.pay()
  await home.expense(fundingScheduleId)
  const { version = '' } = await eventually(
    () => spending.listSpending({ bankAccountId }, as),
    (list) => list.version !== undefined,
  )
  const sent = () => ['budgeting', 'ledger'].map((name) => booted.database(name).statements())
  /** The fewest of several: what events set off meanwhile counts as well. */
  const costs: number[][] = []
  for (let time = 0; time < 8; time += 1) {
    const before = sent()
    const list = await spending.listSpending({ bankAccountId, knownVersion: version }, as)
    expect(list.isUnchanged).toBe(true)
    costs.push(sent().map((count, index) => count - (before[index] ?? 0)))
  }
  expect([0, 1].map((index) => Math.min(...costs.map((cost) => cost[index] ?? 0)))).toEqual([1, 1])
})
