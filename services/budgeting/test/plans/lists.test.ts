import { counted } from '@coffer/host/testing/boot'
import { booting } from '@coffer/host/testing/booting'
import { statementsMax } from '@coffer/kit/testing/statements-max'
import { ledger } from '@coffer/ledger/service'
import { expect, test } from '@jest/globals'
import { budgeting } from '../../src/service.ts'
import { createBudgetHousehold } from '../household.ts'

const booted = booting([ledger, budgeting], {}, '2023-10-09T13:32Z')

test('a list is complete during concurrent changes and lists', async () => {
  const home = await createBudgetHousehold(booted)
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

test('a list costs few statements in each service', async () => {
  const home = await createBudgetHousehold(booted)
  const { fundingScheduleId } = await home.pay()
  await home.expense(fundingScheduleId)
  const sent = () => ['budgeting', 'ledger'].map((name) => booted.database(name).statements())
  // The counts include concurrent event handlers: the minimum of several runs is compared.
  const costs: number[][] = []
  for (let time = 0; time < 8; time += 1) {
    const before = sent()
    await home.list()
    costs.push(sent().map((count, index) => count - (before[index] ?? 0)))
  }
  for (const index of [0, 1]) {
    const least = Math.min(...costs.map((cost) => cost[index] ?? 0))
    expect(least).toBeLessThanOrEqual(statementsMax.listPlans)
  }
})

test('a creation beside thirty envelopes takes no more statements than the first', async () => {
  const { pay, expense } = await createBudgetHousehold(booted)
  const { fundingScheduleId } = await pay()
  const countStatements = async () => {
    const create = () => counted(booted.database('budgeting'), () => expense(fundingScheduleId))
    const { count, result } = await counted(booted.database('ledger'), create)
    return count + result.count
  }
  /** Returns the minimum of several runs: concurrent event handlers' statements are counted too. */
  const fewest = async () => {
    let least = Number.POSITIVE_INFINITY
    for (let time = 0; time < 8; time += 1) {
      least = Math.min(least, await countStatements())
    }
    return least
  }
  const alone = await fewest()
  for (let created = 0; created < 30; created += 10) {
    await Promise.all(Array.from({ length: 10 }, () => expense(fundingScheduleId)))
  }
  expect(await fewest()).toBeLessThanOrEqual(alone)
  expect(alone).toBeLessThanOrEqual(statementsMax.createSpending)
})
