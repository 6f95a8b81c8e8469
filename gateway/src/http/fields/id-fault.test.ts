import { isId } from '@coffer/kit/values/id'
import { expect, test } from '@jest/globals'
import { idFault } from './id-fault.ts'

test.each([
  ['bac_123', 'bac_123 is too short (26 characters follow the prefix, not 3)'],
  ['bac_01hqzxw3v9f8c7b6a5d4e3f2g11', expect.stringMatching(/ is too long \(26 characters/)],
  ['link_01hqzxw3v9f8c7b6a5d4e3f2g1', 'link_01hqzxw3v9f8c7b6a5d4e3f2g1 begins with link_'],
  ['123', '123 has no such prefix'],
  ['', 'it is blank'],
  ['bac_01HQZXW3V9F8C7B6A5D4E3F2G1', expect.stringMatching(/ has upper-case letters$/)],
  ['bac_01hqzxw3v9f8c7b6a5d4e3f2gu', expect.stringMatching(/ has a character that no ID has$/)],
  ['<script>', 'it has no such prefix'],
  [`bac_${'0'.repeat(1_000)}`, 'it is too long (26 characters follow the prefix, not 1000)'],
])('%j is no ID of a bank account: %s', (text, fault) => {
  expect(isId('bac', text)).toBe(false)
  expect(idFault('bac', text)).toEqual(fault)
})
