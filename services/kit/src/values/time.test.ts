import { expect, jest, test } from '@jest/globals'
import fc from 'fast-check'
import { dayMs, fromLocal, isTimezone, toLocal } from './time.ts'

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

test('the runtime is asked three times for one instant, and 200 times for all of a span', () => {
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
  const spanFirst = 80 * 360
  const days = Array.from({ length: 340 }, (_, index) => spanFirst + 10 + index)
  const all = () => days.map((number) => fromLocal(number * dayMs, 'Europe/Lisbon'))
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
