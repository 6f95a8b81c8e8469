import { expect, test } from '@jest/globals'
import fc from 'fast-check'
import { type DayRange, splitRange } from './day-range.ts'

const today = '2026-03-01'

test.each<[DayRange, [DayRange, DayRange] | null]>([
  [
    { from: null, to: null },
    [
      { from: null, to: '1998-08-01' },
      { from: '1998-08-02', to: null },
    ],
  ],
  [
    { from: '2026-01-01', to: '2026-01-02' },
    [
      { from: '2026-01-01', to: '2026-01-01' },
      { from: '2026-01-02', to: '2026-01-02' },
    ],
  ],
  [{ from: '2026-01-01', to: '2026-01-01' }, null],
  [{ from: null, to: '1970-01-01' }, null],
  [{ from: '2027-03-01', to: null }, null],
])('%j is split into %j', (range, halves) => {
  expect(splitRange(range, today)).toEqual(halves)
})

test('the days of the halves are those of the range, each once', () => {
  const days = fc
    .tuple(fc.nat({ max: 25_000 }), fc.nat({ max: 5_000 }))
    .map(([start, length]) => [dayAt(start), dayAt(start + length)] as const)
  fc.assert(
    fc.property(days, ([from, to]) => {
      const halves = splitRange({ from, to }, today)
      if (halves === null) return expect(from).toBe(to)
      const [older, newer] = halves
      expect([older.from, newer.to]).toEqual([from, to])
      expect(Date.parse(newer.from ?? '') - Date.parse(older.to ?? '')).toBe(86_400_000)
      expect((older.from ?? '') <= (older.to ?? '')).toBe(true)
      expect((newer.from ?? '') <= (newer.to ?? '')).toBe(true)
    }),
  )
})

function dayAt(number: number): string {
  return new Date(number * 86_400_000).toISOString().slice(0, 10)
}
