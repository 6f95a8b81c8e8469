import { createHash } from 'node:crypto'
import type { Json } from '../harness/person.ts'

const base32 = 'abcdefghijklmnopqrstuvwxyz234567'
const hexadecimal = '0123456789abcdef'

/** Alphabets of secrets and of random names of other systems, by their keys. */
const alphabets: Record<string, string> = {
  accountIds: 'ABCDEFGHJKLMNPQRSTUVWXYZabcdefghijkmnopqrstuvwxyz123456789',
  challenge: base32.toUpperCase(),
  linkToken: hexadecimal,
  publicToken: hexadecimal,
  recoveryCodes: base32,
  requestId: hexadecimal,
  resetToken: base32,
  secret: base32,
  token: base32,
  totp: '0123456789',
}

/** Words of secrets that are the same in all. */
const fixed = ['whsec', 'coffer', 'secret', 'link', 'public', 'sandbox', 'req', 'cs', 'bps', 'test']

/** Syncs are scheduled at random times: this long after `start` in all examples. */
const scheduledMs = 6 * 3_600_000

/** Prefixes of IDs that are hashes: their order is another one in each recording. */
const hashed = ['rsug']

const crockford = '0123456789abcdefghjkmnpqrstvwxyz'
const stripePattern = /\b(?:cs_test|bps)_[0-9a-f]{32}\b/g
const idPattern = /\b([a-z]+)_[0-7][0-9a-hjkmnp-tv-z]{25}\b/g

/**
 * Replaces all that differs from one recording to the next: IDs, secrets and tokens. The same value
 * is replaced by the same made-up one everywhere. `texts` are replaced as they are. IDs of a kind
 * keep their order, hashes that of their first use, and seem to be created one minute after the
 * other from `start`.
 */
export function masked(
  recorded: Json,
  { start, texts }: { start: Date; texts: readonly (readonly [string, string])[] },
): Json {
  let text = JSON.stringify(recorded)
  for (const [from, to] of texts) text = text.replaceAll(from, to)
  const ids = madeUpIds(text, start)
  const scramble = createScrambler()
  text = text
    .replaceAll(idPattern, (id) => ids.get(id) ?? id)
    .replaceAll(stripePattern, (id) => scramble(id, hexadecimal))
  return JSON.parse(text, (key, value) => {
    if (value === null) return value
    if (key === 'nonce') return 41_277
    if (key === 'causeId' && value.startsWith('req_')) return scramble(value, hexadecimal)
    if (key === 'nextAttempt') return new Date(start.getTime() + scheduledMs).toISOString()
    if (key === 'nextCursor' || key === 'after') return renamed(value, ids)
    if (key === 'uri') {
      const secret = base32.toUpperCase()
      return value.replace(/(?<=secret=)\w+/, (one: string) => scramble(one, secret))
    }
    const alphabet = alphabets[key]
    if (alphabet === undefined) return value
    if (Array.isArray(value)) return value.map((one) => scramble(one, alphabet))
    // Base64 splits a secret at random places.
    return scramble(value.replaceAll(/[+/=]/g, 'x'), alphabet)
  })
}

/** Returns a cursor with the made-up IDs in place of the ones that it encodes. */
function renamed(cursor: string, ids: Map<string, string>): string {
  if (cursor === 'latest') return cursor
  const text = Buffer.from(cursor, 'base64url')
    .toString()
    .replaceAll(idPattern, (id) => ids.get(id) ?? id)
    // A position in the change feed is the server's clock in microseconds.
    .replace(/^\["\d+"\]$/, '["1767225600000000"]')
  return Buffer.from(text).toString('base64url')
}

function madeUpIds(text: string, start: Date): Map<string, string> {
  const found = new Set([...text.matchAll(idPattern)].map(([id]) => id))
  const kinds = Map.groupBy(found, (id) => id.split('_')[0] ?? '')
  return new Map(
    [...kinds].flatMap(([kind, ids]) =>
      (hashed.includes(kind) ? ids : ids.sort()).map((id, index): [string, string] => {
        const time = timeOfUlid(start.getTime() + index * 60_000)
        return [id, `${kind}_${time}${randomOfUlid(`${kind} ${index}`)}`]
      }),
    ),
  )
}

function timeOfUlid(ms: number): string {
  const digits = Array.from({ length: 10 }, (_, at) => Math.floor(ms / 32 ** (9 - at)) % 32)
  return digits.map((digit) => crockford[digit]).join('')
}

function randomOfUlid(seed: string): string {
  const bytes = [...createHash('sha256').update(seed).digest().subarray(0, 16)]
  return bytes.map((byte) => crockford[byte % 32]).join('')
}

/** Returns made-up texts of the same form; the same one for the same text. */
function createScrambler() {
  const known = new Map<string, string>()
  return (text: string, alphabet: string): string =>
    text.replaceAll(/[A-Za-z0-9]+/g, (word) => {
      if (fixed.includes(word)) return word
      const made = known.get(word) ?? scrambled(word.length, { alphabet, seed: known.size })
      known.set(word, made)
      return made
    })
}

function scrambled(
  outputLength: number,
  { alphabet, seed }: { alphabet: string; seed: number },
): string {
  const bytes = [...createHash('shake256', { outputLength }).update(`${seed}`).digest()]
  return bytes.map((byte) => alphabet[byte % alphabet.length]).join('')
}
