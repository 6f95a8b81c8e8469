import { isDayFormat } from '@coffer/kit/values/mapping-rules'
import { expect, test } from '@jest/globals'
import { createDayParser, detectDayFormat, inOrder, isWrittenDay } from './day-format.ts'

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
  ['DD-MMM-YYYY', '12-Dec-2026', [2026, 12, 12]],
  ['D MMM YYYY', '3 février 2026', [2026, 2, 3]],
  ['D. MMM YYYY', '3. März 2026', [2026, 3, 3]],
  ['D MMM YY', '24 lug 24. 02:59', [2024, 7, 24]],
  ['MMM D, YYYY', 'Sept. 5, 2026', [2026, 9, 5]],
  ['D MMM YYYY', '3 Smarch 2026', [2026, 0, 3]],
  ['DD/MM/YY', '30/12/26, 14:42', [2026, 12, 30]],
  ['YYYY-MM-DD', '2026-07-03-08.21.36', [2026, 7, 3]],
  ['YYYY.MM.DD', '2026.07.03.', [2026, 7, 3]],
  ['YYYYMMDD', '20260703082136', [2026, 7, 3]],
  ['YYYYMMDD', '20260703082136.000[-5:EST]', [2026, 7, 3]],
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
  'YYYY-MMMM-D',
  'D M Y',
  'YYYY_MM_DD',
  'YYYY-MM-DD    ',
])('%j is not a format', (format) => {
  expect(isDayFormat(format)).toBe(false)
})

// Formats with the day first, and with the month first.
test.each([
  ['DD/MM/YYYY', 'MM/DD/YYYY'],
  ['D.MM.YY', 'M.DD.YY'],
  ['DDMMYYYY', 'MMDDYYYY'],
])('%s and %s are of the two orders', (dayFirst, monthFirst) => {
  for (const format of [dayFirst, monthFirst]) {
    expect(inOrder(format, 'day first')).toBe(dayFirst)
    expect(inOrder(format, 'month first')).toBe(monthFirst)
  }
})

test.each(['YYYY-MM-DD', 'YYYYMMDD', 'D MMM YYYY', 'MMM D, YYYY'])('%s has one order', (format) => {
  expect([inOrder(format, 'day first'), inOrder(format, 'month first')]).toEqual([format, format])
})

// The cells of a column, their format where days are preferred first, and whether that is sure.
test.each([
  ['28/02/2026|01/02/2026', 'DD/MM/YYYY', true],
  ['2026-11-28|24-11-2026|01-11-2026', 'DD-MM-YYYY', true],
  ['02/28/2026|01/02/2026', 'MM/DD/YYYY', true],
  ['1/2/26|11/12/26', 'D/M/YY', false],
  ['01.01.2026', 'DD.MM.YYYY', true],
  ['2026-02-01T10:00:00Z|x', 'YYYY-MM-DD', true],
  ['2026/2/11', 'YYYY/M/DD', true],
  ['20260201', 'YYYYMMDD', true],
  ['20260201120000[0:GMT]', 'YYYYMMDD', true],
  ['12-Dec-2026', 'D-MMM-YYYY', true],
  ['Dec 12, 2026', 'MMM D, YYYY', true],
])('the format of %j is %s', (cells, format, isSure) => {
  expect(detectDayFormat(cells.split('|'), 'day first')).toEqual({ format, isSure })
})

test.each([
  '',
  'Shop',
  '12.50',
  '1.2.3',
  '31.31.2026',
  '01.02.2026 Shop',
  '3 Smarch 2026',
  '99999999',
])('a cell %j is no date', (cell) => {
  expect(isWrittenDay(cell)).toBe(false)
  expect(detectDayFormat([cell], 'day first')).toBeNull()
})
