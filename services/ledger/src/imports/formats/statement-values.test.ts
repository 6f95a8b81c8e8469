import { expect, test } from '@jest/globals'
import fc from 'fast-check'
import { identifierInstant, midnightOn, readAmount, withinYears } from './statement-values.ts'

// Cases of docs/file-formats.md#rules-for-every-format, and of the decimal comma, which OFX allows.
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

test('every amount is read exactly', () => {
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

test.each([
  [{ year: 2024, month: 2, day: 29 }, '2024-02-29T05:00:00.000Z'],
  [{ year: 1900, month: 1, day: 1 }, '1900-01-01T05:00:00.000Z'],
  [{ year: 2199, month: 12, day: 31 }, '2199-12-31T05:00:00.000Z'],
  [{ year: 2023, month: 2, day: 29 }, undefined],
  [{ year: 2024, month: 13, day: 1 }, undefined],
  [{ year: 1899, month: 12, day: 31 }, undefined],
  [{ year: 2200, month: 1, day: 1 }, undefined],
  [{ year: Number.NaN, month: 1, day: 1 }, undefined],
])('%j begins five hours behind UTC at %s', (day, instant) => {
  expect(midnightOn(day, 'Etc/GMT+5')?.toISOString()).toBe(instant)
})

// Earlier releases wrote the second midnight, and imported files are recognized by it.
test.each([
  ['America/Havana', '2026-11-01T04:00:00Z', '2026-11-01T05:00:00Z'],
  ['Atlantic/Azores', '2026-10-25T00:00:00Z', '2026-10-25T01:00:00Z'],
  ['America/Havana', '2026-03-08T05:00:00Z', '2026-03-08T05:00:00Z'],
  ['America/Chicago', '2026-11-01T05:00:00Z', '2026-11-01T05:00:00Z'],
  ['America/Sao_Paulo', '2018-02-18T03:00:00Z', '2018-02-18T03:00:00Z'],
  ['Asia/Beirut', '2026-10-25T00:00:00Z', '2026-10-25T00:00:00Z'],
])('identifiers in %s name the day of %s by %s', (timezone, midnight, instant) => {
  expect(identifierInstant(new Date(midnight), timezone)).toEqual(new Date(instant))
})

test.each([
  ['1900-01-01T00:00:00Z', true],
  ['2199-12-31T23:59:59Z', true],
  ['1899-12-31T23:59:59Z', false],
  ['2200-01-01T00:00:00Z', false],
  ['+010000-01-01T00:00:00Z', false],
])('a statement can be from %s: %s', (text, isReachable) => {
  const instant = new Date(text)
  expect(withinYears(instant)).toEqual(isReachable ? instant : null)
})
