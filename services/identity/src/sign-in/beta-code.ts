import { dayMs } from '@coffer/kit/values/time'
import { hashOf } from '../book/secret.ts'

export const betaCodeBytes = 8

const lifetimeMs = 14 * dayMs

/** Returns a code of 16 hexadecimal digits in two groups, which expires 14 days after `now`. */
export function createBetaCode(bytes: Uint8Array, now: Date): { code: string; expiresAt: Date } {
  const digits = Buffer.from(bytes).toString('hex').toUpperCase()
  const expiresAt = new Date(now.getTime() + lifetimeMs)
  return { code: `${digits.slice(0, 8)}-${digits.slice(8)}`, expiresAt }
}

/** Returns the SHA-256 of a beta code, whose case is ignored; the code itself is never stored. */
export function hashBetaCode(code: string): Buffer {
  return hashOf(code.trim().toLowerCase())
}
