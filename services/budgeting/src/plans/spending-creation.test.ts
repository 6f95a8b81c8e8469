import { problemsOf } from '@coffer/kit/rpc/errors'
import type { ConnectError } from '@connectrpc/connect'
import { describe, expect, test } from '@jest/globals'
import { type NewSpending, newSpending } from './spending-creation.ts'

const timezone = 'America/Chicago'
const context = { timezone, now: new Date('2023-10-09T13:32Z'), isManualLink: true }
const monthly = 'DTSTART:20220101T060000Z\nRRULE:FREQ=MONTHLY;BYMONTHDAY=1'

const rent: NewSpending = {
  spendingType: 'expense',
  name: 'Rent',
  fundingScheduleId: 'fund_1',
  targetAmount: 1000n,
  nextRecurrence: new Date('2023-11-01T05:00Z'),
  ruleset: monthly,
  autoCreateTransaction: false,
  isPaused: false,
  settlesWhenSpent: false,
  graceDays: 0,
  carryOver: null,
}
const holiday: NewSpending = { ...rent, spendingType: 'goal', name: 'Holiday', ruleset: null }

const notInFuture = 'Next recurrence must be in the future'
const notMidnight =
  'Next recurrence must be midnight: send 2023-11-01T05:00:00Z, ' +
  'midnight of that day in America/Chicago'

function problems(input: NewSpending, where = context) {
  try {
    return newSpending(input, where)
  } catch (error) {
    return problemsOf(error as ConnectError)
  }
}

describe('a new plan (docs/plans.md#creating-changing-and-deleting)', () => {
  test('has a normalised rule and its due date at midnight', () => {
    const sent = {
      ...rent,
      ruleset: 'DTSTART:20220101T060000\nRRULE:BYMONTHDAY=1;FREQ=MONTHLY',
      nextRecurrence: new Date('2023-11-01T05:59:59Z'),
    }
    expect(newSpending(sent, context)).toEqual(rent)
    expect(newSpending(holiday, context)).toEqual(holiday)
  })

  test.each([
    ['a past due date', { nextRecurrence: new Date('2023-10-08T05:00Z') }, notInFuture],
    ['the midnight of today', { nextRecurrence: new Date('2023-10-09T05:00Z') }, notInFuture],
    ['noon', { nextRecurrence: new Date('2023-11-01T17:00Z') }, notMidnight],
    ['the hour after midnight', { nextRecurrence: new Date('2023-11-01T06:00Z') }, notMidnight],
  ])('is refused for %s', (_, changes, nextRecurrence) => {
    expect(problems({ ...rent, ...changes })).toEqual({ nextRecurrence })
    expect(problems({ ...holiday, ...changes })).toEqual({ nextRecurrence })
  })

  test('accepts the next midnight at the earliest, also one that the clock skips', () => {
    const tomorrow = { ...rent, nextRecurrence: new Date('2023-10-10T05:00Z') }
    expect(newSpending(tomorrow, context)).toEqual(tomorrow)
    const santiago = { ...context, timezone: 'America/Santiago', now: new Date('2023-09-01') }
    const skipped = { ...holiday, nextRecurrence: new Date('2023-09-03T04:00Z') }
    expect(newSpending(skipped, santiago)).toEqual(skipped)
  })

  test('without a sent date is due at the next date of its rule', () => {
    const undated = { ...rent, nextRecurrence: null }
    expect(newSpending(undated, context)).toEqual(rent)
    const later = 'DTSTART:20240105T060000Z\nRRULE:FREQ=WEEKLY'
    expect(newSpending({ ...undated, ruleset: later }, context).nextRecurrence).toEqual(
      new Date('2024-01-05T06:00Z'),
    )
    expect(problems({ ...undated, ruleset: `${monthly};COUNT=1` })).toEqual({
      ruleset: 'Ruleset has no date left',
    })
    expect(problems({ ...undated, ruleset: 'x' })).toEqual({
      ruleset: 'Ruleset must be a DTSTART line and an RRULE line',
    })
    expect(problems({ ...holiday, nextRecurrence: null })).toEqual({
      nextRecurrence: 'Next recurrence is required',
    })
  })

  test('is refused with every problem at once', () => {
    const bad = { targetAmount: 0n, ruleset: 'FREQ=DAILY', autoCreateTransaction: true }
    const nextRecurrence = new Date('2023-11-01T17:00Z')
    const aggregator = { ...context, isManualLink: false }
    expect(problems({ ...rent, ...bad, nextRecurrence }, aggregator)).toEqual({
      targetAmount: 'Target amount must be greater than 0',
      ruleset: 'Ruleset must be a DTSTART line and an RRULE line',
      autoCreateTransaction: 'Automatic transactions need a manual link',
      nextRecurrence: notMidnight,
    })
  })

  test('has a rule when it is an expense and none when it is a goal', () => {
    expect(problems({ ...rent, ruleset: null })).toEqual({ ruleset: 'Ruleset is required' })
    expect(problems({ ...holiday, ruleset: monthly })).toEqual({
      ruleset: 'A goal takes no ruleset',
    })
  })
})
