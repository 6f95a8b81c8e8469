import { describe, expect, test } from '@jest/globals'
import { firstFunding, nextFunding } from './funding-dates.ts'

const twiceMonthly = (start: string) =>
  `DTSTART:${start}\nRRULE:FREQ=MONTHLY;INTERVAL=1;BYMONTHDAY=15,-1`
const U = twiceMonthly('20211231T000000Z')
const C = twiceMonthly('20211231T060000Z')
const chicago = 'America/Chicago'
const everyOtherFriday = 'DTSTART:20231027T050000Z\nRRULE:FREQ=WEEKLY;INTERVAL=2;BYDAY=FR'
const the31st = 'DTSTART:20220131T000000Z\nRRULE:FREQ=MONTHLY;BYMONTHDAY=31'
const sydney15th = 'DTSTART:20220114T130000Z\nRRULE:FREQ=MONTHLY;BYMONTHDAY=15'
const saturdays = 'DTSTART:20220101T000000Z\nRRULE:FREQ=WEEKLY;BYDAY=SA'
const daily = 'DTSTART:20220101T000000Z\nRRULE:FREQ=DAILY'

type Vector = {
  id: string
  timezone: string
  schedule: [ruleset: string, next: string, weekends?: 'weekends excluded']
  now: string
  expected: [date: string, original: string]
}

describe('the next funding follows the vectors of docs/funding-schedules.md#weekends', () => {
  test.each<Vector>([
    {
      id: 'F1',
      timezone: 'UTC',
      schedule: [U, '2022-04-30T00:00Z'],
      now: '2022-05-01T00:00Z',
      expected: ['2022-05-15T00:00Z', '2022-05-15T00:00Z'],
    },
    {
      id: 'F2',
      timezone: 'UTC',
      schedule: [U, '2022-04-30T00:00Z', 'weekends excluded'],
      now: '2022-05-01T00:00Z',
      expected: ['2022-05-13T00:00Z', '2022-05-15T00:00Z'],
    },
    {
      id: 'F3',
      timezone: 'UTC',
      schedule: [U, '2022-05-13T00:00Z', 'weekends excluded'],
      now: '2022-05-14T00:00Z',
      expected: ['2022-05-31T00:00Z', '2022-05-31T00:00Z'],
    },
    {
      id: 'F4',
      timezone: chicago,
      schedule: [C, '2022-09-30T05:00Z', 'weekends excluded'],
      now: '2022-10-01T05:23:10Z',
      expected: ['2022-10-14T05:00Z', '2022-10-15T05:00Z'],
    },
    {
      id: 'F5',
      timezone: chicago,
      schedule: [C, '2022-09-15T05:00Z'],
      now: '2022-09-15T05:00:01Z',
      expected: ['2022-09-30T05:00Z', '2022-09-30T05:00Z'],
    },
    {
      id: 'F6',
      timezone: chicago,
      schedule: [everyOtherFriday, '2023-10-27T05:00Z'],
      now: '2023-10-27T17:00Z',
      expected: ['2023-11-10T06:00Z', '2023-11-10T06:00Z'],
    },
    {
      id: 'F7',
      timezone: 'UTC',
      schedule: [U, '2022-01-15T00:00Z'],
      now: '2022-04-20T09:00Z',
      expected: ['2022-04-30T00:00Z', '2022-04-30T00:00Z'],
    },
    {
      id: 'F8',
      timezone: 'UTC',
      schedule: [the31st, '2022-01-31T00:00Z'],
      now: '2022-02-01T00:00Z',
      expected: ['2022-03-31T00:00Z', '2022-03-31T00:00Z'],
    },
    {
      id: 'F9',
      timezone: 'UTC',
      schedule: [U, '2022-05-31T00:00Z', 'weekends excluded'],
      now: '2022-05-20T10:00Z',
      expected: ['2022-05-31T00:00Z', '2022-05-31T00:00Z'],
    },
    {
      id: 'F10',
      timezone: 'Australia/Sydney',
      schedule: [sydney15th, '2022-02-14T13:00Z'],
      now: '2022-02-14T13:00:01Z',
      expected: ['2022-03-14T13:00Z', '2022-03-14T13:00Z'],
    },
    {
      id: 'F12',
      timezone: 'UTC',
      schedule: [saturdays, '2022-04-29T00:00Z', 'weekends excluded'],
      now: '2022-04-29T00:00:01Z',
      expected: ['2022-05-06T00:00Z', '2022-05-07T00:00Z'],
    },
    {
      id: 'F13',
      timezone: 'UTC',
      schedule: [daily, '2022-04-29T00:00Z', 'weekends excluded'],
      now: '2022-04-29T00:00:01Z',
      expected: ['2022-05-02T00:00Z', '2022-05-02T00:00Z'],
    },
  ])('$id', ({ timezone, schedule, now, expected }) => {
    const [ruleset, next, weekends] = schedule
    const dates = {
      ruleset,
      excludeWeekends: weekends !== undefined,
      nextRecurrence: new Date(next),
    }
    const found = nextFunding(dates, timezone, new Date(now))
    expect([found?.date, found?.original]).toEqual(expected.map((date) => new Date(date)))
  })

  test('F11, without a stored date', () => {
    const schedule = { ruleset: C, excludeWeekends: true, nextRecurrence: null }
    expect(firstFunding(schedule, chicago, new Date('2023-10-09T13:32Z'))).toEqual({
      date: new Date('2023-10-13T05:00Z'),
      original: new Date('2023-10-15T05:00Z'),
    })
  })
})
