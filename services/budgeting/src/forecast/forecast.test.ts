import { problemsOf } from '@coffer/kit/rpc/errors'
import { dayMs } from '@coffer/kit/values/time'
import { ConnectError } from '@connectrpc/connect'
import { expect, test } from '@jest/globals'
import fc from 'fast-check'
import type { ForecastPlan } from '../contributions/forecast-envelope.ts'
import {
  estimateSize,
  type ForecastInput,
  forecast,
  forecastEnd,
  forecastEndOfDay,
} from './forecast.ts'

const timezone = 'America/Chicago'
const now = new Date('2023-09-28T12:00Z')
const at = (day: string) => new Date(`${day}T05:00Z`)
const rule = (parts: string) => `DTSTART:20211231T060000Z\nRRULE:${parts}`
const twiceMonthly = rule('FREQ=MONTHLY;BYMONTHDAY=15,-1')
const monthly = rule('FREQ=MONTHLY;BYMONTHDAY=1')

const schedule = {
  fundingScheduleId: 'fund_1',
  ruleset: twiceMonthly,
  excludeWeekends: false,
  estimatedDeposit: 50_000n,
  nextRecurrence: at('2023-09-30'),
}
const expense: ForecastPlan = {
  spendingId: 'spnd_1',
  fundingScheduleId: 'fund_1',
  ruleset: monthly,
  targetAmount: 1000n,
  currentAmount: 0n,
  usedAmount: 0n,
  nextRecurrence: at('2023-10-01'),
}

function inputOf(changes: Partial<ForecastInput>): ForecastInput {
  const end = new Date(now.getTime() + 60 * dayMs)
  return { plans: [expense], schedules: [schedule], timezone, now, end, free: 0n, ...changes }
}

test('the end is 90 days ahead, or as asked up to 12 calendar months', () => {
  expect(forecastEnd(null, now)).toEqual(new Date('2023-12-27T12:00Z'))
  expect(forecastEnd(now, now)).toEqual(now)
  const year = new Date('2024-09-28T12:00Z')
  expect(forecastEnd(year, now)).toEqual(year)
  expect(() => forecastEnd(new Date(year.getTime() + 1), now)).toThrow('Invalid request')
  expect(() => forecastEnd(new Date(now.getTime() - 1), now)).toThrow('Invalid request')
})

test('a full envelope that is not late gets nothing until its due date', () => {
  const full = { ...expense, currentAmount: 1000n, nextRecurrence: at('2023-11-01') }
  const yearly = rule('FREQ=YEARLY;BYMONTH=11;BYMONTHDAY=1')
  const { events } = forecast(inputOf({ plans: [{ ...full, ruleset: yearly }] }))
  const before = events.filter(({ date }) => date < at('2023-11-01'))
  expect(before.map(({ contribution }) => contribution)).toEqual([0n, 0n, 0n])
  expect(events[3]).toMatchObject({ date: at('2023-11-01'), transaction: 1000n, balance: 0n })
})

test('an expense with an ended rule needs nothing more', () => {
  const twice = 'DTSTART:20231001T050000Z\nRRULE:FREQ=MONTHLY;COUNT=2;BYMONTHDAY=1'
  const { events } = forecast(inputOf({ plans: [{ ...expense, ruleset: twice }] }))
  expect(events.at(-1)).toMatchObject({ date: at('2023-11-01'), transaction: 1000n, balance: 0n })
})

test('the last funding of a rule covers the first due date after it', () => {
  const last = 'DTSTART:20230930T050000Z\nRRULE:FREQ=MONTHLY;COUNT=1;BYMONTHDAY=-1'
  const { events } = forecast(inputOf({ schedules: [{ ...schedule, ruleset: last }] }))
  expect(events.map(({ contribution, transaction }) => [contribution, transaction])).toEqual([
    [1000n, 0n],
    [0n, 1000n],
    [0n, 1000n],
  ])
})

test('deposits of a schedule without envelopes raise free-to-use', () => {
  const other = { ...schedule, fundingScheduleId: 'fund_2', estimatedDeposit: 7n }
  const { free, events } = forecast(inputOf({ plans: [], schedules: [other], free: -10n }))
  expect(events).toEqual([])
  expect(free.map((one) => one.free)).toEqual([-10n, -3n, 4n, 11n, 18n])
})

test('50 envelopes over a year are calculated in place', () => {
  const plans = Array.from({ length: 50 }, (_, index) => ({ ...expense, spendingId: `s${index}` }))
  const input = inputOf({ plans, end: forecastEnd(new Date('2024-09-28T12:00Z'), now) })
  const { events } = forecast(input)
  const count = events.reduce((sum, { spending }) => sum + spending.length, 0)
  expect([count, estimateSize(input)]).toEqual([50 * 36, 50 * 38])
  // The firings of a schedule are calculated once for all its envelopes.
  const [first] = events
  const fired = new Set(first?.spending.flatMap(({ funding }) => funding))
  expect(fired.size).toBe(1)
})

const parts = ['FREQ=DAILY', 'FREQ=WEEKLY', 'FREQ=MONTHLY;BYMONTHDAY=-1', 'FREQ=YEARLY;INTERVAL=3']
const anyPlan = fc.record({
  ruleset: fc.option(fc.constantFrom(...parts.map(rule))),
  days: fc.integer({ min: -40, max: 80 }),
  target: fc.bigInt(1n, 5000n),
  current: fc.bigInt(0n, 9000n),
  used: fc.bigInt(0n, 9000n),
})

test('amounts add up, and the estimated size is never too low', () => {
  fc.assert(
    fc.property(
      fc.constantFrom(...parts.map(rule)),
      fc.boolean(),
      fc.array(anyPlan, { maxLength: 5 }),
      (ruleset, excludeWeekends, chosen) => {
        const plans = chosen.map(({ days, target, current, used, ...one }, index) => ({
          ...one,
          spendingId: `s${index}`,
          fundingScheduleId: 'fund_1',
          targetAmount: target,
          currentAmount: current,
          usedAmount: used,
          nextRecurrence: new Date(at('2023-10-01').getTime() + days * dayMs),
        }))
        const schedules = [{ ...schedule, ruleset, excludeWeekends }]
        const input = inputOf({ plans, schedules })
        const { events, startingBalance } = forecast(input)
        const single = events.flatMap(({ spending }) => spending)
        expect(single.length).toBeLessThanOrEqual(estimateSize(input))
        let balance = startingBalance
        for (const event of events) {
          balance += event.contribution - event.transaction
          expect(event.balance).toBe(balance)
          expect(event.contribution).toBeGreaterThanOrEqual(0n)
        }
        const dates = events.map(({ date }) => date.getTime())
        expect(dates).toEqual([...new Set(dates)].sort((a, b) => a - b))
      },
    ),
  )
})

test.each([
  ['2023-09-28', '2023-09-29T04:59:59.999Z'],
  ['2023-11-05', '2023-11-06T05:59:59.999Z'],
  ['2024-09-27', '2024-09-28T04:59:59.999Z'],
  ['2024-09-28', '2024-09-28T12:00:00.000Z'],
])('a forecast up to the day %s ends at %s', (day, end) => {
  expect(forecastEndOfDay(day, { timezone, now }).toISOString()).toBe(end)
})

test.each([
  ['2023-09-27', 'must be in the future'],
  ['2024-09-29', 'must be at most 12 months ahead'],
  ['tomorrow', 'must be a day like 2026-01-31'],
])('no forecast is up to the day %s', (day, end) => {
  const problems = (() => {
    try {
      return forecastEndOfDay(day, { timezone, now })
    } catch (error) {
      return problemsOf(ConnectError.from(error))
    }
  })()
  expect(problems).toEqual({ end })
})
