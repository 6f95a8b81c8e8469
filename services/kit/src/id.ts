import { randomFillSync } from 'node:crypto'
import { monotonicFactory } from 'ulid'

// Secure randomness drawn a page at a time: the library would ask the system for every character.
const page = new Uint32Array(1024)
let used = page.length

const next = monotonicFactory(() => {
  if (used === page.length) {
    randomFillSync(page)
    used = 0
  }
  const drawn = page[used] ?? 0
  used += 1
  return drawn / 2 ** 32
})

// Crockford base32 in lower case; the first character of a ULID never exceeds 7 (48-bit time).
const ulidPattern = /^[0-7][0-9a-hjkmnp-tv-z]{25}$/

/**
 * A new ID: `<prefix>_` and a lower-case ULID, monotonic within the process
 * (spec/ledger.md 8.1).
 */
export function newId(prefix: string): string {
  return `${prefix}_${next().toLowerCase()}`
}

/** Whether the text is a whole ID of that kind: prefix, length and alphabet are all checked. */
export function isId(prefix: string, text: string): boolean {
  return text.startsWith(`${prefix}_`) && ulidPattern.test(text.slice(prefix.length + 1))
}
