import { describe, expect, jest, test } from '@jest/globals'
import fc from 'fast-check'
import { fromLocal, isTimezone, midnightOf, toLocal } from './time.ts'

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

test('wall-clock time agrees with the formatter of the runtime', () => {
  const zones = fc.constantFrom(...Intl.supportedValuesOf('timeZone'))
  const seconds = fc.integer({ min: Date.UTC(2000, 0, 1) / 1000, max: Date.UTC(2040, 0, 1) / 1000 })
  fc.assert(
    fc.property(zones, seconds, (timeZone, second) => {
      const format = new Intl.DateTimeFormat('sv', {
        timeZone,
        dateStyle: 'short',
        timeStyle: 'medium',
      })
      const wall = format.format(second * 1000)
      expect(new Date(toLocal(second * 1000, timeZone))).toEqual(
        new Date(`${wall.replace(' ', 'T')}Z`),
      )
    }),
    { numRuns: 500 },
  )
})

test('a skipped wall-clock time has the offset before the gap, a repeated one is the first', () => {
  const chicago = 'America/Chicago'
  expect(new Date(fromLocal(Date.parse('2023-03-12T02:30Z'), chicago))).toEqual(
    new Date('2023-03-12T08:30Z'),
  )
  expect(new Date(fromLocal(Date.parse('2023-11-05T01:30Z'), chicago))).toEqual(
    new Date('2023-11-05T06:30Z'),
  )
})

test('the runtime is asked three times for one instant, and 200 times for all of a year', () => {
  const asked = jest.spyOn(Intl.DateTimeFormat.prototype, 'formatToParts')
  const questions = (work: () => void) => {
    asked.mockClear()
    work()
    return asked.mock.calls.length
  }
  const day = (year: number, index: number) => Date.UTC(year, 0, 1 + index)
  const years = Array.from({ length: 100 }, (_, index) => 2050 + index)
  const each = () => years.map((year) => fromLocal(day(year, 90), 'Europe/Lisbon'))
  expect(questions(each)).toBeLessThanOrEqual(3 * years.length)
  const days = Array.from({ length: 340 }, (_, index) => index + 10)
  const all = () => days.map((index) => fromLocal(day(2049, index), 'Europe/Lisbon'))
  expect(questions(all)).toBeLessThanOrEqual(200)
  expect(questions(all)).toBe(0)
  asked.mockRestore()
})

test('only timezones the runtime knows are timezones', () => {
  expect(isTimezone('Europe/Berlin')).toBe(true)
  expect(isTimezone('Moon/Base')).toBe(false)
  expect(isTimezone('+0530')).toBe(false)
  expect(() => toLocal(0, 'Moon/Base')).toThrow(new RangeError('unknown timezone Moon/Base'))
})
