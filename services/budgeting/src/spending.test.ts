import { describe, expect, test } from '@jest/globals'
import { changeSpending, type NewSpending, newSpending, type Spending } from './spending.ts'

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
}
const holiday: NewSpending = { ...rent, spendingType: 'goal', name: 'Holiday', ruleset: null }

const notInFuture = 'Next recurrence must be in the future'
const notMidnight = 'Next recurrence must be midnight in the timezone of the account'

describe('a new envelope (spec/budgeting.md 3.2)', () => {
  test('is taken with its rule normalised and its due date at midnight', () => {
    const sent = {
      ...rent,
      ruleset: 'DTSTART:20220101T060000\nRRULE:BYMONTHDAY=1;FREQ=MONTHLY',
      nextRecurrence: new Date('2023-11-01T05:59:59Z'),
    }
    expect(newSpending(sent, context)).toEqual({ spending: rent })
    expect(newSpending(holiday, context)).toEqual({ spending: holiday })
  })

  test.each([
    ['a past due date', { nextRecurrence: new Date('2023-10-08T05:00Z') }, notInFuture],
    ['the midnight of today', { nextRecurrence: new Date('2023-10-09T05:00Z') }, notInFuture],
    ['noon', { nextRecurrence: new Date('2023-11-01T17:00Z') }, notMidnight],
    ['the hour after midnight', { nextRecurrence: new Date('2023-11-01T06:00Z') }, notMidnight],
  ])('is refused for %s', (_, changes, nextRecurrence) => {
    expect(newSpending({ ...rent, ...changes }, context)).toEqual({ problems: { nextRecurrence } })
    expect(newSpending({ ...holiday, ...changes }, context)).toEqual({
      problems: { nextRecurrence },
    })
  })

  test('takes the next midnight at the earliest, where the clock skips it too', () => {
    const tomorrow = { ...rent, nextRecurrence: new Date('2023-10-10T05:00Z') }
    expect(newSpending(tomorrow, context)).toEqual({ spending: tomorrow })
    const santiago = { ...context, timezone: 'America/Santiago', now: new Date('2023-09-01') }
    const skipped = { ...holiday, nextRecurrence: new Date('2023-09-03T04:00Z') }
    expect(newSpending(skipped, santiago)).toEqual({ spending: skipped })
  })

  test('is refused with every problem at once', () => {
    const bad = { targetAmount: 0n, ruleset: 'FREQ=DAILY', autoCreateTransaction: true }
    const nextRecurrence = new Date('2023-11-01T17:00Z')
    const aggregator = { ...context, isManualLink: false }
    expect(newSpending({ ...rent, ...bad, nextRecurrence }, aggregator)).toEqual({
      problems: {
        targetAmount: 'Target amount must be greater than 0',
        ruleset: 'Ruleset must be a DTSTART line and an RRULE line',
        autoCreateTransaction: 'Automatic transactions need a manual link',
        nextRecurrence: notMidnight,
      },
    })
  })

  test('has a rule when it is an expense and none when it is a goal', () => {
    expect(newSpending({ ...rent, ruleset: null }, context)).toEqual({
      problems: { ruleset: 'Ruleset is required' },
    })
    expect(newSpending({ ...holiday, ruleset: monthly }, context)).toEqual({
      problems: { ruleset: 'A goal takes no ruleset' },
    })
  })
})

const stored = (input: NewSpending): Spending => ({
  ...input,
  ...{ accountId: 'acct_1', spendingId: 'spnd_1', bankAccountId: 'bac_1' },
  ...{ currentAmount: 100n, usedAmount: 0n, amountsVersion: 1n },
  ...{ nextContributionAmount: 450n, isBehind: false, lastRecurrence: null },
  createdAt: new Date('2023-01-01'),
})

describe('a change (spec/budgeting.md 3.3)', () => {
  const expense = stored(rent)
  const goal = stored(holiday)

  test.each([
    ['nothing', {}, false],
    ['the name', { name: 'Flat' }, false],
    ['the target', { targetAmount: 2000n }, true],
    ['the schedule', { fundingScheduleId: 'fund_2' }, true],
    ['the due date', { nextRecurrence: new Date('2023-12-01T06:00Z') }, true],
    [
      'the due date, to another hour of its day',
      { nextRecurrence: new Date('2023-11-02T04:00Z') },
      false,
    ],
    ['the rule', { ruleset: `${monthly},15` }, true],
    ['the rule, in other words', { ruleset: monthly.replace('Z', '') }, false],
    ['to paused, with a new target', { isPaused: true, targetAmount: 2000n }, false],
  ])('%s', (_, patch, recalculates) => {
    expect(changeSpending(expense, patch, context)).toMatchObject({ recalculates })
  })

  test('unpausing recalculates, pausing and keeping the pause do not', () => {
    const paused = { ...goal, isPaused: true }
    const recalculation = (from: Spending, isPaused: boolean) =>
      changeSpending(from, { isPaused }, context)
    expect(recalculation(paused, false)).toMatchObject({ recalculates: true })
    expect(recalculation(paused, true)).toMatchObject({ recalculates: false })
    expect(recalculation(goal, true)).toMatchObject({ recalculates: false })
  })

  test('takes a due date of any hour as its day, and keeps what is not named', () => {
    const patch = { name: 'Flat', nextRecurrence: new Date('2023-12-01T20:15Z') }
    expect(changeSpending(expense, patch, context)).toEqual({
      spending: { ...expense, name: 'Flat', nextRecurrence: new Date('2023-12-01T06:00Z') },
      recalculates: true,
    })
  })

  test('to a past date is refused for an expense and stands for a goal', () => {
    const nextRecurrence = new Date('2023-09-01T05:00Z')
    const problems = { nextRecurrence: notInFuture }
    expect(changeSpending(expense, { nextRecurrence }, context)).toEqual({ problems })
    expect(changeSpending(goal, { nextRecurrence }, context)).toEqual({
      spending: { ...goal, nextRecurrence },
      recalculates: true,
    })
  })

  test('leaves an overdue expense alone that keeps its date', () => {
    const overdue = { ...expense, nextRecurrence: new Date('2023-10-01T05:00Z') }
    const patch = { name: 'Flat', nextRecurrence: new Date('2023-10-01T05:00Z') }
    expect(changeSpending(overdue, patch, context)).toEqual({
      spending: { ...overdue, name: 'Flat' },
      recalculates: false,
    })
  })

  test('of keys that the kind does not have is refused', () => {
    expect(
      changeSpending(goal, { ruleset: monthly, autoCreateTransaction: false }, context),
    ).toEqual({
      problems: { ruleset: 'A goal takes no ruleset', autoCreateTransaction: 'key not expected' },
    })
    expect(changeSpending(goal, { ruleset: null }, context)).toMatchObject({ recalculates: false })
    expect(changeSpending(expense, { ruleset: null }, context)).toEqual({
      problems: { ruleset: 'Ruleset is required' },
    })
  })

  test('is refused where the merged envelope would break a rule', () => {
    const automatic = { ...expense, autoCreateTransaction: true }
    const problems = { autoCreateTransaction: 'Automatic transactions need a manual link' }
    const aggregator = { ...context, isManualLink: false }
    expect(changeSpending(automatic, { name: 'Flat' }, aggregator)).toEqual({ problems })
    expect(changeSpending(expense, { targetAmount: -1n }, context)).toEqual({
      problems: { targetAmount: 'Target amount must be greater than 0' },
    })
  })

  test('of the rule brings an expense back whose rule had ended', () => {
    const last = new Date('2023-09-01T05:00Z')
    const over = { ...expense, nextRecurrence: last, lastRecurrence: last }
    expect(changeSpending(over, { ruleset: `${monthly},15` }, context)).toMatchObject({
      spending: { nextRecurrence: new Date('2023-10-15T05:00Z') },
      recalculates: true,
    })
    const ended = { ruleset: `${monthly};UNTIL=20230901T060000Z` }
    expect(changeSpending(over, ended, context)).toMatchObject({
      spending: { nextRecurrence: last },
    })
  })
})
