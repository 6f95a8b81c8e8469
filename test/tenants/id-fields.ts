/** The part of JSON Schema that the OpenAPI document uses for requests. */
export interface Schema {
  type?: string | string[]
  properties?: Record<string, Schema>
  required?: string[]
  items?: Schema
  anyOf?: Schema[]
  enum?: unknown[]
  const?: unknown
  format?: string
  pattern?: string
}

/** An operation (method and path) of the OpenAPI document. */
export interface Operation {
  method: string
  path: string
  parameters: { name: string; in: string; schema: Schema }[]
  security: Record<string, unknown>[]
  requestBody?: { content: Record<string, { schema: Schema }> }
  'x-websocket'?: boolean
}

/** IDs by prefix, which names the kind of object, such as `txn`. */
export type Ids = Record<string, string>

/** A parameter, or field of the JSON body, whose value is an ID. */
export interface IdField {
  in: 'path' | 'query' | 'body'
  /** Name of the parameter, or the keys that lead to the field in the body. */
  name: string[]
  prefix: string
}

/** Returns the prefix of the IDs that a schema accepts; null if its values are no IDs. */
function prefixOf({ pattern = '', anyOf = [] }: Schema): string | null {
  const [, prefix] = /^\^([a-z]+)_\[0-7\]/.exec(pattern) ?? []
  return prefix ?? anyOf.map(prefixOf).find((one) => one !== null) ?? null
}

/** Returns all parameters and fields of an operation whose value is an ID. */
export function idFieldsOf({ parameters, ...operation }: Operation): IdField[] {
  const named = parameters.flatMap(({ name, in: at, schema }): IdField[] => {
    const prefix = prefixOf(schema)
    return prefix && (at === 'path' || at === 'query') ? [{ in: at, name: [name], prefix }] : []
  })
  const schema = bodySchemaOf(operation)
  return schema ? [...named, ...bodyFieldsOf(schema, [])] : named
}

function bodyFieldsOf(schema: Schema, name: string[]): IdField[] {
  const prefix = prefixOf(schema)
  if (prefix) return [{ in: 'body', name, prefix }]
  if (schema.items) return bodyFieldsOf(schema.items, [...name, '0'])
  const shape = objectOf(schema)
  return Object.entries(shape.properties ?? {}).flatMap(([key, of]) =>
    bodyFieldsOf(of, [...name, key]),
  )
}

/** Returns the JSON schema of an operation's body; null if the operation takes no body. */
export function bodySchemaOf({ requestBody }: Pick<Operation, 'requestBody'>): Schema | null {
  return requestBody?.content['application/json']?.schema ?? null
}

const ruleset = 'DTSTART:20260101T060000Z\nRRULE:FREQ=MONTHLY;INTERVAL=1;BYMONTHDAY=1'

/** Valid values by name of the field, where the schema alone is not enough to generate one. */
const examples: Record<string, unknown> = {
  ruleset,
  recurrenceRule: ruleset,
  nextRecurrence: `${new Date().getUTCFullYear() + 2}-01-01T06:00:00Z`,
  status: 'pending-processing',
  feedURL: 'http://127.0.0.1:1/api/v1',
  currency: 'USD',
  mask: '1234',
  email: 'unknown@example.com',
  password: 'a long enough password',
  currentPassword: 'a long enough password',
}

/** Returns a valid value of a schema, with the required fields and all fields that are IDs. */
export function sampleOf(schema: Schema, ids: Ids, name = ''): unknown {
  const prefix = prefixOf(schema)
  if (prefix) return ids[prefix]
  if (name in examples) return examples[name]
  if (schema.const !== undefined) return schema.const
  if (schema.enum) return schema.enum[0]
  if (schema.items) return [sampleOf(schema.items, ids)]
  const shape = objectOf(schema)
  if (shape.properties) return objectSample(shape, ids)
  const [type] = [schema.anyOf?.find((one) => one.type !== 'null') ?? schema].map((one) => one.type)
  if (type === 'integer' || type === 'number') return 1
  if (type === 'boolean') return false
  if (schema.format === 'date-time') return '2026-01-02T06:00:00Z'
  return schema.format === 'date' ? '2026-01-02' : 'Sample'
}

function objectSample({ properties = {}, required = [] }: Schema, ids: Ids) {
  const wanted = Object.entries(properties).filter(
    ([key, of]) => required.includes(key) || bodyFieldsOf(of, []).length > 0,
  )
  return Object.fromEntries(wanted.map(([key, of]) => [key, sampleOf(of, ids, key)]))
}

/** Returns the schema of an object; if several alternatives are allowed, the first one. */
function objectOf(schema: Schema): Schema {
  return schema.properties ? schema : (schema.anyOf?.find((one) => one.properties) ?? {})
}
