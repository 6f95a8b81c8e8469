import { describe, expect, jest, test } from '@jest/globals'
import rrule from 'rrule'
import {
  countOccurrences,
  listOccurrences,
  occurrenceAfter,
  occurrenceBefore,
  occurrencesOf,
} from './recurrence.ts'

const chicago = 'America/Chicago'

test('a midnight that the clock skips is the first instant of its day; UNTIL is included', () => {
  const rule = 'DTSTART:20230901T040000Z\nRRULE:FREQ=DAILY;UNTIL=20230904T030000Z'
  const range = { from: Date.UTC(2023, 8, 2), before: Date.UTC(2023, 9, 1) }
  const found = listOccurrences(occurrencesOf(rule, 'America/Santiago'), range, 9)
  const expected = ['2023-09-02T04:00Z', '2023-09-03T04:00Z', '2023-09-04T03:00Z']
  expect(found).toEqual(expected.map((text) => Date.parse(text)))
})

test('bounds: after and before are strict, a count includes its start and not its end', () => {
  const occurrences = occurrencesOf('DTSTART:20220101\nRRULE:FREQ=MONTHLY', 'UTC')
  const [march, april, may] = [2, 3, 4].map((month) => Date.UTC(2022, month, 1)) as [
    number,
    number,
    number,
  ]
  expect(occurrenceAfter(occurrences, march)).toBe(april)
  expect(occurrenceAfter(occurrences, march - 1)).toBe(march)
  expect(occurrenceBefore(occurrences, april)).toBe(march)
  expect(occurrenceBefore(occurrences, april + 1)).toBe(april)
  expect(occurrenceBefore(occurrences, Date.UTC(2022, 0, 1))).toBeNull()
  expect(countOccurrences(occurrences, { from: march, before: may })).toBe(2)
  expect(countOccurrences(occurrences, { from: march + 1, before: may + 1 })).toBe(2)
  expect(countOccurrences(occurrences, { from: may, before: march })).toBe(0)
})

describe('the search ends for a rule that never matches', () => {
  test.each([
    'FREQ=YEARLY;BYMONTH=2;BYMONTHDAY=31',
    'FREQ=DAILY;BYMONTH=2;BYMONTHDAY=31',
    'FREQ=WEEKLY;BYMONTH=2;BYMONTHDAY=30',
    'FREQ=MONTHLY;BYMONTH=2;BYMONTHDAY=30;COUNT=10000',
    'FREQ=DAILY;INTERVAL=7;BYDAY=TU',
    'FREQ=YEARLY;BYYEARDAY=366;BYMONTH=1',
    'FREQ=MONTHLY;BYSETPOS=200',
    'FREQ=YEARLY;INTERVAL=9999;BYMONTH=1',
    'FREQ=WEEKLY;BYDAY=MO,TU;BYSETPOS=3',
    `FREQ=WEEKLY;BYDAY=MO,TU;BYSETPOS=${Array(900).fill(366).join(',')}`,
    `FREQ=MONTHLY;BYDAY=${Array(600).fill('-53MO').join(',')}`,
  ])('%s', (rule) => {
    const expanded = jest.spyOn(rrule.RRule.prototype, 'all')
    const occurrences = occurrencesOf(`DTSTART:20220105T000000Z\nRRULE:${rule}`, 'UTC')
    const now = Date.UTC(2026, 5, 1)
    expect(occurrenceAfter(occurrences, now)).toBeNull()
    expect(countOccurrences(occurrences, { from: now, before: Date.UTC(9999, 0, 1) })).toBe(0)
    // 28 kinds of years: seven weekdays of New Year times four positions in the cycle of leap
    // years.
    expect(expanded.mock.calls.length).toBeLessThanOrEqual(7 * 4)
    expanded.mockRestore()
  })

  test('a start in the far past or future is found without expanding every year', () => {
    const past = occurrencesOf('DTSTART:19000101\nRRULE:FREQ=DAILY;INTERVAL=3', 'UTC')
    expect(occurrenceAfter(past, Date.UTC(2026, 0, 1))).toBe(Date.UTC(2026, 0, 3))
    const future = occurrencesOf('DTSTART:21990101\nRRULE:FREQ=DAILY', 'UTC')
    expect(occurrenceAfter(future, Date.UTC(2026, 0, 1))).toBe(Date.UTC(2199, 0, 1))
  })
})

test('an invalid stored ruleset throws RangeError with the reason', () => {
  expect(() => occurrencesOf('nonsense', 'UTC')).toThrow(
    new RangeError('ruleset must be a DTSTART line and an RRULE line'),
  )
})

test('DTSTART with TZID is the instant of that wall-clock time', () => {
  const text = 'DTSTART;TZID=Australia/Sydney:20220115T000000\nRRULE:FREQ=MONTHLY'
  const next = occurrenceAfter(occurrencesOf(text, 'Australia/Sydney'), Date.parse('2022-06-01'))
  expect(next).toBe(Date.parse('2022-06-14T14:00Z'))
})

describe('the cache of a process', () => {
  const rule = (minutes: number) => {
    const start = new Date(Date.UTC(2022, 0, 1, 0, minutes)).toISOString().slice(0, 19)
    return `DTSTART:${start.replaceAll(/[-:]/g, '')}Z\nRRULE:FREQ=DAILY`
  }

  test('keeps the rules that were used last', () => {
    const first = occurrencesOf(rule(0), 'UTC')
    const used = occurrencesOf(rule(1), 'UTC')
    for (let minutes = 2; minutes <= 2_001; minutes += 1) {
      occurrencesOf(rule(minutes), chicago)
      occurrencesOf(rule(1), 'UTC')
    }
    expect(occurrencesOf(rule(1), 'UTC')).toBe(used)
    expect(occurrencesOf(rule(0), 'UTC')).not.toBe(first)
  })

  test('drops rules when the days of all are too many', () => {
    const range = { from: Date.parse('2022-01-01'), before: Date.parse('2121-01-01') }
    const first = occurrencesOf(rule(0), 'UTC')
    const counts = Array.from({ length: 14 }, (_, minutes) =>
      countOccurrences(occurrencesOf(rule(minutes), 'UTC'), range),
    )
    expect(new Set(counts)).toEqual(new Set([36_159]))
    expect(occurrencesOf(rule(13), 'UTC')).toBe(occurrencesOf(rule(13), 'UTC'))
    expect(occurrencesOf(rule(0), 'UTC')).not.toBe(first)
  })
})
