import { expect, test } from '@jest/globals'
import { acceptedStep, totpUri } from './totp.ts'

// Test vectors of RFC 6238, appendix B (SHA-1), cut to six digits; the seed in base32.
const seed = 'GEZDGNBVGY3TQOJQGEZDGNBVGY3TQOJQ'
const at = (seconds: number) => new Date(seconds * 1000)
const accepted = (totp: string, seconds: number, lastStep = 0) =>
  acceptedStep({ seed, totp, lastStep, now: at(seconds) })

test.each([
  [59, '287082'],
  [1111111109, '081804'],
  [1111111111, '050471'],
  [1234567890, '005924'],
  [2000000000, '279037'],
  [20000000000, '353130'],
])('at %d the code is %s', (seconds, totp) => {
  expect(accepted(totp, seconds)).toBe(Math.floor(seconds / 30))
})

test.each([
  [29, 1],
  [30, 1],
  [89, 1],
  // Refused: 90 s is in time step 3, and the code belongs to step 1, two steps before.
  [90, null],
  [120, null],
])('the code of the seconds 30 to 59 at %d: %p', (seconds, step) => {
  expect(accepted('287082', seconds)).toBe(step)
})

test('no code is accepted twice, nor one from before the last', () => {
  expect(accepted('287082', 59, 0)).toBe(1)
  expect(accepted('287082', 59, 1)).toBeNull()
  expect(accepted('287082', 59, 2)).toBeNull()
  // As after the clock was set back: the last accepted code has step 1000.
  expect(accepted('287082', 59, 1000)).toBeNull()
})

test.each(['', '28708', '2870820', '28708a', '٢٨٧٠٨٢', '287083', ' 287082'])(
  '%j is no code then',
  (totp) => {
    expect(accepted(totp, 59)).toBeNull()
  },
)

test('the otpauth URI holds issuer, login and seed; the rest is the default', () => {
  const uri = new URL(totpUri('ann+lee@example.com', seed))
  expect(uri.protocol).toBe('otpauth:')
  expect(decodeURIComponent(uri.pathname)).toMatch(/Coffer:ann\+lee@example\.com$/)
  expect(Object.fromEntries(uri.searchParams)).toEqual({ issuer: 'Coffer', secret: seed })
})
