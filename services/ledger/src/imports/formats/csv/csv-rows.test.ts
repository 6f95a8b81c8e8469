import { expect, test } from '@jest/globals'
import fc from 'fast-check'
import { readBelow } from '../../../../test/imports/sound-statement.ts'
import { base32, fnv1 } from './csv-rows.ts'

// Test vectors of draft-eastlake-fnv for FNV-1 with 64 bits.
test.each([
  ['', 0xcbf29ce484222325n],
  ['a', 0xaf63bd4c8601b7ben],
  ['b', 0xaf63bd4c8601b7bdn],
  ['foobar', 0x340d8765a4dda9c2n],
])('the hash of %j', (text, hash) => {
  expect(fnv1(text)).toBe(hash)
})

// The first is "foobar" of RFC 4648, section 10 (MZXW6YTBOI======), with two zero bytes appended.
test.each([
  [0x666f6f6261720000n, 'MZXW6YTBOIAAA==='],
  [0n, 'AAAAAAAAAAAAA==='],
  [0xffffffffffffffffn, '7777777777776==='],
])('%s in base32', (bits, text) => {
  expect(base32(bits)).toBe(text)
})

test('the halves of a hash are those of one number of 64 bits', () => {
  const property = fc.property(fc.string({ unit: 'binary' }), (text) => {
    const whole = new TextEncoder()
      .encode(text)
      .reduce(
        (hash, byte) => BigInt.asUintN(64, hash * 0x100000001b3n) ^ BigInt(byte),
        0xcbf29ce484222325n,
      )
    expect(fnv1(text)).toBe(whole)
    const bits = `${whole.toString(2).padStart(64, '0')}0`
    expect(base32(whole).slice(0, 13)).toBe(
      (bits.match(/.{5}/g) ?? [])
        .map((five) => 'ABCDEFGHIJKLMNOPQRSTUVWXYZ234567'[Number.parseInt(five, 2)])
        .join(''),
    )
  })
  fc.assert(property, { numRuns: 500 })
})

test('debits and credits with a currency each count in that of the account', () => {
  const names = ['Id', 'Date', 'Text', 'Out', 'Out currency', 'In', 'In currency']
  const rows = ['-5.00,EUR,,', '-100.00,EUR,105.00,CHF', '-9.00,CHF,9.50,EUR', ',,50.00,CHF']
  const lines = rows.map((row, at) => `${at},2026-01-0${at + 1},x,${row}`)
  const amount = { kind: 'column', invert: false, fields: [{ name: 'Out' }, { name: 'In' }] }
  const read = readBelow(names, lines, { amount })
  if ('unreadable' in read) throw new Error(read.unreadable)
  expect(read.rows.map((row) => row.amount)).toEqual([500n, 10_000n, -950n])
  expect(read.skipped.map(({ reason }) => reason)).toEqual(['currency'])
})
