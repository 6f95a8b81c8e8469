import { randomFillSync } from 'node:crypto'
import { monotonicFactory } from 'ulid'

// Random numbers are fetched 1,024 at a time, since the ULID library makes a system call for each.
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

// ULID: Crockford base32 in lower case. Its 48-bit time limits the first character to 7.
const ulidPattern = /^[0-7][0-9a-hjkmnp-tv-z]{25}$/

/** Creates an ID: `<prefix>_` and a lower-case ULID, monotonic in the process (docs/api.md#ids). */
export function newId(prefix: string): string {
  return `${prefix}_${next().toLowerCase()}`
}

/** Returns whether a text is an ID with this prefix: `<prefix>_` and a lower-case ULID. */
export function isId(prefix: string, text: string): boolean {
  return text.startsWith(`${prefix}_`) && ulidPattern.test(text.slice(prefix.length + 1))
}
