import { expect, test } from '@jest/globals'
import fc from 'fast-check'
import { isId, newId } from '../../src/values/id.ts'

test('new IDs are valid, and each sorts after the one before', () => {
  const ids = Array.from({ length: 5_000 }, () => newId('txn'))
  expect(ids.every((id) => isId('txn', id))).toBe(true)
  expect(ids.toSorted()).toEqual(ids)
  expect(new Set(ids).size).toBe(ids.length)
})

test.each([
  ['txn_01hqzxw3v9f8c7b6a5d4e3f2g1', true],
  ['txn_7zzzzzzzzzzzzzzzzzzzzzzzzz', true],
  ['txn_8zzzzzzzzzzzzzzzzzzzzzzzzz', false],
  ['bac_01hqzxw3v9f8c7b6a5d4e3f2g1', false],
  ['txn_01HQZXW3V9F8C7B6A5D4E3F2G1', false],
  ['txn_01hqzxw3v9f8c7b6a5d4e3f2g', false],
  ['txn_01hqzxw3v9f8c7b6a5d4e3f2g11', false],
  ['txn_01hqzxw3v9f8c7b6a5d4e3f2gi', false],
  ['txn_01hqzxw3v9f8c7b6a5d4e3f2gl', false],
  ['txn_01hqzxw3v9f8c7b6a5d4e3f2go', false],
  ['txn_01hqzxw3v9f8c7b6a5d4e3f2gu', false],
  ['txn_01hqzxw3v9f8c7b6a5d4e3f2g1\n', false],
  ['txn01hqzxw3v9f8c7b6a5d4e3f2g1', false],
  ['txn_', false],
  ['', false],
])('%j is an ID of a transaction: %s', (text, expected) => {
  expect(isId('txn', text)).toBe(expected)
})

test('one character outside the alphabet makes an ID invalid', () => {
  const spoiled = fc.constantFrom(...'ilouILOU-_ é')
  fc.assert(
    fc.property(fc.nat({ max: 25 }), spoiled, (at, character) => {
      const body = newId('txn').slice(4)
      expect(isId('txn', `txn_${body.slice(0, at)}${character}${body.slice(at + 1)}`)).toBe(false)
    }),
  )
})
