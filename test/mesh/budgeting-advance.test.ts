import { advanceActivities } from '@coffer/budgeting/advance.activities'
import { dueBankAccounts } from '@coffer/budgeting/advance.sql'
import {
  type AdvanceDeps,
  advanceBankAccount,
} from '@coffer/budgeting/advance-bank-account.activities'
import { decideRun } from '@coffer/budgeting/funding-run.activities'
import { linesOf, pendingRuns } from '@coffer/budgeting/funding-run.sql'
import { asSystem } from '@coffer/budgeting/ledger.client'
import { budgeting } from '@coffer/budgeting/service'
import { loadSigner } from '@coffer/kit/caller'
import { newId } from '@coffer/kit/id'
import { connectTemporal } from '@coffer/kit/temporal'
import { type Booted, boot, eventually } from '@coffer/kit/testing/boot'
import { requiredVariable } from '@coffer/kit/testing/database'
import { ledger } from '@coffer/ledger/service'
import { afterAll, beforeAll, expect, test } from '@jest/globals'
import { sql } from 'slonik'
import { z } from 'zod'
import { at, chicago, type Household, household } from './budgeting-household.ts'

let booted: Booted

beforeAll(async () => {
  booted = await boot([ledger, budgeting])
})

afterAll(async () => {
  await booted[Symbol.asyncDispose]()
})

async function advance(now: string): Promise<void> {
  const { advancePage } = advanceActivities(deps())
  booted.clock.now = new Date(now)
  expect(await advancePage({ now, after: null })).toEqual({ next: null, failed: 0 })
}

/** A household on 28 September 2023 whose next payday is 13 October, early for the 15th. */
async function september(): Promise<Household & { fundingScheduleId: string }> {
  booted.clock.now = new Date('2023-09-28T12:00Z')
  const home = await household(booted)
  const next = { excludeWeekends: true, nextRecurrence: at('2023-10-13T05:00Z') }
  const deposit = { autoCreateTransaction: true, estimatedDeposit: 200_000n }
  const { fundingScheduleId } = await home.pay({ ...next, ...deposit })
  return { ...home, fundingScheduleId }
}

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

/** Waits until the plans have seen what the ledger holds. */
async function synced({ envelopes, bankAccountId, as }: Household): Promise<void> {
  const { pool } = booted.database('budgeting')
  const listed = (await envelopes.listEnvelopes({ bankAccountId }, as)).envelopes
  const versions = listed.map(({ spendingId, version }) => `${spendingId} ${version}`)
  const seen = () =>
    pool.anyFirst(sql.type(z.object({ seen: z.string() }))`
      SELECT spending_id || ' ' || amounts_version AS seen FROM spending
      WHERE bank_account_id = ${bankAccountId} ORDER BY spending_id`)
  await eventually(seen, (rows) => JSON.stringify(rows) === JSON.stringify(versions))
}

/** Sets contributions that are out of date, as the worked example has them. */
async function announce(contributions: Record<string, bigint>): Promise<void> {
  for (const [spendingId, amount] of Object.entries(contributions)) {
    await booted.database('budgeting').pool.query(sql.unsafe`
      UPDATE spending SET next_contribution_amount = ${amount} WHERE spending_id = ${spendingId}`)
  }
}

/** By name: what an envelope holds, what a goal has used, what it gets next. */
const shown = async ({ list }: Household) =>
  Object.fromEntries(
    (await list()).map(({ name, currentAmount, usedAmount, nextContributionAmount }) => [
      name,
      [currentAmount, usedAmount, nextContributionAmount],
    ]),
  )

test('the worked example: a funding, and the first of the month with all due dates', async () => {
  const home = await september()
  const { fundingScheduleId, expense, goal, schedules, bankAccountId, as } = home
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
  await synced(home)
  await announce({ [nearly.spendingId]: 500n, [trip.spendingId]: 100n })
  const before = await home.balances()

  await advance('2023-10-13T06:00Z')
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

  await advance('2023-10-13T06:00Z')
  expect(await shown(home)).toEqual(afterFunding)
  expect(await home.balances()).toEqual(paid)

  // The payday of the 31st fills the expenses; on the 1st their periods close, one with its bill.
  await advance('2023-11-01T05:30Z')
  expect(await shown(home)).toEqual({
    odd: [0n, 0n, 500n],
    full: [0n, 0n, 500n],
    'nearly full': [0n, 0n, 500n],
    automatic: [0n, 0n, 500n],
    trip: [375n, 100n, 262n],
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

/** A household with one envelope of each kind, and what it came to be by New Year. */
async function varied(): Promise<Household & { fundingScheduleId: string }> {
  const home = await september()
  const { fundingScheduleId, expense, goal } = home
  await expense(fundingScheduleId, { name: 'rent', targetAmount: 1001n })
  await expense(fundingScheduleId, { name: 'bill', autoCreateTransaction: true })
  const weekly = 'DTSTART:20231006T050000Z\nRRULE:FREQ=WEEKLY'
  const onFridays = { ruleset: weekly, nextRecurrence: at('2023-10-06T05:00Z') }
  await expense(fundingScheduleId, { name: 'food', targetAmount: 700n, ...onFridays })
  await goal(fundingScheduleId, { name: 'trip', nextRecurrence: at('2024-03-01T06:00Z') })
  await expense(fundingScheduleId, { name: 'paused', isPaused: true })
  return home
}

async function outcome(home: Household) {
  const plans = (await home.list()).map(({ nextRecurrence, lastRecurrence, name }) => [
    ...[name, nextRecurrence, lastRecurrence],
  ])
  return {
    plans,
    amounts: await shown(home),
    balances: { ...(await home.balances()), bankAccountId: '' },
  }
}

const newYear = '2023-12-31T18:00Z'
let reference: Awaited<ReturnType<typeof outcome>>

test('three months missed come to the same as every hour of them done in time', async () => {
  const missed = await varied()
  const daily = await varied()
  for (let day = Date.parse('2023-10-01T07:00Z'); day < Date.parse(newYear); day += 86_400_000) {
    await advanceOnly(daily, new Date(day))
  }
  await advance(newYear)
  reference = await outcome(missed)
  expect(await outcome(daily)).toEqual(reference)
  // Three paydays were ahead when it was made; paused, it gets nothing and stays as it was.
  expect(reference.amounts.paused).toEqual([0n, 0n, 333n])
  expect(reference.plans.find(([name]) => name === 'food')).toEqual([
    ...['food', at('2024-01-05T06:00Z'), at('2023-12-29T06:00Z')],
  ])
})

/** Advances one household alone, as a page that holds nothing else would. */
async function advanceOnly({ accountId, bankAccountId }: Household, now: Date): Promise<void> {
  booted.clock.now = now
  await advanceBankAccount(deps(), { accountId, bankAccountId }, now)
}

/** What the activities are made from, for running one step of them. */
function deps(): AdvanceDeps {
  const log = { error: () => {}, info: () => {}, warn: () => {} }
  return {
    ...{ config: { expenseCarryOver: false }, database: booted.database('budgeting') },
    ...{ mesh: booted.host.mesh, signer: loadSigner(booted.keysFolder, 'budgeting') },
    ...{ clock: () => booted.clock.now ?? new Date(), log },
  } as unknown as AdvanceDeps
}

test('three runs at once do everything once', async () => {
  const home = await varied()
  booted.clock.now = new Date(newYear)
  await Promise.all([1, 2, 3].map(() => advanceOnly(home, new Date(newYear))))
  expect(await outcome(home)).toEqual(reference)
})

test('stopped after a run was decided, the next one books it first', async () => {
  const home = await varied()
  const { accountId, bankAccountId, fundingScheduleId } = home
  const scope = { accountId, bankAccountId }
  await advanceOnly(home, new Date('2023-10-12T18:00Z'))
  const advancing = { scope, timezone: chicago, isManualLink: true }
  const payday = { fundingScheduleId, at: new Date('2023-10-13T05:00Z') }
  expect(await decideRun(deps(), advancing, payday)).not.toBeNull()
  expect(await decideRun(deps(), advancing, payday)).toBeNull()
  await advanceOnly(home, new Date(newYear))
  expect(await outcome(home)).toEqual(reference)
})

test('stopped after the ledger had booked a run, it is booked no second time', async () => {
  const home = await varied()
  const { accountId, bankAccountId, fundingScheduleId, envelopes } = home
  const scope = { accountId, bankAccountId }
  await advanceOnly(home, new Date('2023-10-12T18:00Z'))
  const advancing = { scope, timezone: chicago, isManualLink: true }
  await decideRun(deps(), advancing, { fundingScheduleId, at: new Date('2023-10-13T05:00Z') })
  const [run] = await pendingRuns(booted.database('budgeting'), scope)
  if (!run) throw new Error('no run')
  const { fundingRunId, depositTransactionId } = run
  const lines = [...(await linesOf(booted.database('budgeting'), run))]
  const transactionId = depositTransactionId ?? ''
  const deposit = { transactionId, name: 'Pay', amount: -200_000n, date: at('2023-10-13T05:00Z') }
  const booking = { bankAccountId, fundingRunId, fundingScheduleId, lines, deposit }
  await envelopes.applyFunding(booking, asSystem(deps(), accountId))
  await advanceOnly(home, new Date(newYear))
  expect(await outcome(home)).toEqual(reference)
})

test('stopped after the ledger had closed a period, it is closed no second time', async () => {
  const home = await varied()
  const { accountId, bankAccountId, envelopes, list } = home
  await advanceOnly(home, new Date('2023-10-31T18:00Z'))
  const bill = (await list()).find(({ name }) => name === 'bill')
  const spendingId = bill?.spendingId ?? ''
  const due = at('2023-11-01T05:00Z')
  const transaction = { transactionId: newId('txn'), name: 'bill', amount: 1000n, date: due }
  const closing = { bankAccountId, spendingId, due, targetAmount: 1000n, transaction }
  await envelopes.closePeriod(closing, asSystem(deps(), accountId))
  await advanceOnly(home, new Date(newYear))
  expect(await outcome(home)).toEqual(reference)
})

test('archived and deleted bank accounts are left alone from then on', async () => {
  const archived = await varied()
  const deleted = await varied()
  await archived.accounts.archiveBankAccount({ bankAccountId: archived.bankAccountId }, archived.as)
  await deleted.links.deleteLink({ linkId: deleted.linkId }, deleted.as)
  const before = await outcome(archived)
  await advance(newYear)
  expect(await outcome(archived)).toEqual(before)
  const due = await dueBankAccounts(booted.database('budgeting'), {
    ...{ now: new Date(newYear), after: { accountId: '', bankAccountId: '' }, limit: 1000 },
  })
  expect(due).toEqual([])
})

test('the workflow advances what is due', async () => {
  const home = await varied()
  await using temporal = await connectTemporal({
    address: requiredVariable('COFFER_TEST_TEMPORAL_ADDRESS'),
    ...{ namespace: 'default', prefix: booted.prefix },
  })
  const workflow = { type: 'advance', id: 'advance-now', taskQueue: 'budgeting', args: [newYear] }
  await temporal.start(workflow)
  await temporal.client.workflow.getHandle(`${booted.prefix}/advance-now`).result()
  expect(await outcome(home)).toEqual(reference)
})
