import { type Timestamp, timestampDate } from '@bufbuild/protobuf/wkt'
import { booting } from '@coffer/host/testing/booting'
import { dayMs } from '@coffer/kit/values/time'
import { ledger } from '@coffer/ledger/service'
import { ForecastService } from '@coffer/proto/budgeting/v1/forecast'
import type { Spending } from '@coffer/proto/budgeting/v1/spending'
import { expect, test } from '@jest/globals'
import fc from 'fast-check'
import { sql } from 'slonik'
import { z } from 'zod'
import { budgeting } from '../../src/service.ts'
import { advanceOnly, untilSynced } from '../advancing.ts'
import { at, createBudgetHousehold, type Household } from '../household.ts'
import { createPlanned, plans } from '../planned.ts'

const booted = booting([ledger, budgeting])

const Booked = z.object({ name: z.string(), amount: z.bigint() })

/** Returns what the ledger has booked at a firing, in minor units, keyed by spending ID. */
async function bookedAt({ bankAccountId }: Household, firing: Date) {
  const rows = await booted.database('ledger').pool.any(sql.type(Booked)`
    SELECT spending_id AS name, delta AS amount FROM journal
    WHERE bank_account_id = ${bankAccountId} AND cause = 'funding' AND pot = 'envelope'
      AND date = ${firing.toISOString()}`)
  return new Map(rows.map(({ name, amount }) => [name, amount]))
}

/** Returns the next firing and what is announced for it, in minor units, keyed by spending ID. */
async function announcedBy(home: Household) {
  const { bankAccountId, as } = home
  await untilSynced(booted, home)
  const forecasts = booted.client('budgeting', ForecastService)
  const { forecast } = await forecasts.getForecast({ bankAccountId }, as)
  const { nextFundings, paydays } = await home.overview()
  const next = paydays[0]?.nextRecurrence
  const isNext = ({ date }: { date?: Timestamp | undefined }) => date?.seconds === next?.seconds
  const events = forecast?.events.find(isNext)?.spending ?? []
  const list = await home.list()
  const explained = list.map(async ({ spendingId }) => {
    const { explanation } = await home.spending.explainSpending({ bankAccountId, spendingId }, as)
    return [spendingId, explanation?.heldContribution ?? 0n] as const
  })
  const estimated = list.map(async (plan) => {
    return [plan.spendingId, await estimateOf(home, plan)] as const
  })
  return {
    estimates: await Promise.all(estimated),
    firing: timestampDate(next as Timestamp),
    forecast: events.map((one) => [one.spendingId, one.heldContribution] as const),
    explanations: await Promise.all(explained),
    free: forecast?.free.find(isNext)?.contribution ?? 0n,
    overview: nextFundings[0]?.contribution,
  }
}

/** Returns what is announced for a change of this plan to what it is now, in minor units. */
async function estimateOf({ bankAccountId, as }: Household, plan: Spending) {
  const { spendingId, fundingScheduleId, targetAmount, nextRecurrence, ruleset } = plan
  const planned = { bankAccountId, spendingId, fundingScheduleId, targetAmount, nextRecurrence }
  const asked = ruleset === undefined ? planned : { ...planned, recurrenceRule: ruleset }
  const forecasts = booted.client('budgeting', ForecastService)
  return (await forecasts.estimateCost(asked as typeof planned, as)).nextContribution ?? 0n
}

/** Runs the hourly job for the next payday, and compares what it books with the announcements. */
async function expectBooked(home: Household) {
  const { firing, forecast, explanations, estimates, ...sums } = await announcedBy(home)
  await advanceOnly(booted, home, firing)
  const booked = await bookedAt(home, firing)
  for (const announced of [forecast, explanations, estimates]) {
    expect(announced).toEqual(announced.map(([id]) => [id, booked.get(id) ?? 0n]))
  }
  const sum = [...booked.values()].reduce((all, amount) => all + amount, 0n)
  expect(sums).toEqual({ free: sum, overview: sum })
  const isForecast = new Set(forecast.map(([id]) => id))
  const list = await home.list()
  const expenses = list.filter(({ spendingType }) => spendingType === 'expense')
  expect(expenses.every(({ spendingId }) => isForecast.has(spendingId))).toBe(true)
  return booked
}

// No bill is paid: the hourly job returns what is left for it, so envelopes hold the same.
test('the next payday books what is announced for each envelope', async () => {
  const days = fc.integer({ min: 0, max: 33 })
  await fc.assert(
    fc.asyncProperty(plans, days, async (plan, days) => {
      const home = await createPlanned(booted, plan)
      await advanceOnly(booted, home, new Date(Date.parse('2023-09-28T13:00Z') + days * dayMs))
      await expectBooked(home)
    }),
    { numRuns: 20 },
  )
})

const food = { ruleset: 'DTSTART:20201204T060000Z\nRRULE:FREQ=WEEKLY' }
const weekly = { ...food, nextRecurrence: at('2020-12-04T06:00Z') }
const firsts = { ruleset: 'DTSTART:20201201T060000Z\nRRULE:FREQ=MONTHLY' }
const monthly = { ...firsts, nextRecurrence: at('2020-12-01T06:00Z') }
const automatic = { ...weekly, autoCreateTransaction: true }
const ended = { ...monthly, spendingType: 'goal', ruleset: undefined }

// The next payday is Monday 7 December, then every two weeks. Each bill is 90.00.
test.each([
  ['nothing of the week is spent', weekly, 120_11n, 0n, 149_89n],
  ['a part of the week is spent', weekly, 162_87n, 42_76n, 107_13n],
  ['all of the week is spent', weekly, 190_00n, 90_00n, 80_00n],
  ['more than the week is spent', weekly, 190_00n, 120_00n, 110_00n],
  ['the bill is automatic', automatic, 162_87n, 42_76n, 149_89n],
  ['the envelope is empty', weekly, 42_76n, 42_76n, 180_00n],
  ['the envelope holds too much', weekly, 500_00n, 42_76n, 0n],
  ['a part of the month is spent', monthly, 130_00n, 30_00n, 25_00n],
  ['the month is settled', { ...monthly, settlesWhenSpent: true }, 130_00n, 90_00n, 25_00n],
  ['the goal is due before', ended, 30_00n, 10_00n, 60_00n],
])('a payday after the due date books what is announced: %s', async (...row) => {
  const [, plan, amount, spent, expected] = row
  booted.clock.now = new Date('2020-11-28T12:00Z')
  const home = await createBudgetHousehold(booted)
  const { bankAccountId, as } = home
  const ruleset = 'DTSTART:20201207T060000Z\nRRULE:FREQ=WEEKLY;INTERVAL=2'
  const { fundingScheduleId } = await home.pay({ ruleset })
  const { spendingId } = await home.expense(fundingScheduleId, { targetAmount: 90_00n, ...plan })
  await home.envelopes.transfer({ bankAccountId, toSpendingId: spendingId, amount }, as)
  const shop = { bankAccountId, spendingId, name: 'Shop', date: at('2020-11-28T06:00Z') }
  if (spent > 0n) await home.transactions.createTransaction({ ...shop, amount: spent }, as)
  const booked = await expectBooked(home)
  expect(booked.get(spendingId) ?? 0n).toBe(expected)
})

test('a payday that came before its weekend is not counted once more', async () => {
  booted.clock.now = new Date('2020-11-28T12:00Z')
  const home = await createBudgetHousehold(booted)
  const saturdays = 'DTSTART:20201212T060000Z\nRRULE:FREQ=WEEKLY;INTERVAL=2'
  const pay = await home.pay({ ruleset: saturdays, excludeWeekends: true })
  const ruleset = 'DTSTART:20210120T060000Z\nRRULE:FREQ=MONTHLY'
  const due = { ruleset, nextRecurrence: at('2021-01-20T06:00Z') }
  await home.expense(pay.fundingScheduleId, { targetAmount: 90_00n, ...due })
  await advanceOnly(booted, home, new Date('2020-12-11T06:00Z'))
  // After Friday 60.00 are missing, which two paydays share, also before Saturday has passed.
  booted.clock.now = new Date('2020-12-13T12:00Z')
  expect([...(await expectBooked(home)).values()]).toEqual([30_00n])
})
