import { base32, hashOf } from '../sign-in/secret.ts'

/** Number of recovery codes of a login. */
export const recoveryCodeCount = 10

/**
 * Number of random bytes of a code. With 120 bits, one round of SHA-256 protects a code at rest
 * (OWASP ASVS 5.0, 6.5.2).
 */
export const recoveryCodeBytes = 15

/** Returns the code as users see it: 24 lower-case base32 characters in six groups of four. */
export function formatRecoveryCode(bytes: Uint8Array): string {
  return (base32(bytes).match(/.{4}/g) ?? []).join('-')
}

/**
 * Returns the SHA-256 of a recovery code; null for a text of another form. Case, blanks and hyphens
 * are ignored.
 */
export function hashRecoveryCode(text: string): Buffer | null {
  const plain = text.toLowerCase().replaceAll(/[\s-]/g, '')
  return /^[a-z2-7]{24}$/.test(plain) ? hashOf(plain) : null
}
