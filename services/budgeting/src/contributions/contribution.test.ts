import { amountMax } from '@coffer/kit/values/money'
import { describe, expect, test } from '@jest/globals'
import fc from 'fast-check'
import { type Need, progress, recalculate } from './contribution.ts'

const twiceMonthly = 'DTSTART:20211231T000000Z\nRRULE:FREQ=MONTHLY;BYMONTHDAY=15,-1'
const monthlyFirst = 'DTSTART:20220101T000000Z\nRRULE:FREQ=MONTHLY;BYMONTHDAY=1'
const schedule = {
  ruleset: twiceMonthly,
  excludeWeekends: false,
  nextRecurrence: new Date('2022-04-15'),
}

const expense = (changes: Partial<Need>) => ({
  ruleset: monthlyFirst,
  targetAmount: 1000n,
  currentAmount: 0n,
  usedAmount: 0n,
  nextRecurrence: new Date('2022-05-01'),
  lastRecurrence: null,
  ...changes,
})
const goal = (changes: Partial<Need>) => expense({ ruleset: null, ...changes })
const at = (now: string) => ({ timezone: 'UTC', now: new Date(now) })

describe('cases of docs/plans.md#contributions', () => {
  test('division rounds down, and a later contribution has the remainder', () => {
    const first = recalculate(expense({ targetAmount: 1001n }), schedule, at('2022-04-10'))
    expect(first.nextContributionAmount).toBe(500n)
    expect(first).toMatchObject({ need: 1001n, divisor: 2n, remainder: 1n })
    const funded = expense({ targetAmount: 1001n, currentAmount: 500n })
    const later = { ...schedule, nextRecurrence: new Date('2022-04-30') }
    expect(recalculate(funded, later, at('2022-04-15T01:00Z')).nextContributionAmount).toBe(501n)
  })

  test('spent money counts for a goal, not for an expense', () => {
    const spent = { currentAmount: 100n, usedAmount: 300n }
    expect(progress(goal(spent))).toBe(400n)
    expect(progress(expense(spent))).toBe(100n)
    const before = recalculate(goal({ currentAmount: 400n }), schedule, at('2022-04-10'))
    const after = recalculate(goal(spent), schedule, at('2022-04-10'))
    expect(after.nextContributionAmount).toBe(before.nextContributionAmount)
  })

  test('a payday moved off a weekend counts until its own date has passed', () => {
    const weekends = { ...schedule, excludeWeekends: true, nextRecurrence: new Date('2022-05-13') }
    const need = goal({ nextRecurrence: new Date('2022-06-20') })
    const divisor = (now: string, next: string) => {
      const fired = { ...weekends, nextRecurrence: new Date(next) }
      return recalculate(need, fired, at(now)).divisor
    }
    expect(divisor('2022-05-13T00:00:01Z', '2022-05-31')).toBe(3n)
    expect(divisor('2022-05-15T00:00:01Z', '2022-05-31')).toBe(2n)
  })

  test('a due date has passed one second after its midnight', () => {
    const due = expense({ nextRecurrence: new Date('2022-05-01') })
    const onTime = recalculate(due, schedule, at('2022-05-01T00:00:00Z'))
    expect(onTime.due).toEqual(new Date('2022-05-01'))
    const late = recalculate(due, schedule, at('2022-05-01T00:00:01Z'))
    expect(late.due).toEqual(new Date('2022-06-01'))
  })

  test('a goal past its date needs all missing money and is not behind', () => {
    const late = goal({ nextRecurrence: new Date('2022-04-01'), currentAmount: 100n })
    expect(recalculate(late, schedule, at('2022-04-09'))).toMatchObject({
      nextContributionAmount: 900n,
      isBehind: false,
      due: new Date('2022-04-01'),
    })
  })
})

describe('behind (docs/plans.md#behind)', () => {
  const offTheRule = expense({ nextRecurrence: new Date('2022-04-12') })
  test('a due date off its rule counts without a funding before it', () => {
    expect(recalculate(offTheRule, schedule, at('2022-04-10')).isBehind).toBe(true)
  })

  test('a due date that is covered, past or after a funding is not behind', () => {
    const covered = { ...offTheRule, currentAmount: 1000n }
    expect(recalculate(covered, schedule, at('2022-04-10')).isBehind).toBe(false)
    expect(recalculate(offTheRule, schedule, at('2022-04-13')).isBehind).toBe(false)
    const later = { ...offTheRule, nextRecurrence: new Date('2022-04-15') }
    expect(recalculate(later, schedule, at('2022-04-10')).isBehind).toBe(false)
  })
})

describe('rules that end (docs/recurrence.md#rules-that-end)', () => {
  const ending = (count: number) => ({
    ...schedule,
    ruleset: `DTSTART:20220415T000000Z\nRRULE:FREQ=MONTHLY;COUNT=${count}`,
  })

  test('after the last funding the contribution is 0, and a missing target is behind', () => {
    const over = recalculate(expense({}), ending(1), at('2022-04-20'))
    expect(over).toMatchObject({ nextContributionAmount: 0n, isBehind: true })
    const full = recalculate(expense({ currentAmount: 1000n }), ending(1), at('2022-04-20'))
    expect(full).toMatchObject({ nextContributionAmount: 0n, isBehind: false })
  })

  test('the last funding covers the first due date after it', () => {
    const may = recalculate(expense({ currentAmount: 100n }), ending(1), at('2022-04-10'))
    expect(may).toMatchObject({ nextContributionAmount: 900n, isBehind: false })
    const goalInMay = goal({ currentAmount: 100n })
    expect(recalculate(goalInMay, ending(1), at('2022-04-10')).nextContributionAmount).toBe(900n)
  })

  test('the last funding does not cover a due date before it', () => {
    const early = goal({ nextRecurrence: new Date('2022-04-12'), currentAmount: 100n })
    const found = recalculate(early, ending(1), at('2022-04-10'))
    expect(found).toMatchObject({ nextContributionAmount: 900n, isBehind: true })
    expect(found).toMatchObject({ duesBeforeFunding: 1, duesAfterFunding: 0 })
  })

  test('an expense with an ended rule is never due again', () => {
    const ruleset = 'DTSTART:20220401T000000Z\nRRULE:FREQ=MONTHLY;COUNT=1'
    const last = expense({ ruleset, nextRecurrence: new Date('2022-04-01') })
    expect(recalculate(last, schedule, at('2022-04-02'))).toMatchObject({
      nextContributionAmount: 0n,
      isBehind: false,
      due: null,
    })
  })
})

const money = fc.bigInt({ min: 0n, max: 1_000_000_000n })
const instants = fc.date({
  min: new Date('2022-01-01'),
  max: new Date('2024-12-31'),
  noInvalidDate: true,
})
const needs = fc.record({
  ruleset: fc.constantFrom(
    null,
    monthlyFirst,
    'DTSTART:20220101T000000Z\nRRULE:FREQ=WEEKLY',
    'DTSTART:20220131T050000Z\nRRULE:FREQ=MONTHLY;COUNT=7',
  ),
  targetAmount: money.map((amount) => amount + 1n),
  currentAmount: money,
  usedAmount: money,
  nextRecurrence: instants,
  lastRecurrence: fc.constant(null),
})
const schedules = fc.record({
  ruleset: fc.constantFrom(
    twiceMonthly,
    'DTSTART:20220107T060000Z\nRRULE:FREQ=WEEKLY;INTERVAL=2',
    'DTSTART:20220101T000000Z\nRRULE:FREQ=DAILY;COUNT=200',
  ),
  excludeWeekends: fc.boolean(),
  nextRecurrence: instants,
})
const zones = fc.constantFrom('UTC', 'America/Chicago', 'Asia/Tokyo')

test('a contribution is never negative and never more than the need', () => {
  fc.assert(
    fc.property(needs, schedules, zones, instants, (need, funding, timezone, now) => {
      const found = recalculate(need, funding, { timezone, now })
      const { nextContributionAmount } = found
      const dues = BigInt(Math.max(1, found.duesBeforeFunding + found.duesAfterFunding))
      expect(nextContributionAmount).toBeGreaterThanOrEqual(0n)
      expect(nextContributionAmount).toBeLessThanOrEqual(need.targetAmount * dues)
      const parts = nextContributionAmount * found.divisor
      expect(parts + found.remainder).toBe(found.need)
      expect(found.remainder).toBeLessThan(found.divisor)
    }),
  )
})

test('more money in the envelope never raises the contribution nor makes it behind', () => {
  fc.assert(
    fc.property(needs, schedules, fc.tuple(instants, money), (need, funding, [now, more]) => {
      const timezone = 'America/Chicago'
      const less = recalculate(need, funding, { timezone, now })
      const richer = { ...need, currentAmount: need.currentAmount + more }
      const found = recalculate(richer, funding, { timezone, now })
      expect(found.nextContributionAmount).toBeLessThanOrEqual(less.nextContributionAmount)
      expect(found.isBehind && !less.isBehind).toBe(false)
    }),
  )
})

test('a need of several large targets is at most the largest amount', () => {
  const rare = 'DTSTART:20240101T060000Z\nRRULE:FREQ=YEARLY;INTERVAL=50'
  const schedule = { ruleset: rare, excludeWeekends: false, nextRecurrence: new Date('2024-01-01') }
  const daily = 'DTSTART:20230101T060000Z\nRRULE:FREQ=DAILY'
  const need = {
    ruleset: daily,
    targetAmount: amountMax,
    currentAmount: 0n,
    usedAmount: 0n,
    nextRecurrence: new Date('2023-12-01T06:00Z'),
    lastRecurrence: null,
  }
  const now = new Date('2023-11-20T12:00Z')
  const found = recalculate(need, schedule, { timezone: 'America/Chicago', now })
  expect(found).toMatchObject({ nextContributionAmount: amountMax, isBehind: true })
})
