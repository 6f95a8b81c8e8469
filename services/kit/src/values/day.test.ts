import { describe, expect, test } from '@jest/globals'
import fc from 'fast-check'
import { endOfDay, isInMidnightHour, midnightOf, readDay, startOfDay } from './day.ts'

describe('midnight of the day that contains an instant (docs/recurrence.md)', () => {
  test.each([
    ['UTC', '2022-05-15T23:59:59.999Z', '2022-05-15T00:00Z'],
    ['America/Chicago', '2022-06-15T03:37:43Z', '2022-06-14T05:00Z'],
    ['America/Chicago', '2023-11-05T05:00Z', '2023-11-05T05:00Z'],
    ['America/Chicago', '2023-11-05T07:30Z', '2023-11-05T05:00Z'],
    ['America/Chicago', '2023-11-06T05:30Z', '2023-11-05T05:00Z'],
    ['America/Chicago', '2023-03-12T12:00Z', '2023-03-12T06:00Z'],
    ['Australia/Sydney', '2022-02-01T12:59Z', '2022-01-31T13:00Z'],
    ['Asia/Kolkata', '2022-02-01T18:29Z', '2022-01-31T18:30Z'],
    // In Santiago clocks went from 24:00 to 01:00, so the day began at 01:00.
    ['America/Santiago', '2023-09-03T15:00Z', '2023-09-03T04:00Z'],
    // In Sao Paulo and Cairo the day on which summer time begins starts at 01:00; the day on which
    // it ends has 25 hours.
    ['America/Sao_Paulo', '2018-11-04T12:00Z', '2018-11-04T03:00Z'],
    ['America/Sao_Paulo', '2018-02-18T02:30Z', '2018-02-17T02:00Z'],
    ['Africa/Cairo', '2023-04-28T12:00Z', '2023-04-27T22:00Z'],
    ['Africa/Cairo', '2023-10-26T21:30Z', '2023-10-25T21:00Z'],
    // In Havana the hour after midnight occurred twice; the day began with the first.
    ['America/Havana', '2023-11-05T05:30Z', '2023-11-05T04:00Z'],
    ['America/Havana', '2023-11-05T20:00Z', '2023-11-05T04:00Z'],
    // Samoa skipped the whole day of 30 December 2011.
    ['Pacific/Apia', '2011-12-30T10:30Z', '2011-12-30T10:00Z'],
    // In Toronto clocks went from 23:30 to 00:30, so the day began at 00:30.
    ['America/Toronto', '1919-03-31T12:00Z', '1919-03-31T04:30Z'],
  ])('%s %s', (timezone, at, expected) => {
    expect(midnightOf(new Date(at), timezone)).toEqual(new Date(expected))
  })

  test('it is the first instant of the day, not later than the instant, its own midnight', () => {
    const zones = fc.constantFrom(...Intl.supportedValuesOf('timeZone'))
    const instants = fc.date({
      min: new Date('2000-01-01'),
      max: new Date('2040-01-01'),
      noInvalidDate: true,
    })
    fc.assert(
      fc.property(zones, instants, (timezone, instant) => {
        const start = midnightOf(instant, timezone)
        const day = new Intl.DateTimeFormat('sv', { timeZone: timezone })
        expect(start.getTime()).toBeLessThanOrEqual(instant.getTime())
        expect(midnightOf(start, timezone)).toEqual(start)
        expect(day.format(start)).toBe(day.format(instant))
        expect(day.format(start.getTime() - 1)).not.toBe(day.format(start))
      }),
      { numRuns: 500 },
    )
  })
})

test.each([
  ['1970-01-01', 0],
  ['2024-02-29', 19_782],
  ['1900-01-01', -25_567],
  ['2199-12-31', 84_005],
  ['2023-02-29', null],
  ['2024-00-10', null],
  ['2024-13-01', null],
  ['0099-01-01', null],
  ['1899-12-31', null],
  ['2200-01-01', null],
  ['2024-1-1', null],
  ['2024-01-01T00:00Z', null],
])('the day number of %s is %j', (text, number) => {
  expect(readDay(text)).toBe(number)
})

test.each([
  ['America/Havana', '2026-11-01', '2026-11-01T04:00:00Z', '2026-11-02T04:59:59Z'],
  ['Africa/Cairo', '2026-04-24', '2026-04-23T22:00:00Z', '2026-04-24T20:59:59Z'],
  // The whole day was skipped: it begins with the day after it, and holds no instant.
  ['Pacific/Apia', '2011-12-30', '2011-12-30T10:00:00Z', '2011-12-30T09:59:59Z'],
])('in %s the day %s is from %s to %s', (timezone, text, start, end) => {
  const day = readDay(text) ?? Number.NaN
  expect(new Date(startOfDay(day, timezone))).toEqual(new Date(start))
  expect(new Date(endOfDay(day, timezone))).toEqual(new Date(end))
})

test.each([
  ['2026-11-01T04:59Z', true],
  ['2026-11-01T05:00Z', true],
  ['2026-11-01T05:59Z', true],
  ['2026-11-01T06:00Z', false],
  ['2026-11-01T03:59Z', false],
])('in Havana, where midnight occurs twice, %s is within its hour: %s', (text, expected) => {
  expect(isInMidnightHour(new Date(text), 'America/Havana')).toBe(expected)
})
