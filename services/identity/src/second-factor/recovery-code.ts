import { base32, hashOf } from '../book/secret.ts'

export const recoveryCodeCount = 10

/** Random bytes of a code: of 120 bits, one round of SHA-256 is enough (OWASP ASVS 5.0, 6.5.2). */
export const recoveryCodeBytes = 15

/** Returns the code as shown to users: 24 lower-case base32 characters in six groups of four. */
export function formatRecoveryCode(bytes: Uint8Array): string {
  return (base32(bytes).match(/.{4}/g) ?? []).join('-')
}

/** Returns the SHA-256 of a recovery code; null if malformed. Ignores case, blanks and hyphens. */
export function hashRecoveryCode(text: string): Buffer | null {
  const plain = text.toLowerCase().replaceAll(/[\s-]/g, '')
  return /^[a-z2-7]{24}$/.test(plain) ? hashOf(plain) : null
}
