import { expect, test } from '@jest/globals'
import {
  fittingDay,
  nextFriday,
  nextPaydays,
  type Pace,
  paceOf,
  paydaysOf,
  ruleDayOf,
} from './schedule-pace.ts'

test.each`
  pace               | day             | next
  ${'biweekly'}      | ${'2026-12-18'} | ${'2026-12-18 2027-01-01 2027-01-15'}
  ${'monthly'}       | ${'2026-01-31'} | ${'2026-01-30 2026-02-27 2026-03-31'}
  ${'monthly'}       | ${'2026-01-30'} | ${'2026-01-30 2026-02-27 2026-03-30'}
  ${'month-end'}     | ${'2026-04-30'} | ${'2026-04-30 2026-05-29 2026-06-30'}
  ${'twice-monthly'} | ${'2026-02-10'} | ${'2026-02-13 2026-02-27 2026-03-13'}
  ${'twice-monthly'} | ${'2026-11-16'} | ${'2026-11-30 2026-12-15 2026-12-31'}
  ${'quarterly'}     | ${'2026-11-30'} | ${'2026-11-30 2027-02-26 2027-05-28'}
  ${'quarterly'}     | ${'2026-11-05'} | ${'2026-11-05 2027-02-05 2027-05-05'}
`('paydays $pace from $day, on weekdays: $next', ({ pace, day = '', next }) => {
  const days = nextPaydays(pace as Pace, { day, count: 3, excludesWeekends: true })
  expect(days.join(' ')).toBe(next)
  const ruleset = paydaysOf(pace as Pace, { day, start: `${day}T06:00:00Z` })
  expect(paceOf(ruleset)).toBe(day.endsWith('31') ? 'month-end' : pace)
})

test('the Friday after a Friday is a week later', () => {
  expect([nextFriday('2026-11-27'), nextFriday('2026-11-28')]).toEqual(['2026-12-04', '2026-12-04'])
})

test.each`
  pace               | day             | next
  ${'month-end'}     | ${'2026-12-04'} | ${'2026-11-30'}
  ${'month-end'}     | ${'2027-01-08'} | ${'2026-11-30'}
  ${'month-end'}     | ${'2027-02-28'} | ${'2027-02-28'}
  ${'twice-monthly'} | ${'2026-12-04'} | ${'2026-11-30'}
  ${'twice-monthly'} | ${'2026-12-15'} | ${'2026-12-15'}
  ${'biweekly'}      | ${'2026-12-04'} | ${'2026-12-04'}
  ${'month-end'}     | ${''}           | ${''}
`('the next payday moves from "$day" to "$next" with $pace', ({ pace, day = '', next }) => {
  expect(fittingDay(pace as Pace, { day, today: '2026-11-29' })).toBe(next)
})

test.each`
  pace               | day             | moved
  ${'monthly'}       | ${'2027-01-10'} | ${'2027-01-08'}
  ${'monthly'}       | ${'2027-01-08'} | ${'2027-01-08'}
  ${'monthly'}       | ${'2027-05-30'} | ${'2027-05-28'}
  ${'monthly'}       | ${'2027-01-31'} | ${'2027-01-29'}
  ${'twice-monthly'} | ${'2027-05-15'} | ${'2027-05-14'}
  ${'biweekly'}      | ${'2027-01-10'} | ${'2027-01-08'}
  ${'yearly'}        | ${'2027-01-10'} | ${'2027-01-08'}
`('the rule of a $pace payday on $moved falls on $day', ({ pace, day = '', moved = '' }) => {
  const ruleset = paydaysOf(pace as Pace, { day, start: `${day}T06:00:00Z` })
  expect(ruleDayOf(ruleset, moved)).toBe(day)
  const days = nextPaydays(pace as Pace, { day, count: 1, excludesWeekends: true })
  expect(days).toEqual([moved])
})

test('a rule that names no day falls on the day of the payday', () => {
  expect(ruleDayOf('DTSTART:20270110T060000Z\nRRULE:FREQ=MONTHLY', '2027-01-08')).toBe('2027-01-08')
})
