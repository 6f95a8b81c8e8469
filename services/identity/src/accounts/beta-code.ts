import { dayMs } from '@coffer/kit/values/time'
import { hashOf } from '../sign-in/secret.ts'

/** Number of random bytes of a code. */
export const betaCodeBytes = 8

const lifetimeMs = 14 * dayMs

/**
 * Returns a code, two groups of eight hexadecimal digits, and its expiry after 14 days
 * (docs/sign-in.md#registration). `bytes` are 8 random bytes.
 */
export function createBetaCode(bytes: Uint8Array, now: Date): { code: string; expiresAt: Date } {
  const digits = Buffer.from(bytes).toString('hex').toUpperCase()
  const expiresAt = new Date(now.getTime() + lifetimeMs)
  return { code: `${digits.slice(0, 8)}-${digits.slice(8)}`, expiresAt }
}

/** Returns the SHA-256 of a code; the hash is stored instead of the code. Case is ignored. */
export function hashBetaCode(code: string): Buffer {
  return hashOf(code.trim().toLowerCase())
}
