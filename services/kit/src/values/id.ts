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

/** Characters behind the prefix. */
const ulidLength = 26

/** Why a text that is no ID of that kind is none, in words for whoever sent it. */
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

/** Whether the text is a whole ID of that kind: prefix, length and alphabet are all checked. */
export function isId(prefix: string, text: string): boolean {
  return text.startsWith(`${prefix}_`) && ulidPattern.test(text.slice(prefix.length + 1))
}
