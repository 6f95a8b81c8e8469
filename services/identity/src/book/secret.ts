import { createHash } from 'node:crypto'

const alphabet = 'abcdefghijklmnopqrstuvwxyz234567'
const apiKeyPrefix = 'coffer_secret_'

export const secretBytes = 32

/** Returns lower-case base32 without padding (RFC 4648, section 6): 52 characters for 32 bytes. */
export function base32(bytes: Uint8Array): string {
  const bits = [...bytes].map((byte) => byte.toString(2).padStart(8, '0')).join('')
  const groups = bits.match(/.{1,5}/g) ?? []
  return groups.map((group) => alphabet[Number.parseInt(group.padEnd(5, '0'), 2)]).join('')
}

/** Decodes a text of `base32`; does not check its alphabet, and drops bits beyond whole bytes. */
export function fromBase32(text: string): Buffer {
  const digits = [...text].map((letter) => alphabet.indexOf(letter).toString(2).padStart(5, '0'))
  const bytes = digits.join('').match(/.{8}/g) ?? []
  return Buffer.from(bytes.map((bits) => Number.parseInt(bits, 2)))
}

/** Returns whether the text has the format of an API key's secret, in lower case. */
export function isApiKeySecret(text: string): boolean {
  return text.startsWith(apiKeyPrefix) && /^[a-z2-7]{52}$/.test(text.slice(apiKeyPrefix.length))
}

/** Returns the secret of an API key, from 32 random bytes (docs/sign-in.md#api-keys). */
export function apiKeySecret(bytes: Uint8Array): string {
  return apiKeyPrefix + base32(bytes)
}

/** Returns the SHA-256 of a secret. One round is enough: 256 random bits cannot be guessed. */
export function hashOf(secret: string): Buffer {
  return createHash('sha256').update(secret).digest()
}
