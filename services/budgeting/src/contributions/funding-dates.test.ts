import { midnightOf } from '@coffer/kit/values/day'
import { describe, expect, test } from '@jest/globals'
import fc from 'fast-check'
import { chicago, pay } from '../../test/samples.ts'
import { isOver } from '../book/funding-schedule.ts'
import { fire, firstFunding, nextFunding, nextTwoFundings } from './funding-dates.ts'

const twiceMonthly = (start: string) =>
  `DTSTART:${start}\nRRULE:FREQ=MONTHLY;INTERVAL=1;BYMONTHDAY=15,-1`
const C = twiceMonthly('20211231T060000Z')
const everyOtherFriday = 'DTSTART:20231027T050000Z\nRRULE:FREQ=WEEKLY;INTERVAL=2;BYDAY=FR'
const the31st = 'DTSTART:20220131T000000Z\nRRULE:FREQ=MONTHLY;BYMONTHDAY=31'
const saturdays = 'DTSTART:20220101T000000Z\nRRULE:FREQ=WEEKLY;BYDAY=SA'
const daily = 'DTSTART:20220101T000000Z\nRRULE:FREQ=DAILY'
const lastOfThree = 'DTSTART:20220115T000000Z\nRRULE:FREQ=MONTHLY;COUNT=3'
const sydney15th = 'DTSTART:20220114T130000Z\nRRULE:FREQ=MONTHLY;BYMONTHDAY=15'
const twice = twiceMonthly('20211231T000000Z')
const rules = { C, everyOtherFriday, the31st, saturdays, daily, sydney15th, twice }

/**
 * Test vectors of docs/funding-schedules.md#weekends: timezone, rule, stored date, now, next date.
 * Weekends are excluded if a further date follows, that of the occurrence.
 */
const vectors = `
F1  UTC twice 2022-04-30 2022-05-01 2022-05-15
F2  UTC twice 2022-04-30 2022-05-01 2022-05-13 2022-05-15
F3  UTC twice 2022-05-13 2022-05-14 2022-05-31 2022-05-31
F4  America/Chicago C 2022-09-30T05:00Z 2022-10-01T05:23:10Z 2022-10-14T05:00Z 2022-10-15T05:00Z
F5  America/Chicago C 2022-09-15T05:00Z 2022-09-15T05:00:01Z 2022-09-30T05:00Z
F6  America/Chicago everyOtherFriday 2023-10-27T05:00Z 2023-10-27T17:00Z 2023-11-10T06:00Z
F7  UTC twice 2022-01-15 2022-04-20T09:00Z 2022-04-30
F8  UTC the31st 2022-01-31 2022-02-01 2022-03-31
F9  UTC twice 2022-05-31 2022-05-20T10:00Z 2022-05-31 2022-05-31
F10 Australia/Sydney sydney15th 2022-02-14T13:00Z 2022-02-14T13:00:01Z 2022-03-14T13:00Z
F12 UTC saturdays 2022-04-29 2022-04-29T00:00:01Z 2022-05-06 2022-05-07
F13 UTC daily 2022-04-29 2022-04-29T00:00:01Z 2022-05-02 2022-05-02
`
  .trim()
  .split('\n')
  .map((line) => line.split(/ +/))

test.each(vectors)('the next funding of vector %s', (_id, timezone = '', rule = '', ...dates) => {
  const [next, now, date, original] = dates.map((text) => new Date(text)) as [
    Date,
    Date,
    Date,
    Date?,
  ]
  const ruleset = rules[rule as keyof typeof rules]
  const schedule = { ruleset, excludeWeekends: original !== undefined, nextRecurrence: next }
  expect(nextFunding(schedule, timezone, now)).toEqual({ date, original: original ?? date })
})

test('the first funding of vector F11, without a stored date', () => {
  const schedule = { ruleset: C, excludeWeekends: true, nextRecurrence: null }
  expect(firstFunding(schedule, chicago, new Date('2023-10-09T13:32Z'))).toEqual({
    date: new Date('2023-10-13T05:00Z'),
    original: new Date('2023-10-15T05:00Z'),
  })
})

test('the next two fundings are consecutive, and an ended rule has none', () => {
  const schedule = {
    ruleset: C,
    excludeWeekends: true,
    nextRecurrence: new Date('2023-10-13T05:00Z'),
  }
  const dates = nextTwoFundings(schedule, chicago, new Date('2023-10-09T13:32Z'))
  expect(dates.map((funding) => funding?.date)).toEqual([
    new Date('2023-10-13T05:00Z'),
    new Date('2023-10-31T05:00Z'),
  ])
  const ending = {
    ruleset: lastOfThree,
    excludeWeekends: false,
    nextRecurrence: new Date('2022-03-15'),
  }
  expect(nextTwoFundings(ending, 'UTC', new Date('2022-03-01'))).toEqual([
    { date: new Date('2022-03-15'), original: new Date('2022-03-15') },
    null,
  ])
  expect(nextTwoFundings(ending, 'UTC', new Date('2022-03-15'))).toEqual([null, null])
})

describe('the first funding of a new schedule (docs/plans.md#next-dates)', () => {
  const now = new Date('2023-10-09T13:32Z')
  test.each([
    {
      name: 'a future date is used as sent',
      schedule: [C, '2023-10-14T17:30Z'],
      expected: ['2023-10-14T17:30Z', '2023-10-14T17:30Z'],
    },
    {
      name: 'the present instant is used as sent',
      schedule: [C, '2023-10-09T13:32Z'],
      expected: ['2023-10-09T13:32Z', '2023-10-09T13:32Z'],
    },
    {
      name: 'after a past date the next occurrence is used',
      schedule: [C, '2023-09-29T05:00Z'],
      expected: ['2023-10-13T05:00Z', '2023-10-15T05:00Z'],
    },
    {
      name: 'without a date the rule gives the next occurrence',
      schedule: [everyOtherFriday.replace('1027', '0929')],
      expected: ['2023-10-13T05:00Z', '2023-10-13T05:00Z'],
    },
    {
      name: 'a rule that starts later gives its first occurrence',
      schedule: [twiceMonthly('20231101T050000Z')],
      expected: ['2023-11-15T06:00Z', '2023-11-15T06:00Z'],
    },
    {
      name: 'an occurrence on a weekend moves off it',
      schedule: ['DTSTART:20231014T050000Z\nRRULE:FREQ=MONTHLY'],
      expected: ['2023-10-13T05:00Z', '2023-10-14T05:00Z'],
    },
    {
      name: 'both dates are midnights, whatever the time of the rule',
      schedule: ['DTSTART:20231014T173000Z\nRRULE:FREQ=MONTHLY'],
      expected: ['2023-10-13T05:00Z', '2023-10-14T05:00Z'],
    },
  ])('$name', ({ schedule: [ruleset = '', sent], expected }) => {
    const nextRecurrence = sent === undefined ? null : new Date(sent)
    const found = firstFunding({ ruleset, excludeWeekends: true, nextRecurrence }, chicago, now)
    expect([found?.date, found?.original]).toEqual(expected.map((date) => new Date(date)))
  })

  test('a rule may start exactly at the present instant', () => {
    const start = new Date('2023-10-16T05:00Z')
    const ruleset = 'DTSTART:20231016T050000Z\nRRULE:FREQ=MONTHLY'
    expect(
      firstFunding({ ruleset, excludeWeekends: true, nextRecurrence: null }, chicago, start),
    ).toEqual({ date: start, original: start })
  })

  test('a start with a past Friday before it gives the next occurrence', () => {
    const ruleset = 'DTSTART:20231014T050000Z\nRRULE:FREQ=WEEKLY'
    const fridayNoon = new Date('2023-10-13T17:00Z')
    expect(
      firstFunding({ ruleset, excludeWeekends: true, nextRecurrence: null }, chicago, fridayNoon),
    ).toEqual({
      date: new Date('2023-10-20T05:00Z'),
      original: new Date('2023-10-21T05:00Z'),
    })
  })

  test('an ended rule gives no funding', () => {
    const ended = { ruleset: lastOfThree, excludeWeekends: false }
    expect(firstFunding({ ...ended, nextRecurrence: null }, 'UTC', now)).toBeNull()
    expect(
      firstFunding({ ...ended, nextRecurrence: new Date('2022-02-15') }, 'UTC', now),
    ).toBeNull()
  })
})

describe('firing (docs/hourly-job.md#fundings)', () => {
  test('moves to the next event after a payday that was paid early', () => {
    expect(fire(pay, chicago)).toEqual({
      ...pay,
      lastRecurrence: new Date('2023-10-13T05:00Z'),
      nextRecurrence: new Date('2023-10-31T05:00Z'),
      nextRecurrenceOriginal: new Date('2023-10-31T05:00Z'),
    })
    expect(isOver(fire(pay, chicago))).toBe(false)
  })

  test('the last event of a rule leaves both dates the same', () => {
    const last = new Date('2022-03-15')
    const ending = {
      ...pay,
      ruleset: lastOfThree,
      nextRecurrence: last,
      nextRecurrenceOriginal: last,
    }
    expect(isOver(ending)).toBe(false)
    expect(fire(ending, 'UTC')).toEqual({ ...ending, lastRecurrence: last })
    expect(isOver(fire(ending, 'UTC'))).toBe(true)
  })
})

test('the next funding of any rule is after now, at midnight and not on a weekend', () => {
  const rules = fc.constantFrom(C, saturdays, daily, everyOtherFriday, the31st)
  const zones = fc.constantFrom(
    'UTC',
    chicago,
    'Australia/Sydney',
    'America/Santiago',
    'Africa/Cairo',
  )
  const instants = fc.date({
    min: new Date('2023-01-01'),
    max: new Date('2030-01-01'),
    noInvalidDate: true,
  })
  fc.assert(
    fc.property(rules, zones, instants, (ruleset, timezone, now) => {
      const schedule = {
        ruleset,
        excludeWeekends: true,
        nextRecurrence: new Date('2022-12-30T12:00Z'),
      }
      const found = nextFunding(schedule, timezone, now)
      if (found === null) throw new Error('these rules never end')
      const weekday = new Intl.DateTimeFormat('en', { timeZone: timezone, weekday: 'short' })
      expect(found.date.getTime()).toBeGreaterThan(now.getTime())
      expect(midnightOf(found.date, timezone)).toEqual(found.date)
      expect(found.original.getTime()).toBeGreaterThanOrEqual(found.date.getTime())
      expect(['Sat', 'Sun']).not.toContain(weekday.format(found.date))
    }),
  )
})
