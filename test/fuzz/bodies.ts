import { apiRoutes } from '@coffer/client/build/document'
import { answerQuery } from '@coffer/gateway/http/queries/answer-query'
import { inputSchema } from '@coffer/gateway/openapi/schemas'
import { Ajv2020, type AnySchema } from 'ajv/dist/2020.js'
import fc from 'fast-check'
import { boundaryTexts, isRare } from './texts.ts'

// biome-ignore lint/suspicious/noExplicitAny: JSON schemas, read key by key
type Json = any

// `format` is an annotation, as in JSON Schema 2020-12: patterns alone have to state the bounds.
const ajv = new Ajv2020({ strict: false, validateFormats: false })

/** Every JSON body: its validation by the gateway, and its schema in the OpenAPI document. */
export const bodies = apiRoutes().flatMap(({ id, body, file }) => {
  if (!body || file) return []
  const schema: Json = inputSchema(body)
  return [{ id, body, schema, isDocumented: ajv.compile(schema as AnySchema) }]
})

/** Every query parameter: the query that validates it, and its schema in the document. */
export const queries = apiRoutes().flatMap((route) =>
  [route.query, answerQuery(route)].flatMap((query) => {
    const schema: Json = query && inputSchema(query)
    return Object.entries<Json>(schema?.properties ?? {}).map(([name, one]) => {
      return { id: route.id, name, query, schema: one, isDocumented: ajv.compile(one) }
    })
  }),
)

/** Values of keys with a rule that no schema can state (docs/api/constraints.md). */
const known: Record<string, fc.Arbitrary<unknown>> = {
  feedURL: fc.constant('https://feed.example.com/v1'),
  url: fc.constant('https://hook.example.com/v1'),
}

/** Generates values that fit a schema, all keys included. */
export function fitting(schema: Json, key: string): fc.Arbitrary<Json> {
  const { type, properties, items, enum: values, anyOf } = schema
  if (anyOf) return fc.oneof(...anyOf.map((one: Json) => fitting(one, key)))
  if (Array.isArray(type))
    return fitting({ anyOf: type.map((one) => ({ ...schema, type: one })) }, key)
  if (type === 'null') return fc.constant(null)
  if (known[key]) return known[key]
  if ('const' in schema) return fc.constant(schema.const)
  if (values) return fc.constantFrom(...values)
  if (properties) {
    const [, excluded] = schema.not?.required ?? []
    const sent = Object.entries<Json>(properties).filter(([name]) => name !== excluded)
    const keys = sent.map(([name, one]): [string, fc.Arbitrary<Json>] => [name, fitting(one, name)])
    if (schema.maxProperties === 1) {
      return fc.oneof(...keys.map((one) => objects([one])))
    }
    return objects(keys)
  }
  if (items) {
    const { minItems: minLength = 0, maxItems = 3 } = schema
    return fc.array(fitting(items, key), {
      minLength,
      maxLength: Math.min(maxItems, minLength + 2),
    })
  }
  if (type === 'boolean') return fc.boolean()
  if (type === 'integer') return integers(schema)
  return texts(schema)
}

function objects(keys: [string, fc.Arbitrary<Json>][]): fc.Arbitrary<Json> {
  return fc.record(Object.fromEntries(keys), { noNullPrototype: true })
}

function integers({ minimum, maximum, not }: Json): fc.Arbitrary<number> {
  const all = fc.oneof(
    fc.constantFrom(minimum, maximum),
    fc.maxSafeInteger().filter((value) => value >= minimum),
  )
  return all.filter((value) => value !== not?.const)
}

/** Boundary texts that fit each schema of a text. */
const fittingTexts = new Map<string, string[]>()

function texts(schema: Json): fc.Arbitrary<string> {
  const { description: _, ...rest } = schema
  const key = JSON.stringify(rest)
  let found = fittingTexts.get(key)
  if (!found) {
    const fits = ajv.compile(rest)
    found = boundaryTexts.filter((text) => fits(text) && !isRare(text))
    fittingTexts.set(key, found)
  }
  if (found.length === 0) throw new Error(`no text in texts.ts fits ${key}`)
  return fc.constantFrom(...found)
}

/** A place of a text in a value: `put` returns a copy with another text. */
interface TextPlace {
  key: string
  schema: Json
  put: (text: string) => Json
}

/** Returns every place in a value that has a text by its schema. */
export function* textPlaces(schema: Json, value: Json, key = ''): Generator<TextPlace> {
  const { type, properties, items, anyOf, ...rest } = schema
  for (const one of anyOf ?? []) yield* textPlaces(one, value, key)
  if ([type].flat().includes('string')) {
    yield { key, schema: { ...rest, description: '' }, put: (text) => text }
  }
  if (properties && typeof value === 'object' && value !== null) {
    for (const [name, one] of Object.entries<Json>(properties)) {
      for (const { put, ...place } of textPlaces(one, value[name], name)) {
        yield { ...place, put: (text) => ({ ...value, [name]: put(text) }) }
      }
    }
  }
  if (items) {
    const [first, ...others] = Array.isArray(value) ? value : []
    for (const { put, ...place } of textPlaces(items, first, key)) {
      yield { ...place, put: (text) => [put(text), ...others] }
    }
  }
}

/** Copies of a value that differ in one place: a bound exceeded, a key more or less, a type. */
export function* around(schema: Json, value: Json): Generator<Json> {
  const { properties, items, anyOf } = schema
  for (const one of anyOf ?? []) yield* around(one, value)
  yield* values(schema)
  if (properties && typeof value === 'object' && value !== null) {
    yield { ...value, unknown: 1 }
    for (const [key, one] of Object.entries(properties)) {
      const { [key]: own, ...rest } = value
      yield rest
      for (const other of around(one, own)) yield { ...rest, [key]: other }
    }
  }
  if (items && Array.isArray(value)) {
    const { minItems = 0, maxItems } = schema
    yield value.slice(0, Math.max(0, minItems - 1))
    if (maxItems) yield Array.from({ length: maxItems + 1 }, () => value[0])
    for (const other of around(items, value[0])) yield [other, ...value.slice(1)]
  }
}

/** Values of other types, and those next to the bounds of a schema. */
function values({
  minimum = 0,
  maximum = 0,
  minLength = 1,
  maxLength = 0,
  not = {},
}: Json): Json[] {
  const numbers = [minimum - 1, maximum + 1, not.const ?? 0.5]
  const lines = ['a'.repeat(Math.max(0, minLength - 1)), 'a'.repeat(maxLength + 1), '#', 'A@b.com']
  return [null, true, {}, [], '2026-02-30', ...numbers, ...lines]
}
