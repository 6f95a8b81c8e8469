import { hashOf } from '../sign-in/secret.ts'

/** Random bytes of a code. */
export const betaCodeBytes = 8

const lifetimeMs = 14 * 24 * 60 * 60 * 1000

/** Returns a code as two groups of eight hexadecimal digits (docs/sign-in.md#registration). */
export function formatBetaCode(bytes: Uint8Array): string {
  const digits = Buffer.from(bytes).toString('hex').toUpperCase()
  return `${digits.slice(0, 8)}-${digits.slice(8)}`
}

/** Returns the SHA-256 of a code, which is stored instead of it. Case is ignored. */
export function hashBetaCode(code: string): Buffer {
  return hashOf(code.trim().toLowerCase())
}

/** Returns when a code created now expires: after 14 days. */
export function betaCodeExpiry(now: Date): Date {
  return new Date(now.getTime() + lifetimeMs)
}
