import { expect, test } from '@jest/globals'
import fc from 'fast-check'
import { readAmount, readDay, readInstant } from './ofx-values.ts'

// spec/ledger.md 6.4, with exact reading (decisions.md) and the comma that OFX allows.
test.each([
  ['123.45', 2, 12345n],
  ['-123.45', 2, -12345n],
  ['+12', 2, 1200n],
  [' 12.5 ', 2, 1250n],
  ['.5', 2, 50n],
  ['5.', 2, 500n],
  ['12.00', 0, 12n],
  ['12.3400', 2, 1234n],
  ['1234,56', 2, 123456n],
  ['1.234', 3, 1234n],
  ['100000000.00', 2, 10000000000n],
  ['90071992547409.91', 2, 9007199254740991n],
  ['-0.00', 2, 0n],
  ['1200.5', 0, null],
  ['123.456', 2, null],
  ['1,234.50', 2, null],
  ['1,234', 2, null],
  ['90071992547409.92', 2, null],
  ['', 2, null],
  ['.', 2, null],
  ['-', 2, null],
  ['1e3', 2, null],
  ['12 000', 2, null],
  ['--5', 2, null],
  ['٣', 2, null],
  ['0'.repeat(40), 2, null],
])('%j with %i places is %s', (text, places, amount) => {
  expect(readAmount(text, places)).toBe(amount)
})

test('every amount that can be written is read exactly', () => {
  const property = fc.property(
    fc.bigInt({ min: -(2n ** 53n) + 1n, max: 2n ** 53n - 1n }),
    (units) => {
      const digits = (units < 0n ? -units : units).toString().padStart(3, '0')
      const text = `${units < 0n ? '-' : ''}${digits.slice(0, -2)}.${digits.slice(-2)}`
      expect(readAmount(text, 2)).toBe(units)
    },
  )
  fc.assert(property)
})

const CHICAGO = 'America/Chicago'

// The day as written, at midnight of the account: spec/ledger.md 6.4, decisions.md General.
test.each([
  ['20240115', CHICAGO, '2024-01-15T06:00:00.000Z'],
  ['20240115120000', CHICAGO, '2024-01-15T06:00:00.000Z'],
  ['20240715120000.000', CHICAGO, '2024-07-15T05:00:00.000Z'],
  ['20240115030000.000[0:GMT]', CHICAGO, '2024-01-15T06:00:00.000Z'],
  ['20240115[-5:EST]', CHICAGO, '2024-01-15T06:00:00.000Z'],
  ['202401151200', CHICAGO, '2024-01-15T06:00:00.000Z'],
  ['20240229', 'UTC', '2024-02-29T00:00:00.000Z'],
  ['20240115', 'Pacific/Auckland', '2024-01-14T11:00:00.000Z'],
  // Clocks in Beirut skip midnight on this day: it begins at 01:00, UTC+3.
  ['20240331', 'Asia/Beirut', '2024-03-30T22:00:00.000Z'],
])('the day of %s in %s begins at %s', (text, timezone, instant) => {
  expect(readDay(text, timezone)?.toISOString()).toBe(instant)
})

test.each(['20240230', '20241301', '00000000', '2024-01-15', '240115', '15012024x', ''])(
  '%j is no day',
  (text) => {
    expect(readDay(text, CHICAGO)).toBeNull()
    expect(readInstant(text, CHICAGO)).toBeNull()
  },
)

test.each([
  ['20240115120000', '2024-01-15T18:00:00.000Z'],
  ['202401151200', '2024-01-15T18:00:00.000Z'],
  ['20240115120000.123[-5:EST]', '2024-01-15T17:00:00.000Z'],
  ['20240115120000[0:GMT]', '2024-01-15T12:00:00.000Z'],
  ['20240115120000[+5.5:IST]', '2024-01-15T06:30:00.000Z'],
  ['20240115120000[:EST]', '2024-01-15T18:00:00.000Z'],
  ['20240115', '2024-01-16T05:59:59.000Z'],
  ['20240115250000', undefined],
])('the instant of %s is %s', (text, instant) => {
  expect(readInstant(text, CHICAGO)?.toISOString()).toBe(instant)
})
