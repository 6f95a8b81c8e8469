import { type Timestamp, timestampDate } from '@bufbuild/protobuf/wkt'
import { booting } from '@coffer/host/testing/booting'
import { problemsOf } from '@coffer/kit/rpc/errors'
import { newId } from '@coffer/kit/values/id'
import { amountMax } from '@coffer/kit/values/money'
import { ledger } from '@coffer/ledger/service'
import { ForecastService, type GetForecastResponse } from '@coffer/proto/budgeting/v1/forecast'
import { Code } from '@connectrpc/connect'
import { expect, test } from '@jest/globals'
import fc from 'fast-check'
import { budgeting } from '../../src/service.ts'
import { advanceOnly } from '../advancing.ts'
import { at, createBudgetHousehold, type Household } from '../household.ts'
import { createPlanned, plans } from '../planned.ts'
import { monthly } from '../samples.ts'

const booted = booting([ledger, budgeting])

async function forecastOf({ bankAccountId, as }: Household, end?: string) {
  const forecasts = booted.client('budgeting', ForecastService)
  const asked = end === undefined ? { bankAccountId } : { bankAccountId, end: at(end) }
  const { forecast, labels } = await forecasts.getForecast(asked, as)
  return { ...(forecast as NonNullable<GetForecastResponse['forecast']>), labels }
}

async function createFunded(): Promise<Household & { fundingScheduleId: string }> {
  booted.clock.now = new Date('2023-09-28T12:00Z')
  const home = await createBudgetHousehold(booted)
  const { fundingScheduleId } = await home.pay({ estimatedDeposit: 200_000n })
  return { ...home, fundingScheduleId }
}

test('a forecast uses the amounts and free-to-use of the ledger', async () => {
  const home = await createFunded()
  const { envelopes, bankAccountId, as, fundingScheduleId } = home
  const onTheFirst = { name: 'rent', nextRecurrence: at('2023-10-01T05:00Z') }
  const rent = await home.expense(fundingScheduleId, onTheFirst)
  const paused = await home.expense(fundingScheduleId, { name: 'paused', isPaused: true })
  for (const { spendingId: toSpendingId } of [rent, paused]) {
    await envelopes.transfer({ bankAccountId, toSpendingId, amount: 400n }, as)
  }
  const found = await forecastOf(home, '2023-11-02T12:00Z')
  expect(found).toMatchObject({ startingBalance: 400n, endingBalance: 0n })
  const shown = found.events.map((one) => [one.date, one.contribution, one.transaction])
  expect(shown).toEqual([
    [at('2023-09-30T05:00Z'), 600n, 0n],
    [at('2023-10-01T05:00Z'), 0n, 1000n],
    [at('2023-10-15T05:00Z'), 500n, 0n],
    [at('2023-10-31T05:00Z'), 500n, 0n],
    [at('2023-11-01T05:00Z'), 0n, 1000n],
  ])
  expect(found.free.map(({ date, free }) => [date, free])).toEqual([
    [at('2023-09-28T12:00Z'), 999_200n],
    [at('2023-09-30T05:00Z'), 1_198_600n],
    [at('2023-10-15T05:00Z'), 1_398_100n],
    [at('2023-10-31T05:00Z'), 1_597_600n],
  ])
  expect(found.labels).toMatchObject({
    currency: 'USD',
    timezone: 'America/Chicago',
    locale: 'en_US',
    scheduleNames: { [fundingScheduleId]: 'Pay' },
    spendingNames: { [rent.spendingId]: 'rent' },
  })
})

test('answers and the preview name the months that a rule skips', async () => {
  const { bankAccountId, as, schedules, spending } = await createFunded()
  const ruleset = 'DTSTART:20230131T060000Z\nRRULE:FREQ=MONTHLY'
  const pay = await schedules.createFundingSchedule({ bankAccountId, name: 'p', ruleset }, as)
  const fundingScheduleId = pay.fundingSchedule?.fundingScheduleId ?? ''
  const on = { bankAccountId, fundingScheduleId, targetAmount: 1000n }
  const rent = { ...on, spendingType: 'expense', name: 'r', ruleset }
  const { spending: created, hints } = await spending.createSpending(rent, as)
  const { spendingId = '' } = created ?? {}
  const change = {
    bankAccountId,
    ruleset: `${ruleset};COUNT=900`,
    updateMask: { paths: ['ruleset'] },
  }
  const asked = { ...on, nextRecurrence: at('2023-10-31T05:00Z'), recurrenceRule: ruleset }
  const renamed = { bankAccountId, spendingId, name: 'x', updateMask: { paths: ['name'] } }
  const answers = [
    pay,
    { hints },
    await spending.updateSpending({ ...change, spendingId }, as),
    await schedules.updateFundingSchedule({ ...change, fundingScheduleId }, as),
    await booted.client('budgeting', ForecastService).estimateCost(asked, as),
  ]
  const text = 'the rule has no such date in September 2023, November 2023, February 2024, April'
  for (const answer of answers) expect(answer.hints).toEqual([expect.stringContaining(text)])
  expect((await spending.updateSpending(renamed, as)).hints).toEqual([])
})

test('a last day is included, in the timezone of the account', async () => {
  const { bankAccountId, as } = await createFunded()
  const forecasts = booted.client('budgeting', ForecastService)
  const { forecast } = await forecasts.getForecast({ bankAccountId, endDay: '2023-12-31' }, as)
  expect(forecast?.endingTime).toEqual(at('2024-01-01T05:59:59.999Z'))
})

test('sums that JSON would round are refused, and a shorter forecast succeeds', async () => {
  const home = await createFunded()
  const { bankAccountId, as } = home
  const yearly = 'DTSTART:20240101T060000Z\nRRULE:FREQ=YEARLY'
  const daily = { ruleset: 'DTSTART:20230901T050000Z\nRRULE:FREQ=DAILY', targetAmount: amountMax }
  const { fundingScheduleId } = await home.pay({ name: 'Bonus', ruleset: yearly })
  const nextRecurrence = at('2023-10-01T05:00Z')
  const each = await home.expense(fundingScheduleId, { ...daily, nextRecurrence })
  expect(each).toMatchObject({ nextContributionAmount: amountMax, isBehind: true })
  const { events } = await forecastOf(home, '2023-10-01T06:00Z')
  expect(events).toMatchObject([{ transaction: amountMax, balance: -amountMax }])
  const text = expect.stringContaining('range of ±9007199254740991')
  const problems = (run: Promise<unknown>) => run.then(null, (error) => problemsOf(error))
  expect(await problems(forecastOf(home))).toEqual({ end: text })
  await home.expense(fundingScheduleId, { ...daily, nextRecurrence })
  const forecasts = booted.client('budgeting', ForecastService)
  const asked = { bankAccountId, fundingScheduleId }
  const next = problems(forecasts.getNextContribution(asked, as))
  expect(await next).toEqual({ fundingScheduleId: text })
})

test('a funding too far ahead is refused with a problem of its schedule', async () => {
  const home = await createFunded()
  const { bankAccountId, as } = home
  const rare = 'DTSTART:20240101T060000Z\nRRULE:FREQ=YEARLY;INTERVAL=50'
  const ruleset = 'DTSTART:20230901T050000Z\nRRULE:FREQ=DAILY'
  const nextRecurrence = at('2073-01-01T06:00Z')
  const { fundingScheduleId } = await home.pay({ name: 'Rare', ruleset: rare, nextRecurrence })
  const due = { ruleset, nextRecurrence: at('2023-10-01T05:00Z') }
  for (let count = 0; count < 6; count += 1) await home.expense(fundingScheduleId, due)
  const forecasts = booted.client('budgeting', ForecastService)
  const next = forecasts.getNextContribution({ bankAccountId, fundingScheduleId }, as)
  const problems = await next.then(null, (error) => problemsOf(error))
  const tooLate = 'has its next funding too late: before it there are more than 100,000 events'
  expect(problems).toEqual({ fundingScheduleId: tooLate })
})

test('another account gets NotFound for a forecast', async () => {
  const home = await createFunded()
  const as = booted.as(newId('acct'))
  const { bankAccountId, fundingScheduleId } = home
  await expect(forecastOf({ ...home, as })).rejects.toMatchObject({ code: Code.NotFound })
  const forecasts = booted.client('budgeting', ForecastService)
  const asked = {
    bankAccountId,
    fundingScheduleId,
    targetAmount: 1n,
    nextRecurrence: at('2024-01-01'),
  }
  const missing = { code: Code.NotFound }
  await expect(forecasts.getNextContribution(asked, as)).rejects.toMatchObject(missing)
  await expect(forecasts.estimateCost(asked, as)).rejects.toMatchObject(missing)
  const unknown = { ...asked, fundingScheduleId: newId('fund') }
  await expect(forecasts.estimateCost(unknown, home.as)).rejects.toMatchObject(missing)
  await expect(forecasts.getNextContribution(unknown, home.as)).rejects.toMatchObject(missing)
})

test('a forecast from a worker thread is the same as one in place', async () => {
  const home = await createFunded()
  const daily = 'DTSTART:20230901T050000Z\nRRULE:FREQ=DAILY'
  const { fundingScheduleId } = await home.pay({ name: 'Tips', ruleset: daily })
  const nextRecurrence = at('2023-10-01T05:00Z')
  for (let count = 0; count < 5; count += 1) {
    await home.expense(fundingScheduleId, { targetAmount: 700n, ruleset: daily, nextRecurrence })
  }
  const year = await forecastOf(home, '2024-09-28T12:00Z')
  const month = await forecastOf(home, '2023-10-28T12:00Z')
  expect(year.events.length).toBeGreaterThan(360)
  expect(year.events.slice(0, month.events.length)).toEqual(month.events)
})

test('next contribution of a schedule, and cost of an envelope that does not exist', async () => {
  const home = await createFunded()
  const { bankAccountId, fundingScheduleId, as } = home
  await home.goal(fundingScheduleId, { targetAmount: 900n })
  const forecasts = booted.client('budgeting', ForecastService)
  const asked = { bankAccountId, fundingScheduleId }
  expect(await forecasts.getNextContribution(asked, as)).toMatchObject({ nextContribution: 300n })
  const nextRecurrence = at('2023-11-01T05:00Z')
  const expense = { ...asked, targetAmount: 5000n, nextRecurrence, recurrenceRule: monthly }
  const estimated = { estimatedCost: 2500n, nextContribution: 1666n }
  expect(await forecasts.estimateCost(expense, as)).toMatchObject(estimated)
  const goal = { ...asked, targetAmount: 900n, nextRecurrence }
  expect(await forecasts.estimateCost(goal, as)).toMatchObject({ nextContribution: 300n })
  // 450.00 of the goal are saved and spent: three paydays share what is missing of its new target.
  const [trip] = await home.list()
  const spendingId = trip?.spendingId ?? ''
  const moved = { bankAccountId, toSpendingId: spendingId, amount: 450n }
  await home.envelopes.transfer(moved, as)
  const ticket = { name: 'Ticket', date: at('2023-09-28T05:00Z'), amount: 300n }
  await home.transactions.createTransaction({ ...ticket, bankAccountId, spendingId }, as)
  const changed = { ...goal, targetAmount: 1200n, spendingId }
  expect(await forecasts.estimateCost(changed, as)).toMatchObject({ nextContribution: 250n })
  const more = { ...changed, currentAmount: 600n }
  expect(await forecasts.estimateCost(more, as)).toMatchObject({ nextContribution: 100n })
  const other = forecasts.estimateCost({ ...changed, recurrenceRule: monthly }, as)
  const problems = await other.then(null, (error) => problemsOf(error))
  expect(problems).toEqual({ recurrenceRule: 'A goal takes no ruleset' })
  await expect(
    forecasts.estimateCost({ ...changed, spendingId: newId('spnd') }, as),
  ).rejects.toMatchObject({ code: Code.NotFound })
  await expect(
    forecasts.estimateCost({ ...expense, recurrenceRule: 'RRULE' }, as),
  ).rejects.toMatchObject({ code: Code.InvalidArgument })
})

// 1,000 are due weekly, next on Saturday 14 October, and the payday is after that.
test.each([
  ['an envelope for purchases', { carryOver: true }, 600n],
  ['a bill, which may be one paid late', { carryOver: false }, 900n],
])('what free-to-use paid of %s counts in its week', async (_, of, left) => {
  booted.clock.now = new Date('2023-09-28T12:00Z')
  const home = await createBudgetHousehold(booted)
  const { envelopes, transactions, bankAccountId, as } = home
  const payday = await home.pay({ nextRecurrence: at('2023-10-15T05:00Z') })
  const ruleset = 'DTSTART:20231007T050000Z\nRRULE:FREQ=WEEKLY'
  const weekly = { name: 'Food', ruleset, nextRecurrence: at('2023-10-07T05:00Z'), ...of }
  const { spendingId } = await home.expense(payday.fundingScheduleId, weekly)
  await advanceOnly(booted, home, new Date('2023-10-07T05:10Z'))
  await envelopes.transfer({ bankAccountId, toSpendingId: spendingId, amount: 200n }, as)
  const buy = { bankAccountId, spendingId, name: 'Food', adjustsBalance: true }
  for (const [day, amount] of [
    ['2023-10-06T05:00Z', 100n],
    ['2023-10-08T05:00Z', 400n],
  ] as const) {
    await transactions.createTransaction({ ...buy, date: at(day), amount }, as)
  }
  const { events } = await forecastOf(home, '2023-10-15T12:00Z')
  const due = events.find(({ transaction }) => transaction > 0n)?.spending[0]
  expect(due?.fromFreeAmount).toBe(left)
})

// Automatic transactions pay some bills. The test books the others by hand, and that of the goal.
test('the ledger shows the forecast, if every bill is paid on its due date', async () => {
  await fc.assert(
    fc.asyncProperty(plans, async ({ expenses, ...plan }) => {
      // The hourly job has closed the period when a bill is booked by hand on its due day.
      const paid = expenses.map((one) => ({
        ...one,
        isAutomatic: one.isAutomatic || one.graceDays === 0,
      }))
      const home = await createPlanned(booted, { ...plan, expenses: paid })
      const { bankAccountId, as } = home
      const { events, free } = await forecastOf(home, '2024-02-15T12:00Z')
      const byHand = (await home.list()).filter((one) => !one.autoCreateTransaction)
      const isByHand = new Set(byHand.map(({ spendingId }) => spendingId))
      const held = new Map((await home.list()).map((one) => [one.spendingId, one.currentAmount]))
      const days = new Map([...free, ...events].map(({ date }) => [Number(date?.seconds), date]))
      let left = free[0]?.free
      for (const [seconds, date] of [...days].sort(([a], [b]) => a - b)) {
        const isThen = (one: { date?: Timestamp | undefined }) =>
          Number(one.date?.seconds) === seconds
        left = free.find(isThen)?.free ?? left
        await advanceOnly(booted, home, timestampDate(date as Timestamp))
        for (const one of events.find(isThen)?.spending ?? []) {
          const { spendingId, heldContribution, heldAmount, fromFreeAmount } = one
          const before = held.get(spendingId) ?? 0n
          const amount = before + heldContribution - heldAmount + fromFreeAmount
          held.set(spendingId, heldAmount)
          if (!isByHand.has(spendingId) || amount === 0n) continue
          const paid = { name: 'Paid', date, amount, adjustsBalance: true }
          const bill = { ...paid, bankAccountId, spendingId: one.spendingId }
          await home.transactions.createTransaction(bill, as)
        }
        const list = await home.list()
        // Of a goal past its date only free-to-use says what a later funding moves.
        const isOver = (one: (typeof list)[number]) =>
          one.spendingType === 'goal' && Number(one.nextRecurrence?.seconds) < seconds
        for (const { spendingId } of list.filter(isOver)) held.delete(spendingId)
        const shown = list.filter((one) => !isOver(one))
        const now = new Map(shown.map((one) => [one.spendingId, one.currentAmount]))
        const found = { date, free: (await home.balances())?.free, held: now }
        expect(found).toEqual({ date, free: left, held })
      }
    }),
    { numRuns: 5 },
  )
})
