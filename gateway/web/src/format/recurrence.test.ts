import { expect, test } from '@jest/globals'
import { repeatOf, rulesetOf } from './recurrence.ts'

test.each([
  ['weekly', '2026-11-27', 'FREQ=WEEKLY;INTERVAL=1;BYDAY=FR'],
  ['biweekly', '2026-11-30', 'FREQ=WEEKLY;INTERVAL=2;BYDAY=MO'],
  ['monthly', '2026-11-15', 'FREQ=MONTHLY;INTERVAL=1;BYMONTHDAY=15'],
  ['monthly', '2026-12-29', 'FREQ=MONTHLY;INTERVAL=1;BYMONTHDAY=28,29;BYSETPOS=-1'],
  ['yearly', '2026-12-30', 'FREQ=YEARLY;INTERVAL=1;BYMONTH=12;BYMONTHDAY=30'],
  ['yearly', '2028-02-29', 'FREQ=YEARLY;INTERVAL=1;BYMONTH=2;BYMONTHDAY=-1'],
  ['quarterly', '2026-01-31', 'FREQ=MONTHLY;INTERVAL=3;BYMONTHDAY=-1'],
  ['halfYearly', '2026-01-15', 'FREQ=MONTHLY;INTERVAL=6;BYMONTHDAY=15'],
  ['yearly', '2027-02-03', 'FREQ=YEARLY;INTERVAL=1;BYMONTH=2;BYMONTHDAY=3'],
] as const)('%s from %s is %s', (repeat, day, rule) => {
  const ruleset = rulesetOf(repeat, { day, start: `${day}T06:00:00.000Z` })
  expect(ruleset).toBe(`DTSTART:${day.replaceAll('-', '')}T060000Z\nRRULE:${rule}`)
  expect(repeatOf(ruleset)).toBe(repeat)
})

test('a rule has its word in the order of the parts that the server keeps', () => {
  const rule = 'FREQ=MONTHLY;INTERVAL=1;BYSETPOS=-1;BYMONTHDAY=28,29,30'
  expect(repeatOf(`DTSTART:20261230T060000Z\nRRULE:${rule}`)).toBe('monthly')
})

test.each([
  'FREQ=MONTHLY;INTERVAL=1;BYMONTHDAY=15,-1',
  'FREQ=DAILY',
  'FREQ=MONTHLY;INTERVAL=1;COUNT=12;BYMONTHDAY=5',
  'FREQ=MONTHLY;INTERVAL=1;UNTIL=20270101T060000Z;BYMONTHDAY=5',
  'FREQ=MONTHLY;INTERVAL=1;BYDAY=FR',
  'FREQ=MONTHLY;BYMONTHDAY=5\nEXDATE:20261205T060000Z',
])('no word says %s', (rule) => {
  expect(repeatOf(`DTSTART:20261105T060000Z\nRRULE:${rule}`)).toBeNull()
})
