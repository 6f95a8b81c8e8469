import { problemsOf } from '@coffer/kit/rpc/errors'
import type { ConnectError } from '@connectrpc/connect'
import { describe, expect, test } from '@jest/globals'
import { fridays, monthly, rent } from '../../test/samples.ts'
import type { Spending } from '../book/spending.ts'
import { openPlan, requireNotClosing, withdrawCreation } from './plan-works.ts'
import { changeSpending, type SpendingPatch } from './spending-change.ts'

const where = {
  timezone: 'America/Chicago',
  now: new Date('2023-10-09T13:32Z'),
  isManualLink: true,
}
const trip: Spending = { ...rent, spendingType: 'goal', name: 'Trip', ruleset: null }
const paused = { ...rent, isPaused: true }
const past = new Date('2023-10-01T05:00Z')
const over = { ...rent, nextRecurrence: past, lastRecurrence: past }

describe('a change of a plan (docs/plans.md#creating-changing-and-deleting)', () => {
  const december = new Date('2023-12-01T06:00Z')
  const friday = new Date('2023-10-13T05:00Z')
  const weekly = { ruleset: fridays }
  const onFriday = { ...weekly, nextRecurrence: friday }
  const inDecember = { ...weekly, nextRecurrence: december }
  const less = { targetAmount: 5n }
  const asItIs = { nextRecurrence: rent.nextRecurrence }
  const noon = new Date('2023-12-01T17:00Z')
  const otherWords = 'DTSTART:20220101T060000\nRRULE:BYMONTHDAY=1;FREQ=MONTHLY'
  test.each<[string, Spending, SpendingPatch, Partial<Spending>, boolean]>([
    ['nothing', rent, {}, {}, false],
    ['the name', rent, { name: 'Flat' }, { name: 'Flat' }, false],
    ['the target', rent, less, less, true],
    ['the target as it is', rent, { targetAmount: 1000n }, {}, false],
    ['the schedule', trip, { fundingScheduleId: 'f' }, { fundingScheduleId: 'f' }, true],
    ['the rule, which moves the due date', rent, weekly, onFriday, true],
    ['the rule with a due date', rent, inDecember, inDecember, true],
    ['the rule with the same due date', rent, { ...weekly, ...asItIs }, weekly, true],
    ['the rule while paused', paused, weekly, onFriday, true],
    ['the rule in other words', rent, { ruleset: otherWords }, {}, false],
    ['no rule for a goal', trip, { ruleset: null }, {}, false],
    [
      'the due date, at any hour',
      rent,
      { nextRecurrence: noon },
      { nextRecurrence: december },
      true,
    ],
    ['the due date as it is', rent, asItIs, {}, false],
    ['automatic', rent, { autoCreateTransaction: true }, { autoCreateTransaction: true }, false],
    ['pausing', rent, { isPaused: true }, { isPaused: true }, false],
    [
      'pausing with another target',
      rent,
      { isPaused: true, ...less },
      { isPaused: true, ...less },
      false,
    ],
    ['another target while paused', paused, less, less, true],
    ['resuming', paused, { isPaused: false }, { isPaused: false }, true],
  ])('%s', (_, current, patch, ...expected) => {
    const [changes, needsContribution] = expected
    const found = changeSpending(current, patch, where)
    expect(found).toEqual({ spending: { ...current, ...changes }, needsContribution })
  })

  test('an expense resumed after its due date gets the next one', () => {
    const missed = { ...paused, nextRecurrence: new Date('2023-03-01T06:00Z') }
    const { spending } = changeSpending(missed, { isPaused: false }, where)
    expect(spending.nextRecurrence).toEqual(rent.nextRecurrence)
    expect(spending.lastRecurrence).toEqual(missed.nextRecurrence)
    const patch = { isPaused: false, ruleset: fridays }
    const { nextRecurrence } = changeSpending(missed, patch, where).spending
    expect(nextRecurrence).toEqual(new Date('2023-10-13T05:00Z'))
    const goal = { ...trip, isPaused: true, nextRecurrence: past }
    const resumed = changeSpending(goal, { isPaused: false }, where).spending
    expect(resumed).toEqual({ ...goal, isPaused: false })
  })

  test('an expense with an ended rule gets a due date from a new rule', () => {
    const { spending, needsContribution } = changeSpending(over, { ruleset: fridays }, where)
    expect(needsContribution).toBe(true)
    expect(spending.nextRecurrence).toEqual(new Date('2023-10-13T05:00Z'))
    expect(changeSpending(over, { name: 'Flat' }, where).spending.nextRecurrence).toEqual(past)
    const ended = `${fridays};COUNT=1`
    expect(changeSpending(over, { ruleset: ended }, where).spending).toEqual({
      ...over,
      ruleset: ended,
    })
  })

  const notInFuture = 'Next recurrence must be in the future'
  test.each<[string, Spending, SpendingPatch, object]>([
    ['a past date', rent, { nextRecurrence: past }, { nextRecurrence: notInFuture }],
    ['today, for a goal too', trip, { nextRecurrence: where.now }, { nextRecurrence: notInFuture }],
    ['a rule for a goal', trip, { ruleset: monthly }, { ruleset: 'A goal takes no ruleset' }],
    ['no rule for an expense', rent, { ruleset: null }, { ruleset: 'Ruleset is required' }],
    [
      'an ended rule',
      rent,
      { ruleset: `${fridays};COUNT=1` },
      { ruleset: 'Ruleset has no date left' },
    ],
    [
      'a rule before a past date is closed',
      { ...rent, nextRecurrence: past },
      weekly,
      { nextRecurrence: notInFuture },
    ],
    [
      'transactions of a goal',
      trip,
      { autoCreateTransaction: false },
      { autoCreateTransaction: 'key not expected' },
    ],
    [
      'everything at once',
      rent,
      { name: null, isPaused: null, targetAmount: 0n, ruleset: 'x', nextRecurrence: past },
      {
        name: 'cannot be blank',
        isPaused: 'cannot be blank',
        nextRecurrence: notInFuture,
        targetAmount: 'Target amount must be greater than 0',
        ruleset: 'Ruleset must be a DTSTART line and an RRULE line',
      },
    ],
  ])('%s is refused', (_, current, patch, problems) => {
    const change = () => changeSpending(current, patch, where)
    expect(change).toThrow()
    try {
      change()
    } catch (error) {
      expect(problemsOf(error as ConnectError)).toEqual(problems)
    }
  })

  test('automatic transactions need a manual link', () => {
    const elsewhere = { ...where, isManualLink: false }
    const automatic = { ...rent, autoCreateTransaction: true }
    expect(() => changeSpending(rent, { autoCreateTransaction: true }, elsewhere)).toThrow()
    expect(() => changeSpending(automatic, { name: 'Flat' }, elsewhere)).toThrow()
    expect(() => changeSpending(rent, { name: 'Flat' }, elsewhere)).not.toThrow()
  })
})

test('a plan that is being closed is refused until its instant', () => {
  const closingUntil = new Date('2026-03-02T06:00:00Z')
  const before = new Date(closingUntil.getTime() - 1)
  expect(() => requireNotClosing({ ...rent, closingUntil }, before)).toThrow('is being deleted')
  expect(() => requireNotClosing({ ...rent, closingUntil }, closingUntil)).not.toThrow()
})

test.each([
  ['opening', 1n, 1],
  ['opening', 2n, 0],
  ['open', 1n, 0],
] as const)(
  'a creation withdraws a plan that is %s by attempt %s: %s',
  (state, openingAttempts, count) => {
    const plans = [{ ...rent, state, openingAttempts }]
    const { deletedPlans } = withdrawCreation(rent).decide({ plans, schedules: [] } as never)
    expect(deletedPlans).toHaveLength(count)
  },
)

test.each([
  ['its contribution', {}, false],
  ['another contribution', { nextContributionAmount: 400n }, true],
  ['another pace', { isBehind: true }, true],
])('a plan that opens with %s: calculated again: %s', (_, stored, isAgain) => {
  const now = new Date('2023-10-09T14:32Z')
  const { nextContributionAmount, isBehind } = rent
  const calculatedAt = isAgain ? now : rent.calculatedAt
  const opened = openPlan({ ...rent, state: 'opening', ...stored }, undefined, { ...where, now })
  expect(opened).toMatchObject({ nextContributionAmount, isBehind, calculatedAt, state: 'open' })
})
