import { booting } from '@coffer/host/testing/booting'
import { ledger } from '@coffer/ledger/service'
import { expect, test } from '@jest/globals'
import { sql } from 'slonik'
import { advanceTogether } from '../../src/advance/advance-together.service.ts'
import { budgeting } from '../../src/service.ts'
import { advance, createSeptember, depsOf, type Funded, shown, untilSynced } from '../advancing.ts'
import { at, type Household } from '../household.ts'

const booted = booting([ledger, budgeting])

async function fill(
  { envelopes, bankAccountId, as }: Household,
  toSpendingId: string,
  amount: bigint,
) {
  await envelopes.transfer({ bankAccountId, toSpendingId, amount }, as)
}

async function spend(home: Household, spendingId: string, amount: bigint): Promise<void> {
  const { transactions, bankAccountId, as } = home
  const body = { bankAccountId, spendingId, amount, name: 'Shop', date: at('2023-09-28T05:00Z') }
  await transactions.createTransaction(body, as)
}

/** Stores outdated contributions (minor units, keyed by spending ID), as in the worked example. */
async function storeContributions(contributions: Record<string, bigint>): Promise<void> {
  for (const [spendingId, amount] of Object.entries(contributions)) {
    await booted.database('budgeting').pool.query(sql.unsafe`
      UPDATE spending SET next_contribution_amount = ${amount} WHERE spending_id = ${spendingId}`)
  }
}

/** Creates the envelopes of docs/hourly-job.md#worked-example on 9 October 2023. */
async function createExample(): Promise<Funded> {
  const home = await createSeptember(booted)
  const { fundingScheduleId, expense, goal } = home
  const late = await goal(fundingScheduleId, {
    name: 'late',
    nextRecurrence: at('2023-10-01T05:00Z'),
  })
  booted.clock.now = new Date('2023-10-09T13:32Z')
  await expense(fundingScheduleId, { name: 'odd', targetAmount: 1001n })
  const full = await expense(fundingScheduleId, { name: 'full' })
  const nearly = await expense(fundingScheduleId, { name: 'nearly full' })
  await expense(fundingScheduleId, { name: 'automatic', autoCreateTransaction: true })
  const trip = await goal(fundingScheduleId, {
    name: 'trip',
    nextRecurrence: at('2023-12-01T06:00Z'),
  })
  await fill(home, full.spendingId, 1000n)
  await fill(home, nearly.spendingId, 900n)
  for (const { spendingId } of [trip, late]) {
    await fill(home, spendingId, 200n)
    await spend(home, spendingId, 100n)
  }
  await untilSynced(booted, home)
  await storeContributions({ [nearly.spendingId]: 500n, [trip.spendingId]: 100n })
  return home
}

test('the worked example: a funding, and the first of the month with all due dates', async () => {
  const home = await createExample()
  const { fundingScheduleId, schedules, bankAccountId, as } = home
  const before = await home.balances()

  await advance(booted, '2023-10-13T06:00Z')
  const afterFunding = {
    odd: [500n, 0n, 501n],
    full: [1000n, 0n, 0n],
    'nearly full': [1000n, 0n, 0n],
    automatic: [500n, 0n, 500n],
    trip: [200n, 100n, 175n],
    late: [900n, 100n, 0n],
  }
  expect(await shown(home)).toEqual(afterFunding)
  const one = await schedules.getFundingSchedule({ bankAccountId, fundingScheduleId }, as)
  expect(one.fundingSchedule).toMatchObject({
    lastRecurrence: at('2023-10-13T05:00Z'),
    nextRecurrence: at('2023-10-31T05:00Z'),
    nextRecurrenceOriginal: at('2023-10-31T05:00Z'),
  })
  const past = (await home.list()).find(({ name }) => name === 'late')
  expect(past).toMatchObject({
    lastRecurrence: at('2023-10-01T05:00Z'),
    nextRecurrence: at('2023-10-01T05:00Z'),
  })
  const paid = await home.balances()
  expect(paid?.available).toBe((before?.available ?? 0n) + 200_000n)
  expect(paid?.current).toBe((before?.current ?? 0n) + 200_000n)

  await advance(booted, '2023-10-13T06:00Z')
  expect(await shown(home)).toEqual(afterFunding)
  expect(await home.balances()).toEqual(paid)

  // Payday 31 October fills the expenses. On 1 November they are due; one creates a transaction.
  await advance(booted, '2023-11-01T05:30Z')
  expect(await shown(home)).toEqual({
    odd: [0n, 0n, 500n],
    full: [0n, 0n, 500n],
    'nearly full': [0n, 0n, 500n],
    automatic: [0n, 0n, 500n],
    trip: [433n, 100n, 233n],
    late: [900n, 100n, 0n],
  })
  const rolled = (await home.list()).filter(({ spendingType }) => spendingType === 'expense')
  expect(rolled.map((one) => one.nextRecurrence)).toEqual(rolled.map(() => at('2023-12-01T06:00Z')))
  expect(rolled.map((one) => one.lastRecurrence)).toEqual(rolled.map(() => at('2023-11-01T05:00Z')))
  const { transactions } = await home.transactions.listTransactions(
    { bankAccountId, limit: 25 },
    as,
  )
  expect(transactions.map(({ name, amount, date }) => [name, amount, date])).toEqual([
    ['automatic', 1000n, at('2023-11-01T05:00Z')],
    ['Pay', -200_000n, at('2023-10-31T05:00Z')],
    ['Pay', -200_000n, at('2023-10-13T05:00Z')],
    ['Shop', 100n, at('2023-09-28T05:00Z')],
    ['Shop', 100n, at('2023-09-28T05:00Z')],
  ])
  expect(transactions[0]).toMatchObject({ spendingAmount: 1000n })
  expect(transactions[1]).toMatchObject({ createdByFundingScheduleId: fundingScheduleId })
  expect((await home.balances())?.available).toBe((paid?.available ?? 0n) + 199_000n)
})

test('with carry-over an expense keeps its unspent money on its due date', async () => {
  const home = await createSeptember(booted)
  await home.expense(home.fundingScheduleId, { name: 'rent' })
  const { accountId, bankAccountId } = home
  const now = new Date('2023-11-01T12:00Z')
  const deps = { ...depsOf(booted), config: { ...depsOf(booted).config, expenseCarryOver: true } }
  booted.clock.now = now
  await advanceTogether(deps, [{ accountId, bankAccountId }], now)
  expect(await shown(home)).toEqual({ rent: [1000n, 0n, 0n] })
  const [rent] = await home.list()
  expect(rent?.nextRecurrence).toEqual(at('2023-12-01T06:00Z'))
})
