import { expect, test } from '@jest/globals'
import fc from 'fast-check'
import { detectDayOrder, readWrittenDay } from './day-text.ts'

test.each([
  [['01/31/2024', '02/01/2024'], 'month first'],
  [['31/01/2024', '01/02/2024'], 'day first'],
  [["1/31'24"], 'month first'],
  [['31.01.2024'], 'day first'],
  [['31.01.2024', '01/31/2024', '01/30/2024'], 'month first'],
  [['2024-01-31', '05/06/2024'], 'preferred'],
  [['31/31/2024', 'x', ''], 'day first'],
  [[], 'preferred'],
] as const)('the days %j are written %s', (texts, order) => {
  const isEven = order === 'preferred'
  expect(detectDayOrder(texts, 'day first')).toBe(isEven ? 'day first' : order)
  expect(detectDayOrder(texts, 'month first')).toBe(isEven ? 'month first' : order)
})

test.each([
  ["1/31'24", [2024, 1, 31]],
  ["1/31'2024", [2024, 1, 31]],
  ["8/31' 5", [2005, 8, 31]],
  ["1/ 5'24", [2024, 1, 5]],
  ["1/31/'24", [2024, 1, 31]],
  ['1/31’24', [2024, 1, 31]],
  ['01/31/2024', [2024, 1, 31]],
  ['1/31/24', [2024, 1, 31]],
  ['1/31/68', [2068, 1, 31]],
  ['1/31/69', [1969, 1, 31]],
  ["1/31'99", [2099, 1, 31]],
  ['1-31-2024', [2024, 1, 31]],
  ['2024-01-31', [2024, 1, 31]],
  ['20240131', [2024, 1, 31]],
  ['2024/1/31', [2024, 1, 31]],
  ['2024.01.31', [2024, 1, 31]],
  ['13/31/2024', [2024, 13, 31]],
  // With the name of the month, in the languages of docs/api.md.
  ['12-Dec-2026', [2026, 12, 12]],
  ['3 février 2026', [2026, 2, 3]],
  ['1. März 2026', [2026, 3, 1]],
  ['Dec 12, 2026', [2026, 12, 12]],
  ["5 abr'26", [2026, 4, 5]],
  ['3 de febrero de 2026', [2026, 2, 3]],
  ['30 сентября 2026 г.', [2026, 9, 30]],
  ['2026-Kas-09', [2026, 11, 9]],
  ['9 Ιανουαρίου 26', [2026, 1, 9]],
] as const)('%s is a day where the month is first', (text, [year, month, day]) => {
  expect(readWrittenDay(text, 'month first')).toEqual({ year, month, day })
})

test('31.01.2024 is the 31st of January where the day is first', () => {
  expect(readWrittenDay('31.01.2024', 'day first')).toEqual({ year: 2024, month: 1, day: 31 })
})

test.each([
  '',
  '1/31',
  '1/31/5',
  '31012024',
  '31 Foo 2024',
  '31 Jan Feb 2024',
  'Jan 2024',
  '31 Jan 024',
  '1/31/024',
  '1/31/20245',
  '1'.repeat(50),
])('%s is not a day', (text) => {
  expect(readWrittenDay(text, 'month first')).toBeNull()
})

test('a day is read as it was written, in either order', () => {
  const written = fc.record({
    year: fc.integer({ min: 1970, max: 2068 }),
    month: fc.integer({ min: 1, max: 12 }),
    day: fc.integer({ min: 13, max: 31 }),
    order: fc.constantFrom('day first' as const, 'month first' as const),
    mark: fc.constantFrom('/', '-', '.'),
    isShort: fc.boolean(),
  })
  const property = fc.property(written, ({ year, month, day, order, mark, isShort }) => {
    const [first, second] = order === 'day first' ? [day, month] : [month, day]
    const last = isShort ? String(year).slice(-2) : year
    const text = `${first}${mark}${second}${mark}${last}`
    const known = detectDayOrder([text], 'month first')
    expect(readWrittenDay(text, known)).toEqual({ year, month, day })
  })
  fc.assert(property)
})
