import { randomFillSync } from 'node:crypto'
import { monotonicFactory } from 'ulid'

// Random numbers are fetched 1,024 at a time: the ULID library makes a system call for each one.
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

/** Number of characters of a ULID. */
const ulidLength = 26

/** Returns why a text is not an ID with this prefix, as an error text for the client. */
export function idFault(prefix: string, text: string): string {
  if (text === '') return 'it is blank'
  const shown = /^\w{1,40}$/.test(text) ? text : 'it'
  const [, other] = /^([a-z]{2,5})_/.exec(text) ?? []
  if (other === undefined) return `${shown} has no such prefix`
  if (other !== prefix) return `${shown} begins with ${other}_`
  const ulid = text.slice(prefix.length + 1)
  const counted = `${ulidLength} characters follow the prefix, not ${ulid.length}`
  if (ulid.length < ulidLength) return `${shown} is too short (${counted})`
  if (ulid.length > ulidLength) return `${shown} is too long (${counted})`
  return /[A-Z]/.test(ulid)
    ? `${shown} has upper-case letters`
    : `${shown} has a character that no ID has`
}

/** Returns whether a text is an ID with this prefix: `<prefix>_` and a lower-case ULID. */
export function isId(prefix: string, text: string): boolean {
  return text.startsWith(`${prefix}_`) && ulidPattern.test(text.slice(prefix.length + 1))
}
