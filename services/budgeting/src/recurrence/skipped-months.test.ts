import { expect, test } from '@jest/globals'
import { rulesetHints } from './skipped-months.ts'

const asOf = { timezone: 'America/Chicago', now: new Date('2026-11-27T12:00Z') }

const hintsOf = (days: string) => {
  const [start, rule] = days.split(' ')
  return rulesetHints(`DTSTART:${start}T060000Z\nRRULE:FREQ=${rule}`, asOf)
}

const short = 'November 2026, February 2027, April 2027, June 2027, September 2027 and so on'
const every = (month: string, years: number[]) => years.map((year) => `${month} ${year}`).join(', ')
const endless = (month: string, years: number[]) => `${every(month, years)} and so on`

// Start and rule, the day that months lack, those months, and BYMONTHDAY of the advice.
test.each([
  ['20260131 MONTHLY', 31, short, '-1'],
  ['20260101 MONTHLY;BYMONTHDAY=15,31', 31, short, '15,-1'],
  ['20260130 MONTHLY;UNTIL=20280601T000000Z', 30, every('February', [2027, 2028]), '-1'],
  ['20260129 MONTHLY;COUNT=15', 29, every('February', [2027]), '-1'],
  ['20260531 MONTHLY;INTERVAL=6', 31, endless('November', [2026, 2027, 2028, 2029, 2030]), '-1'],
  ['20260101 MONTHLY;BYMONTHDAY=29', 29, endless('February', [2027, 2029, 2030]), '-1'],
  ['20240131 YEARLY;BYMONTH=2,3', 31, endless('February', [2027, 2028, 2029, 2030]), '-1'],
])('%s lacks day %i in %s', (days, day, months, monthDays) => {
  expect(hintsOf(days)).toEqual([
    `Not every month has a day ${day}: the rule has no such date in ${months}. ` +
      `For the last day of a month write BYMONTHDAY=${monthDays}.`,
  ])
})

test('a yearly rule keeps its month', () => {
  expect(hintsOf('20240229 YEARLY')).toEqual([
    `Not every February has a day 29: the rule has no such date in ${endless(
      'February',
      [2027, 2029, 2030],
    )}. For the last day of a month write BYMONTH=2;BYMONTHDAY=-1.`,
  ])
})

test.each([
  ['the last day', 'MONTHLY;BYMONTHDAY=-1'],
  ['the 28th', 'MONTHLY;BYMONTHDAY=28'],
  ['the last of several days', 'MONTHLY;BYMONTHDAY=28,29,30,31;BYSETPOS=-1'],
  ['long months', 'MONTHLY;BYMONTHDAY=31;BYMONTH=1,3,5'],
  ['a rule that has ended', 'MONTHLY;BYMONTHDAY=31;COUNT=2'],
  ['a weekly rule', 'WEEKLY'],
])('%s is skipped nowhere', (_, rule) => expect(hintsOf(`20260131 ${rule}`)).toEqual([]))

test('a goal has no rule', () => expect(rulesetHints(null, asOf)).toEqual([]))
