import { apiRoutes } from '@coffer/client/build/document'
import { inputSchema } from '@coffer/gateway/http/openapi/schemas'
import { Ajv2020, type AnySchema } from 'ajv/dist/2020.js'
import fc from 'fast-check'

// biome-ignore lint/suspicious/noExplicitAny: JSON schemas, read key by key
type Json = any

const ajv = new Ajv2020({ strict: false })
ajv.addFormat('date-time', /^\d{4}-\d\d-\d\dT\d\d:\d\d:\d\d(\.\d+)?Z$/)
ajv.addFormat('email', /^\S+@\S+$/)
ajv.addFormat('uri', /^\w+:/)

/** Every JSON body: its validation by the gateway, and its schema in the OpenAPI document. */
export const bodies = apiRoutes().flatMap(({ id, body, file }) => {
  if (!body || file) return []
  const schema: Json = inputSchema(body)
  return [{ id, body, schema, isDocumented: ajv.compile(schema as AnySchema) }]
})

const rule = 'DTSTART:20260131T060000Z\nRRULE:FREQ=MONTHLY;INTERVAL=1;BYMONTHDAY=15'

/** Values of keys with a rule that no schema can state. */
const known: Record<string, fc.Arbitrary<unknown>> = {
  ruleset: fc.constant(rule),
  recurrenceRule: fc.constant(rule),
  currency: fc.constantFrom('USD', 'EUR', 'JPY'),
  cancelPath: fc.constant('/settings'),
  email: fc.constant('pat@example.com'),
  feedURL: fc.constant('https://feed.example.com/v1'),
}

/** Generates values that fit a schema, all keys included. */
export function fitting(schema: Json, key: string): fc.Arbitrary<Json> {
  const { type, properties, items, enum: values, anyOf, pattern, format } = schema
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
    const keys = sent.map(([name, one]) => [name, fitting(one, name)])
    return fc.record(Object.fromEntries(keys))
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
  if (format === 'date-time') return instants
  if (pattern) return fc.stringMatching(new RegExp(pattern))
  return texts(schema)
}

function integers({ minimum, maximum, not }: Json): fc.Arbitrary<number> {
  const all = fc.oneof(
    fc.constantFrom(minimum, maximum),
    fc.maxSafeInteger().filter((value) => value >= minimum),
  )
  return all.filter((value) => value !== not?.const)
}

const instants = fc
  .date({ min: new Date('1900-01-01'), max: new Date('2199-12-31'), noInvalidDate: true })
  .map((date) => date.toISOString())

function texts({ minLength = 0, maxLength = 40 }: Json): fc.Arbitrary<string> {
  const unit = fc.constantFrom('a', 'Z', 'é', '7', '-', '👍')
  return fc.oneof(
    fc.string({ unit, minLength, maxLength: Math.min(maxLength, minLength + 20) }),
    fc.string({ unit, minLength: maxLength, maxLength }),
  )
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
