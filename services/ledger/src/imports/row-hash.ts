const OFFSET = 0xcbf29ce484222325n
const PRIME = 0x100000001b3n
const ALPHABET = 'ABCDEFGHIJKLMNOPQRSTUVWXYZ234567'

/** Returns the 64-bit FNV-1 hash of a text in UTF-8 (draft-eastlake-fnv). */
export function fnv1(text: string): bigint {
  let hash = OFFSET
  for (const byte of new TextEncoder().encode(text)) {
    hash = BigInt.asUintN(64, hash * PRIME) ^ BigInt(byte)
  }
  return hash
}

/** Returns 64 bits in base32 with padding (RFC 4648, section 6), most significant bits first. */
export function base32(bits: bigint): string {
  // 64 bits are 12 characters of five bits, and a last one of four bits and a zero.
  const padded = BigInt.asUintN(64, bits) << 1n
  const characters = Array.from({ length: 13 }, (_, index) => {
    const value = (padded >> BigInt((12 - index) * 5)) & 31n
    return ALPHABET.charAt(Number(value))
  })
  return `${characters.join('')}===`
}
