import { isDayFormat } from '@coffer/kit/values/mapping-rules'
import { expect, test } from '@jest/globals'
import { createDayParser } from './day-format.ts'

test.each([
  ['YYYY-MM-DD', '2026-01-05', [2026, 1, 5]],
  ['YYYY-MM-DD', '2026-01-05T10:00:00Z', [2026, 1, 5]],
  ['YYYY-MM-DD', '2026-01-05 10:00', [2026, 1, 5]],
  ['DD.MM.YYYY', '05.01.2026', [2026, 1, 5]],
  ['MM/DD/YY', '01/05/26', [2026, 1, 5]],
  ['M/D/YY', '1/5/99', [1999, 1, 5]],
  ['M/D/YY', '12/15/26', [2026, 12, 15]],
  ['YYYYMMDD', '20260105', [2026, 1, 5]],
  ['DD MM YYYY', '05 01 2026', [2026, 1, 5]],
  ['YYYY-MM-DD', '2026-02-31', [2026, 2, 31]],
] as const)('%s reads %s', (format, text, [year, month, day]) => {
  expect(isDayFormat(format)).toBe(true)
  expect(createDayParser(format)(text)).toEqual({ year, month, day })
})

test.each([
  ['YYYY-MM-DD', '05.01.2026'],
  ['YYYY-MM-DD', '2026-1-5'],
  ['YYYY-MM-DD', '2026-01-055'],
  ['YYYY-MM-DD', 'on 2026-01-05'],
  ['DD.MM.YYYY', '05-01-2026'],
  ['M/D/YY', '1/5/2026'],
  ['M/D/YY', ''],
])('%s does not read %j', (format, text) => {
  expect(createDayParser(format)(text)).toBeNull()
})

test.each([
  '',
  'YYYY-MM',
  'YYYY-MM-MM',
  'YYY-MM-DD',
  'YYYY-MMM-D',
  'D M Y',
  'YYYY_MM_DD',
  'YYYY-MM-DD ',
])('%j is not a format', (format) => {
  expect(isDayFormat(format)).toBe(false)
})
