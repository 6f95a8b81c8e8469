import { expect, test } from '@jest/globals'
import { findNonce } from './nonce.ts'

test('the nonce of the test vector is found (docs/sign-in.md#proof-of-work)', () => {
  const challenge = 'A'.repeat(96)
  expect([8, 16].map((difficulty) => findNonce(challenge, difficulty))).toEqual([166, 3214])
})
