import { expect, test } from '@jest/globals'
import { findExcess, readJson } from './json.ts'

const bytes = (text: string) => new TextEncoder().encode(text)
const read = (text: string) => readJson(bytes(text), (json) => json)
const nested = (depth: number) => '['.repeat(depth) + ']'.repeat(depth)

test('JSON of 32 levels is read, of 33 levels not', () => {
  const of = (depth: number) => read(`{"a":${nested(depth)}}`)
  expect(of(31)).toHaveProperty('a')
  expect(of(32)).toBeNull()
  expect(of(2_000_000)).toBeNull()
})

test.each([
  ['brackets in a text', `{"a":"${'[{'.repeat(99)}","amount":1}`],
  ['an escaped quote before brackets', `{"a":"\\"${'['.repeat(99)}","amount":1}`],
  ['an escaped backslash before the end', '{"a":"\\\\","amount":1}'],
  ['lists beside each other', `{"a":[${'[],'.repeat(99)}[]],"amount":1}`],
  ['a byte order mark', '\uFEFF{"amount":1}'],
])('JSON with %s is read', (_kind, body) => {
  expect(read(body)).toMatchObject({ amount: '1' })
})

test('JSON of more than a million tokens is too large', () => {
  const of = (count: number) => bytes(`[${'1,'.repeat(count)}1]`)
  const lengthOf = (json: unknown) => (Array.isArray(json) ? json.length : null)
  expect(readJson(of(999_999), lengthOf)).toBe(1_000_000)
  expect(readJson(of(1_000_000), lengthOf)).toBe('too-large')
})

test('numbers are their source text, and invalid JSON is null', () => {
  expect(read('{"amount":10.10,"id":9007199254740993}')).toEqual({
    amount: '10.10',
    id: '9007199254740993',
  })
  for (const body of ['', '{', '<html>', '"\\x"']) expect(read(body)).toBeNull()
})

/** Bytes that count how many of them are read. */
function countReads(text: string) {
  const counted = { reads: 0 }
  const body = new Proxy(bytes(text), {
    get: (target, key) => {
      if (typeof key === 'string' && /^\d+$/.test(key)) counted.reads += 1
      return Reflect.get(target, key)
    },
  })
  return Object.assign(counted, { body })
}

const megabytes = 6 * 1024 * 1024

test.each([
  ['levels', `{"email":${'['.repeat(megabytes)}`, 'depth', 41],
  ['levels of objects', '{"a":'.repeat(megabytes / 8), 'depth', 161],
  ['lists', `{"a":[${'[],'.repeat(megabytes / 4)}`, 'tokens', 153],
  ['colons', `{"a"${':'.repeat(megabytes)}`, 'tokens', 104],
  ['commas', `[1${',1'.repeat(megabytes / 2)}`, 'tokens', 201],
] as const)('a scan of 6 MiB of %s ends at the bound', (_of, text, excess, reads) => {
  const counted = countReads(text)
  expect(findExcess(counted.body, { depthMax: 32, tokensMax: 100 })).toBe(excess)
  expect(counted.reads).toBe(reads)
})
