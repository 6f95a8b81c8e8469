import fc from 'fast-check'

/** The part of JSON Schema that the OpenAPI document uses. */
export interface JsonSchema {
  type?: string | string[]
  properties?: Record<string, JsonSchema>
  items?: JsonSchema
  anyOf?: JsonSchema[]
  oneOf?: JsonSchema[]
  allOf?: JsonSchema[]
  enum?: unknown[]
  const?: unknown
  format?: string
}

const awkwardTexts = [
  '',
  ' ',
  '\u0000',
  '\ud800',
  '\u202e',
  'ﷺ',
  '👩‍👩‍👧‍👦',
  'a'.repeat(400),
  'é'.repeat(80),
  "' OR 1=1 --",
  '<script>',
  '../../etc/passwd',
  '%00',
  '{}',
  '__proto__',
  'null',
  '2026-02-30T00:00:00Z',
  '1e400',
  '-0',
  'true',
]

/** Any JSON value, edge cases included. */
const anything: fc.Arbitrary<unknown> = fc.oneof(
  fc.constantFrom<unknown>(...awkwardTexts, null, true, 0, -1, 1.5, 1e308, 2 ** 53, [], {}),
  fc.jsonValue({ maxDepth: 3 }),
)

/**
 * Generates values for a schema, most of them valid. `known` has values that exist on the server,
 * by field name: random IDs alone would be refused before a handler runs.
 */
export function valuesOf(schema: JsonSchema, known: Record<string, unknown[]>) {
  return shaped(schema, '', known)
}

function shaped(
  schema: JsonSchema,
  field: string,
  known: Record<string, unknown[]>,
): fc.Arbitrary<unknown> {
  const wellFormed = fitting(schema, field, known)
  const meaningful = known[field]
  return fc.oneof(
    { weight: 6, arbitrary: wellFormed },
    { weight: meaningful ? 12 : 0, arbitrary: fc.constantFrom(...(meaningful ?? [null])) },
    { weight: 1, arbitrary: anything },
  )
}

function fitting(
  { type, properties, items, anyOf, oneOf, allOf, enum: values, const: only, format }: JsonSchema,
  field: string,
  known: Record<string, unknown[]>,
): fc.Arbitrary<unknown> {
  const choices = anyOf ?? oneOf ?? allOf
  if (choices) return fc.oneof(...choices.map((choice) => shaped(choice, field, known)))
  if (values) return fc.constantFrom(...values)
  if (only !== undefined) return fc.constant(only)
  if (properties) return objects(properties, known)
  if (items) return fc.array(shaped(items, field, known), { maxLength: 5 })
  const [kind] = [type].flat()
  if (kind === 'integer' || kind === 'number') return fc.oneof(fc.nat(100), fc.maxSafeInteger())
  if (kind === 'boolean') return fc.boolean()
  if (kind === 'null') return fc.constant(null)
  if (kind === 'string' && format?.startsWith('date')) {
    return fc.date({ noInvalidDate: true }).map((date) => date.toISOString())
  }
  return kind === 'string' ? texts : anything
}

const texts = fc.oneof(
  fc.string({ maxLength: 40, unit: 'grapheme' }),
  fc.constantFrom(...awkwardTexts),
)

/** Generates objects, mostly with all properties; some lack properties or have unknown ones. */
function objects(properties: Record<string, JsonSchema>, known: Record<string, unknown[]>) {
  const keys = Object.entries(properties).map(([key, of]) => [key, shaped(of, key, known)])
  const whole = Object.fromEntries(keys)
  const extra = fc.dictionary(fc.string({ maxLength: 8 }), anything, { maxKeys: 2 })
  return fc.oneof(
    { weight: 8, arbitrary: fc.record(whole) },
    { weight: 2, arbitrary: fc.record(whole, { requiredKeys: [] }) },
    {
      weight: 1,
      arbitrary: fc.tuple(fc.record(whole), extra).map(([all, more]) => ({ ...more, ...all })),
    },
  )
}
