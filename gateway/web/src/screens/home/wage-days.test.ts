import { expect, test } from '@jest/globals'
import { wageFrom } from './wage-days.ts'

test.each([
  ['2026-12-04', 0, '2026-11-30'],
  ['2026-12-04', 1, null],
  ['2026-12-05', 1, '2026-11-30'],
  ['2026-12-14', 1, '2026-11-30'],
  ['2026-12-15', 0, null],
])('on %s, a wage of 4 December that is missed after %s days is looked for since %s', (...row) => {
  const [today, after, from] = row
  expect(wageFrom('2026-12-04', today, after)).toBe(from)
  expect(wageFrom(null, today, after)).toBeNull()
})
