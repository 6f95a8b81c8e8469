import type { JsonSchema } from '../http/answers/answer.ts'

/** A value as the reference page shows it: the parts of its JSON Schema that help a reader. */
export interface Shape {
  /** Type as a text: `string`, `integer or null`, `array of Spending`. */
  type: string
  /** Bounds as texts: `1 to 300 characters`, `one of: expense, goal`. */
  bounds: string[]
  /** Markdown; empty without a description. */
  description: string
  fields: Field[]
  /** Alternatives of a union that contains objects; empty for other values. */
  variants: Shape[]
}

interface Field {
  name: string
  isRequired: boolean
  shape: Shape
}

/** The JSON Schema keywords that the document uses (docs/api/constraints.md). */
interface Schema {
  $ref?: string
  type?: string | string[]
  description?: string
  properties?: Record<string, Schema>
  required?: string[]
  additionalProperties?: boolean | Schema
  items?: Schema
  anyOf?: Schema[]
  oneOf?: Schema[]
  allOf?: Schema[]
  enum?: unknown[]
  const?: unknown
  format?: string
  pattern?: string
  minimum?: number
  maximum?: number
  minLength?: number
  maxLength?: number
  minItems?: number
  maxItems?: number
}

/**
 * Maximum length in characters of a pattern that is shown; longer ones are only in the OpenAPI
 * document.
 */
const patternLengthMax = 60

const nothing = { bounds: [], description: '', fields: [], variants: [] }

/**
 * Returns the shape of a schema. `schemas` are the components of the document, for `$ref`. In a
 * recursive schema, the nested occurrence has no fields.
 */
export function shapeOf(schema: JsonSchema, schemas: Record<string, JsonSchema>): Shape {
  return shape(schema as Schema, { schemas: schemas as Record<string, Schema>, names: [] })
}

interface Place {
  schemas: Record<string, Schema>
  /** Names of the enclosing schemas, to detect recursion. */
  names: string[]
}

function shape(schema: Schema, place: Place): Shape {
  const { description = '' } = schema
  if (schema.$ref !== undefined) return referredShape(schema.$ref, description, place)
  const alternatives = schema.anyOf ?? schema.oneOf
  if (alternatives !== undefined) return choice(schema, alternatives, place)
  if (schema.allOf !== undefined) {
    const parts = schema.allOf.map((part) => shape(part, place))
    const type = parts.find((part) => part.type !== 'object')?.type ?? 'object'
    return { ...nothing, type, description, fields: parts.flatMap(({ fields }) => fields) }
  }
  if (schema.items !== undefined) {
    const item = shape(schema.items, place)
    const bounds = [...rangeOf(schema.minItems, schema.maxItems, 'entries'), ...item.bounds]
    return { ...item, type: `array of ${item.type}`, bounds, description }
  }
  const { additionalProperties: others } = schema
  if (typeof others === 'object') {
    const value = shape(others, place)
    return { ...value, type: `object: ${value.type} by key`, description }
  }
  const fields = Object.entries(schema.properties ?? {}).map(([name, of]) => ({
    name,
    isRequired: schema.required?.includes(name) ?? false,
    shape: shape(of, place),
  }))
  return { ...nothing, type: typeOf(schema), bounds: boundsOf(schema), description, fields }
}

function referredShape(ref: string, description: string, { schemas, names }: Place): Shape {
  const name = ref.replace(/^.*\//, '')
  const target = schemas[name]
  if (target === undefined || names.includes(name)) return { ...nothing, type: name, description }
  const found = shape(target, { schemas, names: [...names, name] })
  return { ...found, type: name, description: description || found.description }
}

/** Returns the shape of `anyOf`: a union, or the shape of the only alternative besides null. */
function choice(schema: Schema, alternatives: Schema[], place: Place): Shape {
  const { description = '' } = schema
  const isNull = (one: Schema) => one.type === 'null'
  const orNull = alternatives.some(isNull) ? ' or null' : ''
  const all = alternatives.filter((one) => !isNull(one)).map((one) => shape(one, place))
  const [only] = all
  if (only !== undefined && all.length === 1) {
    const text = description || only.description
    return { ...only, type: `${only.type}${orNull}`, description: text }
  }
  const types = [...new Set(all.map(({ type }) => type))].join(' or ')
  const variants = all.some(({ fields }) => fields.length > 0) ? all.map(named) : []
  const bounds = variants.length > 0 ? [] : [...new Set(all.flatMap((one) => one.bounds))]
  return { ...nothing, type: `${types}${orNull}`, bounds, description, variants }
}

/**
 * Describes a variant that has no description by the key that distinguishes it from the others.
 */
function named(variant: Shape): Shape {
  const { description, type, fields } = variant
  const fixed = fields.find(({ shape: { bounds } }) => bounds[0]?.startsWith('always '))
  const text = fixed && `${fixed.name} is ${fixed.shape.bounds[0]}`
  return { ...variant, description: description || text || type }
}

function typeOf({ type, enum: values, const: only, properties }: Schema): string {
  if (type !== undefined) return [type].flat().join(' or ')
  if (properties !== undefined) return 'object'
  const value = only ?? values?.[0]
  return value === undefined ? 'any value' : typeof value
}

function boundsOf(schema: Schema): string[] {
  const { enum: values, const: only, format, pattern = '' } = schema
  const { minimum = -Infinity, maximum = Infinity } = schema
  return [
    ...(only === undefined ? [] : [`always ${only}`]),
    ...(values === undefined ? [] : [`one of: ${values.join(', ')}`]),
    ...(format === undefined ? [] : [format]),
    ...rangeOf(finite(minimum), finite(maximum), ''),
    ...rangeOf(schema.minLength, schema.maxLength, 'characters'),
    ...(pattern === '' || pattern.length > patternLengthMax ? [] : [pattern]),
  ]
}

/** Returns a bound; undefined for ±(2^53 − 1), which every integer of the API has. */
function finite(bound: number): number | undefined {
  return Math.abs(bound) >= Number.MAX_SAFE_INTEGER ? undefined : bound
}

function rangeOf(min: number | undefined, max: number | undefined, unit: string): string[] {
  const parts = [
    ...(min === undefined ? [] : [max === undefined ? `at least ${min}` : `${min}`]),
    ...(max === undefined ? [] : [min === undefined ? `at most ${max}` : `to ${max}`]),
  ]
  return parts.length === 0 ? [] : [`${parts.join(' ')} ${unit}`.trim()]
}
