import { gzipSync } from 'node:zlib'
import fc from 'fast-check'
import type { AnyAnswer } from '../providers/faults.ts'

/** Turns the right answer of a provider, a body in JSON, into a hostile one. */
export type Hostile = (right: string) => AnyAnswer

/** Texts in place of a JSON value; some are no JSON. */
const values = [
  ['null', 'true', '{}', '[]', '[[1]]', '{"id":"a"}', '""', '" "', '"undefined"', ''],
  ['0', '-0', '1.005', '30.299999999999997', '5e-324', '1e21', '1e999', '-1e999', '"0x10"'],
  ['9007199254740991', '9007199254740993', '-90071992547409.91', '90071992547409.92'],
  ['NaN', '"NaN"', 'Infinity', '"-Infinity"', '+1', '01', '"12.30"', '" 1 "', '"1,50"'],
  ['"\\u0000"', '"a\\u0000b"', '"\\ud800"', '"\\udc00\\ud800"', '"\\u202eevil\\u2066"'],
  ['"\\ufeff"', '"\\u2028"', '"a\\r\\nb"', '"\\u001b[31m"', '"<script>"', '"🏳️‍🌈"'],
  ['"__proto__"', '"constructor"', '{"__proto__":{"isPending":true}}', '"../../accounts"'],
  ['"EUR"', '"usd"', '" USD "', '"QQQ"', '"US"', '"JPY"', '"2026-02-30"', '"0000-00-00"'],
  ['"1969-12-31"', '"9999-12-31"', '"+275760-09-13"', '"2026-3-4"', '"2026-03-04T00:00:00Z"'],
  [`"${'x'.repeat(301)}"`, `"${'y'.repeat(70_000)}"`, '"\\u0007"', '1.7976931348623157e308'],
  [20, 40, 5_000].map((depth) => '['.repeat(depth) + ']'.repeat(depth)),
].flat()

export const value = fc.oneof(
  { weight: 6, arbitrary: fc.constantFrom(...values) },
  { weight: 1, arbitrary: fc.string({ unit: 'binary' }).map((text) => JSON.stringify(text)) },
  { weight: 1, arbitrary: fc.jsonValue().map((any) => JSON.stringify(any)) },
  { weight: 1, arbitrary: fc.double().map(String) },
)

/** A text that is JSON, so that the rows around it are read. */
export const jsonValue = value.filter((one) => {
  try {
    JSON.parse(one)
    return !one.startsWith('[[')
  } catch {
    return false
  }
})

/** Takes the text of one field: usually a valid one, so that many rows are stored. */
export const usually = (...valid: fc.Arbitrary<string>[]) =>
  fc.oneof({ weight: 7, arbitrary: fc.oneof(...valid) }, { weight: 1, arbitrary: value })

export const text = (json: fc.Arbitrary<unknown>) => json.map((one) => JSON.stringify(one))
export const cents = fc.integer({ min: -99_999, max: 99_999 }).map((amount) => `${amount / 100}`)
export const day = fc
  .integer({ min: Date.UTC(2024, 0, 1), max: Date.UTC(2026, 0, 1) })
  .map((ms) => `"${new Date(ms).toISOString().slice(0, 10)}"`)
export const word = text(fc.constantFrom('Cafe Roma', 'Market', 'Rent', '咖啡', 'Bus\u202e', null))
/** Takes texts of the fields of an object, of which any may be missing. */
export function objectOf(fields: Record<string, fc.Arbitrary<string>>): fc.Arbitrary<string> {
  return fc.record(fields, { requiredKeys: [] }).map((object) => {
    const pairs = Object.entries(object).map(([key, json]) => `${JSON.stringify(key)}:${json}`)
    return `{${pairs.join(',')}}`
  })
}

export const rowsOf = (row: fc.Arbitrary<string>) =>
  fc.array(fc.oneof({ weight: 8, arbitrary: row }, { weight: 1, arbitrary: value }), {
    maxLength: 20,
  })

/** Puts rows before those of a right list, some of them with the ID of a right one. */
export const moreRows = (name: string, row: fc.Arbitrary<string>): fc.Arbitrary<Hostile> =>
  rowsOf(row).map((rows) => (right) => {
    const key = `"${name}":[`
    const start = right.indexOf(key) + key.length
    if (start < key.length) return ok(right)
    const isEmpty = right[start] === ']'
    const more = rows.join() + (rows.length > 0 && !isEmpty ? ',' : '')
    return ok(right.slice(0, start) + more + right.slice(start))
  })

/** Replaces or removes (null) nodes of the right answer. */
const otherNodes: fc.Arbitrary<Hostile> = fc
  .array(fc.tuple(fc.nat(), fc.option(value, { freq: 6 })), { minLength: 1, maxLength: 4 })
  .map((changes) => (right) => {
    const root: Holder = { answer: JSON.parse(right) }
    const texts: string[] = []
    for (const [at, json] of changes) {
      const places = placesOf(root)
      const [holder, key] = places[at % places.length] ?? [root, 'answer']
      if (json === null && holder !== root) delete holder[key]
      else holder[key] = `@${texts.push(json ?? 'null') - 1}@`
    }
    const body = JSON.stringify(root.answer) ?? 'null'
    return ok(body.replaceAll(/"@(\d+)@"/g, (_, index) => texts[Number(index)] ?? ''))
  })

type Holder = Record<string, unknown>

function placesOf(holder: Holder): [Holder, string][] {
  return Object.entries(holder).flatMap(([key, node]): [Holder, string][] => {
    const inner = typeof node === 'object' && node !== null ? placesOf(node as Holder) : []
    return [[holder, key], ...inner]
  })
}

/** Repeats a key at the end of an object, which is the one that counts. */
const repeatedKey = (keys: readonly string[]): fc.Arbitrary<Hostile> =>
  fc
    .tuple(fc.constantFrom(...keys, '__proto__', 'constructor', 'toString'), value, fc.nat())
    .map(([key, json, at]) => (right) => {
      const ends = [...right.matchAll(/\}/g)].map(({ index }) => index)
      const end = ends[at % ends.length] ?? 0
      return ok(`${right.slice(0, end)},"${key}":${json}${right.slice(end)}`)
    })

/** Cuts bytes off the end, or replaces some. */
const otherBytes: fc.Arbitrary<Hostile> = fc
  .tuple(fc.nat(), fc.nat({ max: 9 }), fc.uint8Array({ maxLength: 6 }), fc.boolean())
  .map(([at, length, instead, isCut]) => (right) => {
    const bytes = Buffer.from(right)
    const start = at % (bytes.length + 1)
    const rest = isCut ? Buffer.of() : bytes.subarray(start + length)
    return ok(Buffer.concat([bytes.subarray(0, start), instead, rest]))
  })

const wrapped: fc.Arbitrary<Hostile> = fc.constantFrom<Hostile>(
  (right) => ok(`[${right}]`),
  (right) => ok(`{"data":${right}}`),
  (right) => ok(JSON.stringify(right)),
  (right) => ok(right.replaceAll(/[[\]]/g, '')),
  (right) => ok(right.replace(/\[(.*)\]/, '{"0":$1}')),
  (right) => ok(`\ufeff${right}`),
  (right) => ok(`{"padding":"${'x'.repeat(80_000)}",${right.slice(1)}`),
  () => ok(''),
)

const bomb = gzipSync(Buffer.alloc(20 * 2 ** 20, ' '))
const locations = ['./transactions', '../../accounts', 'http://127.0.0.1:1/', '//evil', 'http://[']

/** Answers that differ in status, headers or connection. */
const otherMessages: fc.Arbitrary<Hostile> = fc.oneof(
  fc.constantFrom(201, 204, 400, 401, 403, 404, 418, 422, 500, 502).map((status): Hostile => {
    return (right) => ({ status, body: `\0\u202e${right}` })
  }),
  fc.constantFrom(...locations).map((location): Hostile => {
    return () => ({ status: 302, body: '', headers: { location } })
  }),
  fc.constantFrom('text/html', 'image/png', 'application/json; charset=utf-16').map(
    (type): Hostile =>
      (right) => ({ status: 200, body: right, headers: { 'content-type': type } }),
  ),
  fc.nat({ max: 200 }).map(
    (cutAfter): Hostile =>
      // Not a whole answer: the connection would seem to be usable.
      (right) => ({ ...ok(right), cutAfter: Math.min(cutAfter, right.length - 1) }),
  ),
  fc.constant<Hostile>(() => ({ ...ok(bomb), headers: { 'content-encoding': 'gzip' } })),
)

/** Answers that take the client long, or make it read the list by parts. */
const heavy = fc.constantFrom<Hostile>(
  (right) => ok(`{"padding":[${'0,'.repeat(1_100_000)}0],${right.slice(1)}`),
  (right) => ok(`{"padding":"${'x'.repeat(11 * 2 ** 20)}",${right.slice(1)}`),
  () => ok('['.repeat(200_000)),
)

/** Hostile answers to any call, whose right answer has these keys, with their weights. */
export const ofAnyKind = (keys: readonly string[]): fc.WeightedArbitrary<Hostile>[] => [
  { weight: 40, arbitrary: otherNodes },
  { weight: 16, arbitrary: repeatedKey(keys) },
  { weight: 12, arbitrary: otherBytes },
  { weight: 8, arbitrary: wrapped },
  { weight: 12, arbitrary: otherMessages },
  { weight: 1, arbitrary: heavy },
]

/** Returns the answer with status 200. */
export function ok(body: string | Buffer): AnyAnswer {
  return { status: 200, body }
}
