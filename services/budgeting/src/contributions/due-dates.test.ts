import { describe, expect, test } from '@jest/globals'
import { rollDue } from './due-dates.ts'

describe('the dates after a due date', () => {
  test('an expense is next due at midnight of the account', () => {
    const monthly = 'DTSTART:20220101T060000Z\nRRULE:FREQ=MONTHLY'
    const due = { ruleset: monthly, nextRecurrence: new Date('2023-11-01T05:00Z') }
    expect(rollDue(due, 'America/Chicago')).toEqual({
      lastRecurrence: new Date('2023-11-01T05:00Z'),
      nextRecurrence: new Date('2023-12-01T06:00Z'),
    })
    const atNoon = { ...due, ruleset: 'DTSTART:20220101T180000Z\nRRULE:FREQ=MONTHLY' }
    expect(rollDue(atNoon, 'America/Chicago').nextRecurrence).toEqual(new Date('2023-12-01T06:00Z'))
  })

  test('a goal and an ended expense have the same date twice', () => {
    const nextRecurrence = new Date('2023-11-01T00:00Z')
    const over = { lastRecurrence: nextRecurrence, nextRecurrence }
    const ended = 'DTSTART:20231101T000000Z\nRRULE:FREQ=MONTHLY;COUNT=1'
    expect(rollDue({ ruleset: null, nextRecurrence }, 'UTC')).toEqual(over)
    expect(rollDue({ ruleset: ended, nextRecurrence }, 'UTC')).toEqual(over)
  })
})
