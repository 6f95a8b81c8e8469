import { expect, test } from '@jest/globals'
import type { Spending } from '../../api/budget-queries.ts'
import { changesOf, type Entries, neededOn } from './envelope-entries.ts'

const reading = { manner: { locale: 'en-US', currency: 'USD' }, timezone: 'America/Chicago' }
const ruleset = 'DTSTART:20261105T060000Z\nRRULE:FREQ=MONTHLY;INTERVAL=1;BYMONTHDAY=5'
const kept = {
  name: 'Power',
  fundingScheduleId: 'fs',
  graceDays: 5,
  settlesWhenSpent: true,
  carryOver: false,
  autoCreateTransaction: false,
  isPaused: false,
  ruleset,
}
const power = { ...kept, targetAmount: 9_000, nextRecurrence: '2026-12-05T06:00:00Z' }
const typed = { ...kept, kind: 'expense', target: '90', day: '2026-12-05', repeat: 'monthly' }

/** Returns what entries of the form change of the envelope. */
function changesBy(entries: Partial<Entries>, former: Partial<Spending> = {}) {
  const spending = { ...power, ...former } as Spending
  return changesOf({ ...typed, ...entries } as Entries, spending, reading)
}

test('a bill that is moved to another day comes again on that day', () => {
  expect(changesBy({ day: '2026-12-12' })).toEqual({
    nextRecurrence: '2026-12-12T06:00:00.000Z',
    ruleset: 'DTSTART:20261212T060000Z\nRRULE:FREQ=MONTHLY;INTERVAL=1;BYMONTHDAY=12',
  })
})

test('the rule stays if no day is changed, no word says it, or it is that of a goal', () => {
  const nextRecurrence = '2026-12-12T06:00:00.000Z'
  expect(changesBy({})).toEqual({})
  expect(changesBy({ day: '2026-12-12', repeat: 'kept' })).toEqual({ nextRecurrence })
  const goal = { kind: 'goal', ruleset: null } as const
  expect(changesBy({ ...goal, day: '2026-12-12' }, { ruleset: null })).toEqual({ nextRecurrence })
  expect(changesBy(goal, { ruleset: null })).toEqual({})
})

test('an envelope leaves to the server whether it keeps the rest, until it is ticked', () => {
  expect(changesBy({}, { carryOver: null })).toEqual({})
  expect(changesBy({ carryOver: true, graceDays: 0 }, { carryOver: null })).toEqual({
    carryOver: true,
    graceDays: 0,
  })
  expect(changesBy({ carryOver: false }, { carryOver: true })).toEqual({ carryOver: false })
})

test('an envelope may create its payments', () => {
  const autoCreateTransaction = true
  expect(changesBy({ autoCreateTransaction })).toEqual({ autoCreateTransaction })
})

test('of a paid bill the form shows the day after it, and changes it alone', () => {
  const due = '2027-01-05T06:00:00Z'
  const paid = { ...power, settledAt: '2026-11-28T06:00:00Z' } as Spending
  const changesFrom = (day: string) =>
    changesOf({ ...typed, day } as Entries, paid, { ...reading, due })
  expect([neededOn(paid, due), neededOn({ ...paid, settledAt: null }, due)]).toEqual([
    due,
    power.nextRecurrence,
  ])
  expect(changesFrom('2027-01-05')).toEqual({})
  expect(changesFrom('2027-01-08')).toMatchObject({ nextRecurrence: '2027-01-08T06:00:00.000Z' })
})

test('another word alone changes the rule from the day on', () => {
  expect(changesBy({ repeat: 'yearly' })).toEqual({
    ruleset: 'DTSTART:20261205T060000Z\nRRULE:FREQ=YEARLY;INTERVAL=1;BYMONTH=12;BYMONTHDAY=5',
  })
})
