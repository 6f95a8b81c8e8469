import { expect, test } from '@jest/globals'
import { hashOf } from '../book/secret.ts'
import { formatRecoveryCode, hashRecoveryCode, recoveryCodeBytes } from './recovery-code.ts'

test('a code is six groups of four characters for 120 bits', () => {
  expect(formatRecoveryCode(new Uint8Array(recoveryCodeBytes))).toBe(
    'aaaa-aaaa-aaaa-aaaa-aaaa-aaaa',
  )
  const bytes = Buffer.from('foobarfoobarfoo')
  expect(formatRecoveryCode(bytes)).toBe('mzxw-6ytb-ojtg-633c-mfzg-m33p')
})

test.each([
  'mzxw-6ytb-ojtg-633c-mfzg-m33p',
  'MZXW-6YTB-OJTG-633C-MFZG-M33P',
  'mzxw6ytbojtg633cmfzgm33p',
  ' mzxw 6ytb ojtg 633c mfzg m33p ',
])('%s is the same code', (text) => {
  expect(hashRecoveryCode(text)).toEqual(hashOf('mzxw6ytbojtg633cmfzgm33p'))
})

test.each(['', '123456', 'mzxw-6ytb-ojtg-633c-mfzg-m33', 'mzxw-6ytb-ojtg-633c-mfzg-m331'])(
  '%j is none',
  (text) => {
    expect(hashRecoveryCode(text)).toBeNull()
  },
)
