import { expect, test } from '@jest/globals'
import { weekday, weekdayStart } from './weekday.ts'

test('weekends move to the Friday before, also across a change of the clock', () => {
  const chicago = 'America/Chicago'
  const friday = Date.parse('2023-03-10T06:00Z')
  expect(weekdayStart(friday + 3_600_000, chicago)).toBe(friday)
  expect(weekdayStart(Date.parse('2023-03-11T06:00Z'), chicago)).toBe(friday)
  expect(weekdayStart(Date.parse('2023-03-12T12:00Z'), chicago)).toBe(friday)
  expect(weekdayStart(Date.parse('2023-03-13T05:00Z'), chicago)).toBe(
    Date.parse('2023-03-13T05:00Z'),
  )
  expect([-1, 0, 3, 4].map(weekday)).toEqual([2, 3, 6, 0])
})
