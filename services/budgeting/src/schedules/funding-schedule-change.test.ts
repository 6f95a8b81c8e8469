import { problemsOf } from '@coffer/kit/rpc/errors'
import type { ConnectError } from '@connectrpc/connect'
import { describe, expect, test } from '@jest/globals'
import { pay } from '../../test/samples.ts'
import type { FundingSchedule } from '../book/funding-schedule.ts'
import {
  changeFundingSchedule,
  type FundingSchedulePatch,
  mayFireOtherwise,
} from './funding-schedule-change.ts'

const where = {
  timezone: 'America/Chicago',
  now: new Date('2023-10-09T13:32Z'),
  isManualLink: true,
}
const notInFuture = 'Next recurrence must be in the future'

function refusal(patch: FundingSchedulePatch, current = pay, given = where) {
  try {
    changeFundingSchedule(current, patch, given)
    return null
  } catch (error) {
    const { rawMessage } = error as ConnectError
    return [rawMessage, problemsOf(error as ConnectError)]
  }
}

describe('a change of a schedule (docs/funding-schedules.md#changing)', () => {
  const later = new Date('2023-10-20T05:00Z')
  const wednesdays = 'DTSTART:20231004T050000Z\nRRULE:FREQ=WEEKLY'
  const wednesday = new Date('2023-10-11T05:00Z')
  const saturdays = 'DTSTART:20231014T050000Z\nRRULE:FREQ=WEEKLY'
  const saturday = new Date('2023-10-14T05:00Z')
  const weekly = { ruleset: wednesdays }
  const withWeekends = { ruleset: saturdays, excludeWeekends: false }
  const otherWords = 'RRULE:BYMONTHDAY=15,-1;FREQ=MONTHLY\nDTSTART:20211231T060000'
  const on = (date: Date) => ({ nextRecurrence: date, nextRecurrenceOriginal: date })
  test.each<[string, FundingSchedulePatch, Partial<FundingSchedule>, boolean]>([
    ['nothing', {}, {}, false],
    ['the name', { name: 'Wages' }, { name: 'Wages' }, false],
    ['the description', { description: 'x' }, { description: 'x' }, false],
    ['a blank description', { description: '' }, { description: null }, false],
    ['no description', { description: null }, { description: null }, false],
    ['the deposit', { estimatedDeposit: 1n }, { estimatedDeposit: 1n }, false],
    ['a deposit of 0', { estimatedDeposit: 0n }, { estimatedDeposit: 0n }, false],
    ['no deposit', { estimatedDeposit: null }, { estimatedDeposit: null }, false],
    ['automatic deposits', { autoCreateTransaction: true }, { autoCreateTransaction: true }, false],
    ['null for a flag', { autoCreateTransaction: null, excludeWeekends: null }, {}, false],
    ['the flag for weekends', { excludeWeekends: false }, { excludeWeekends: false }, true],
    ['the flag as it is', { excludeWeekends: true }, {}, false],
    ['the rule, which moves the next date', weekly, { ...weekly, ...on(wednesday) }, true],
    [
      'the rule with the weekends that it then takes',
      withWeekends,
      { ...withWeekends, ...on(saturday) },
      true,
    ],
    [
      'a rule that moves off the weekend',
      { ruleset: saturdays },
      { ruleset: saturdays, nextRecurrenceOriginal: saturday },
      true,
    ],
    [
      'the rule with any next date',
      { ...weekly, nextRecurrence: later },
      { ...weekly, ...on(later) },
      true,
    ],
    [
      'the rule with the same next date',
      { ...weekly, nextRecurrence: pay.nextRecurrence },
      weekly,
      true,
    ],
    ['the same rule in other words', { ruleset: otherWords }, {}, false],
    ['the next date, which becomes the event itself', { nextRecurrence: later }, on(later), true],
    ['the next date as it is', { nextRecurrence: pay.nextRecurrence }, {}, false],
  ])('%s', (_, patch, changes, firesOtherwise) => {
    const found = changeFundingSchedule(pay, patch, where)
    expect(found).toEqual({ schedule: { ...pay, ...changes }, firesOtherwise })
    expect(mayFireOtherwise(patch) || !firesOtherwise).toBe(true)
  })

  test('is refused without a new date if the next date has passed', () => {
    const past = { ...pay, nextRecurrence: new Date('2023-10-09T05:00Z') }
    const problem = [notInFuture, { nextRecurrence: notInFuture }]
    expect(refusal({}, past)).toEqual(problem)
    expect(refusal({ name: 'Wages' }, past)).toEqual(problem)
    expect(refusal({ ruleset: 'DTSTART:20231013T050000Z\nRRULE:FREQ=WEEKLY' }, past)).toEqual(
      problem,
    )
    expect(refusal({ nextRecurrence: past.nextRecurrence })).toEqual(problem)
    expect(refusal({ nextRecurrence: later }, past)).toBeNull()
  })

  test.each<[FundingSchedulePatch, object]>([
    [{ name: null }, { name: 'cannot be blank' }],
    [
      { ruleset: null, nextRecurrence: null },
      { ruleset: 'cannot be blank', nextRecurrence: 'cannot be blank' },
    ],
    [{ ruleset: 'x' }, { ruleset: 'Ruleset must be a DTSTART line and an RRULE line' }],
    [
      { ruleset: 'DTSTART:20220101T060000Z\nRRULE:FREQ=MONTHLY;COUNT=1' },
      { ruleset: 'Ruleset has no date left' },
    ],
  ])('%j is refused', (patch, problems) => {
    expect(refusal(patch)).toEqual(['Invalid request', problems])
  })

  test('refuses automatic deposits without a manual link or an amount above 0', () => {
    const automatic = { ...pay, autoCreateTransaction: true }
    const needsAmount = 'Automatic deposits need an estimated deposit above 0'
    const amount = [needsAmount, { estimatedDeposit: needsAmount }]
    expect(refusal({ estimatedDeposit: 0n }, automatic)).toEqual(amount)
    expect(refusal({ estimatedDeposit: null }, automatic)).toEqual(amount)
    const elsewhere = { ...where, isManualLink: false }
    const needsLink = 'Automatic deposits need a manual link'
    const link = [needsLink, { autoCreateTransaction: needsLink }]
    expect(refusal({ autoCreateTransaction: true }, pay, elsewhere)).toEqual(link)
    expect(refusal({ autoCreateTransaction: false }, automatic, elsewhere)).toBeNull()
  })
})
