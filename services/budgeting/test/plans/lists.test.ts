import { counted } from '@coffer/host/testing/boot'
import { booting } from '@coffer/host/testing/booting'
import { statementsMax } from '@coffer/kit/testing/statements-max'
import { ledger } from '@coffer/ledger/service'
import { expect, test } from '@jest/globals'
import { budgeting } from '../../src/service.ts'
import { at, createBudgetHousehold } from '../household.ts'
import { monthly } from '../samples.ts'

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

test('plans of several accounts that are recalculated at once are not mixed', async () => {
  const homes = await Promise.all([1, 2].map(() => createBudgetHousehold(booted)))
  const asked = homes.map(async ({ bankAccountId, as, spending, envelopes, ...home }, index) => {
    const { fundingScheduleId } = await home.pay()
    await home.expense(fundingScheduleId)
    await home.expense(fundingScheduleId)
    const { envelopes: all } = await envelopes.listEnvelopes({ bankAccountId }, as)
    const [first] = all
    return [all, first ? [first] : [], []].map((some) => async () => {
      const foreign = { bankAccountId: homes[1 - index]?.bankAccountId ?? '', envelopes: some }
      const [own, none] = await Promise.all([
        spending.recalculateSpending({ bankAccountId, envelopes: some }, as),
        spending.recalculateSpending(foreign, as),
      ])
      expect(none.spending).toEqual([])
      return [some, own.spending].map((list) => list.map(({ spendingId }) => spendingId).sort())
    })
  })
  const requests = (await Promise.all(asked)).flat()
  const answers = await Promise.all(requests.map((request) => request()))
  expect(answers.map(([some]) => some?.length)).toEqual([2, 1, 0, 2, 1, 0])
  for (const [some, own] of answers) expect(own).toEqual(some)
})

test('an overview has what is behind by due date, with the present money', async () => {
  const home = await createBudgetHousehold(booted)
  const { as, bankAccountId, accounts, linkId, envelopes } = home
  const late = await home.pay({ name: 'Late', ruleset: monthly })
  const { fundingScheduleId } = await home.pay()
  const [one, other] = [at('2023-10-12T05:00Z'), at('2023-10-11T05:00Z')]
  const second = await home.expense(fundingScheduleId, { nextRecurrence: one })
  const first = await home.goal(fundingScheduleId, { nextRecurrence: other })
  await home.expense(fundingScheduleId, { nextRecurrence: other, isPaused: true })
  await home.expense(fundingScheduleId)
  const { behind, paydays } = await home.overview()
  expect(behind).toEqual([first, second])
  const names = [fundingScheduleId, late.fundingScheduleId]
  expect(paydays.map((payday) => payday.fundingScheduleId)).toEqual(names)
  await envelopes.transfer({ bankAccountId, toSpendingId: first.spendingId, amount: 1000n }, as)
  expect((await home.overview()).behind).toEqual([second])
  await envelopes.closeEnvelope({ bankAccountId, spendingId: second.spendingId }, as)
  expect((await home.overview()).behind).toEqual([])
  const empty = { behind: [], paydays: [], nextFundings: [] }
  expect(await home.overview([])).toMatchObject(empty)
  const stranger = await createBudgetHousehold(booted)
  expect(await stranger.overview([bankAccountId])).toMatchObject(empty)
  const date = at('2023-10-08T05:00Z')
  const tea = { name: 'Tea', amount: 3n, date }
  const transactions = [tea, tea, { ...tea, amount: -3n }, { ...tea, spendingId: first.spendingId }]
  await home.transactions.createTransactions({ bankAccountId, transactions }, as)
  const { bankAccount } = await accounts.createBankAccount({ linkId, name: 'Savings' }, as)
  const listed = await accounts.listOverviews({}, as)
  const shown = listed.bankAccounts.map((row) => [row.balance?.goals, row.unassignedCount])
  expect(shown).toEqual([
    [997n, 2],
    [0n, 0],
  ])
  const countsOf = async () => {
    const [row] = (await accounts.listOverviews({}, as)).bankAccounts
    return [row?.unassignedCount, row?.isUnassignedCountExact]
  }
  expect(await countsOf()).toEqual([2, true])
  const more = Array.from({ length: 96 }, () => ({ ...tea, date: at('2023-10-09T05:00Z') }))
  await home.transactions.createTransactions({ bankAccountId, transactions: more }, as)
  expect(await countsOf()).toEqual([98, false])
  // One that stays free to use by the user's choice waits no longer.
  const waiting = { bankAccountId, free: true, undecided: true, limit: 1 }
  const [kept] = (await home.transactions.listTransactions(waiting, as)).transactions
  const { transactionId = '' } = kept ?? {}
  const updateMask = { paths: ['spending_id'] }
  await home.transactions.updateTransaction({ bankAccountId, transactionId, updateMask }, as)
  expect(await countsOf()).toEqual([97, false])
  await accounts.archiveBankAccount({ bankAccountId }, as)
  const left = await accounts.listOverviews({}, as)
  expect(left.bankAccounts.map((row) => row.bankAccount)).toEqual([bankAccount])
})

test.each(['list', 'overview'] as const)(
  '%s costs few statements in each service',
  async (read) => {
    const home = await createBudgetHousehold(booted)
    const { fundingScheduleId } = await home.pay()
    for (const nextRecurrence of [at('2023-10-11T05:00Z'), at('2023-10-12T05:00Z')]) {
      await home.expense(fundingScheduleId, { nextRecurrence })
    }
    const sent = () => ['budgeting', 'ledger'].map((name) => booted.database(name).statements())
    // The counts include concurrent event handlers: the minimum of several runs is compared.
    const costs: number[][] = []
    for (let time = 0; time < 8; time += 1) {
      const before = sent()
      await home[read]()
      costs.push(sent().map((count, index) => count - (before[index] ?? 0)))
    }
    for (const index of [0, 1]) {
      const least = Math.min(...costs.map((cost) => cost[index] ?? 0))
      const { listPlans, getPlanOverview } = statementsMax
      expect(least).toBeLessThanOrEqual(
        read === 'list' || index === 1 ? listPlans : getPlanOverview,
      )
    }
  },
)

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
