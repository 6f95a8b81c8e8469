import { describe, expect, jest, test } from '@jest/globals'
import fc from 'fast-check'
import rrule from 'rrule'
import { countOccurrences, occurrenceAfter, occurrenceBefore, occurrencesOf } from './recurrence.ts'

const chicago = 'America/Chicago'

function list(ruleset: string, timezone: string, from: string, count: number): string[] {
  const occurrences = occurrencesOf(ruleset, timezone)
  const found: string[] = []
  let next = occurrenceAfter(occurrences, Date.parse(from) - 1)
  while (next !== null && found.length < count) {
    found.push(new Date(next).toISOString().replace(':00.000Z', 'Z'))
    next = occurrenceAfter(occurrences, next)
  }
  return found
}

describe('occurrences have the wall-clock time of the account', () => {
  test.each([
    {
      name: 'at midnight across the change of the clock',
      ruleset: 'DTSTART:20231027T050000Z\nRRULE:FREQ=WEEKLY;BYDAY=FR',
      timezone: chicago,
      from: '2023-10-27',
      expected: ['2023-10-27T05:00Z', '2023-11-03T05:00Z', '2023-11-10T06:00Z'],
    },
    {
      name: 'on the local day east of UTC',
      ruleset: 'DTSTART:20220113T130000Z\nRRULE:FREQ=MONTHLY;BYMONTHDAY=14',
      timezone: 'Australia/Sydney',
      from: '2022-03-01',
      expected: ['2022-03-13T13:00Z', '2022-04-13T14:00Z', '2022-05-13T14:00Z'],
    },
    {
      name: 'a midnight the clock skips is the first instant of the day',
      ruleset: 'DTSTART:20230901T040000Z\nRRULE:FREQ=DAILY',
      timezone: 'America/Santiago',
      from: '2023-09-02',
      expected: ['2023-09-02T04:00Z', '2023-09-03T04:00Z', '2023-09-04T03:00Z'],
    },
    {
      name: 'a day the month lacks is passed over',
      ruleset: 'DTSTART:20220131T000000Z\nRRULE:FREQ=MONTHLY',
      timezone: 'UTC',
      from: '2022-01-01',
      expected: ['2022-01-31T00:00Z', '2022-03-31T00:00Z', '2022-05-31T00:00Z'],
    },
    {
      name: 'a start that does not match is no occurrence',
      ruleset: 'DTSTART:20220101T000000Z\nRRULE:FREQ=MONTHLY;BYMONTHDAY=15,-1',
      timezone: 'UTC',
      from: '2022-01-01',
      expected: ['2022-01-15T00:00Z', '2022-01-31T00:00Z', '2022-02-15T00:00Z'],
    },
    {
      name: 'the last working day of the month',
      ruleset: 'DTSTART:20220101T000000Z\nRRULE:FREQ=MONTHLY;BYDAY=MO,TU,WE,TH,FR;BYSETPOS=-1',
      timezone: 'UTC',
      from: '2022-04-01',
      expected: ['2022-04-29T00:00Z', '2022-05-31T00:00Z', '2022-06-30T00:00Z'],
    },
    {
      name: 'COUNT ends a rule',
      ruleset: 'DTSTART:20220115T000000Z\nRRULE:FREQ=YEARLY;COUNT=2',
      timezone: 'UTC',
      from: '2022-01-01',
      expected: ['2022-01-15T00:00Z', '2023-01-15T00:00Z'],
    },
    {
      name: 'UNTIL ends a rule and is included',
      ruleset: 'DTSTART:20220115T000000Z\nRRULE:FREQ=WEEKLY;UNTIL=20220129T000000Z',
      timezone: 'UTC',
      from: '2022-01-16',
      expected: ['2022-01-22T00:00Z', '2022-01-29T00:00Z'],
    },
    {
      name: 'leap days',
      ruleset: 'DTSTART:20240229T000000Z\nRRULE:FREQ=YEARLY',
      timezone: 'UTC',
      from: '2090-01-01',
      expected: ['2092-02-29T00:00Z', '2096-02-29T00:00Z', '2104-02-29T00:00Z'],
    },
  ])('$name', ({ ruleset, timezone, from, expected }) => {
    expect(list(ruleset, timezone, from, 3)).toEqual(expected)
  })
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

/** Rules that match at least every few years, so that the library alone can list their days. */
const rules = fc
  .record({
    frequency: fc.constantFrom('DAILY', 'WEEKLY', 'MONTHLY', 'YEARLY'),
    interval: fc.integer({ min: 1, max: 4 }),
    weekStart: fc.constantFrom('MO', 'SU', 'WE'),
    days: fc.constantFrom('', 'BYDAY=MO,TH', 'BYMONTHDAY=1,15,-1,-10', 'BYDAY=SA,SU;BYSETPOS=-1'),
    count: fc.option(fc.integer({ min: 1, max: 40 }), { nil: null }),
  })
  .map(({ frequency, interval, weekStart, days, count }) =>
    [
      `FREQ=${frequency};INTERVAL=${interval};WKST=${weekStart}`,
      days,
      count === null ? '' : `COUNT=${count}`,
    ]
      .filter((part) => part !== '')
      .join(';'),
  )

test('expansion by year has the same days as one call of the library', () => {
  const starts = fc.integer({
    min: Date.UTC(2019, 0, 1) / 86_400_000,
    max: Date.UTC(2022, 0, 1) / 86_400_000,
  })
  fc.assert(
    fc.property(rules, starts, (rule, day) => {
      const start = new Date(day * 86_400_000)
      const date = start.toISOString().slice(0, 10).replaceAll('-', '')
      const ruleset = `DTSTART:${date}\nRRULE:${rule}`
      const options = { ...rrule.RRule.parseString(rule), dtstart: start }
      const whole = new rrule.RRule(options).all(
        (date, index) => index < 60 && date.getUTCFullYear() < 2030,
      )
      const expected = whole.map((date) => date.toISOString().replace(':00.000Z', 'Z'))
      const found = list(ruleset, 'UTC', start.toISOString(), 60)
      expect(found.filter((date) => date < '2030')).toEqual(expected)
    }),
    { numRuns: 200 },
  )
})

test('EXDATE removes an occurrence and RDATE adds one', () => {
  const rule = 'DTSTART:20220101T060000Z\nRRULE:FREQ=MONTHLY;BYMONTHDAY=15,-1'
  const text = `${rule}\nEXDATE:20220115T060000Z\nRDATE:20220120T060000Z`
  const occurrences = occurrencesOf(text, 'America/Chicago')
  const first = occurrenceAfter(occurrences, Date.parse('2022-01-01T07:00Z')) as number
  expect(new Date(first)).toEqual(new Date('2022-01-20T06:00Z'))
  expect(occurrenceAfter(occurrences, first)).toBe(Date.parse('2022-01-31T06:00Z'))
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
