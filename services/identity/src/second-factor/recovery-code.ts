import { base32, hashOf } from '../sign-in/secret.ts'

/** How many codes a login gets at a time (spec/identity.md 6.5). */
export const recoveryCodeCount = 10

/**
 * Bytes of a code: 120 bits, so many that one round of SHA-256 protects it at rest (OWASP ASVS 5.0,
 * 6.5.2).
 */
export const recoveryCodeBytes = 15

/** A code as it is shown: six groups of four. */
export function recoveryCode(bytes: Uint8Array): string {
  return (base32(bytes).match(/.{4}/g) ?? []).join('-')
}

/** What is stored of a code, or null where the text cannot be one; case and hyphens are free. */
export function recoveryCodeHash(text: string): Buffer | null {
  const plain = text.toLowerCase().replaceAll(/[\s-]/g, '')
  return /^[a-z2-7]{24}$/.test(plain) ? hashOf(plain) : null
}
