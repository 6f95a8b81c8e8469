import { hashOf } from '../sign-in/secret.ts'

/** Random bytes of a code. */
export const betaCodeBytes = 8

const lifetimeMs = 14 * 24 * 60 * 60 * 1000

/** A code as it is shown: two groups of eight hexadecimal digits (spec/identity.md 5.10). */
export function formatBetaCode(bytes: Uint8Array): string {
  const digits = Buffer.from(bytes).toString('hex').toUpperCase()
  return `${digits.slice(0, 8)}-${digits.slice(8)}`
}

/** What is stored of a code; upper and lower case are one. */
export function hashBetaCode(code: string): Buffer {
  return hashOf(code.trim().toLowerCase())
}

/** When a code made now stops working. */
export function betaCodeExpiry(now: Date): Date {
  return new Date(now.getTime() + lifetimeMs)
}
