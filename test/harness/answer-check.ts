import { apiDocument } from '@coffer/client/build/document'
import { Ajv2020, type AnySchema } from 'ajv/dist/2020.js'

// biome-ignore lint/suspicious/noExplicitAny: JSON documents and answers, read key by key
export type Json = any

export interface Answer {
  status: number
  headers: Headers
  body: Json
}

/** Servers of this version, whose answers are compared with the OpenAPI document. */
const checked = new Set<string>()

/** Compares all further answers of a server with the document, until disposed. */
export function checkAnswersOf(baseUrl: string): Disposable {
  checked.add(baseUrl)
  return { [Symbol.dispose]: () => checked.delete(baseUrl) }
}

/** Reads an answer. Parses a JSON body; an empty body is null. */
export async function readAnswer(response: Response): Promise<Answer> {
  const { status, headers } = response
  const text = await response.text()
  const isJson = headers.get('content-type')?.includes('json')
  return { status, headers, body: text === '' ? null : isJson ? JSON.parse(text) : text }
}

/** Returns a `fetch` that compares the answers of a server with the document. */
export function fetchDocumented(baseUrl: string): typeof fetch {
  return async (input, init) => {
    const response = await fetch(input, init)
    // A stream has no end to wait for.
    const isStream = response.headers.get('content-type') === 'text/event-stream'
    if (!checked.has(baseUrl) || isStream) return response
    const { method, url } = input as Request
    const path = url.slice(`${baseUrl}/api`.length)
    const answer = await readAnswer(response.clone())
    requireDocumented({ baseUrl, method, path }, answer)
    return response
  }
}

/**
 * Throws an error if a server of this version gives an answer that the OpenAPI document does not
 * have: another status, a missing or unknown key, a value of another type.
 */
export function requireDocumented(
  { baseUrl, method, path }: { baseUrl: string; method: string; path: string },
  { status, headers, body }: Answer,
): void {
  if (!checked.has(baseUrl)) return
  const operation = findOperation(method, `/api${path.split('?')[0]}`)
  if (!operation) return
  const text = `${method} /api${path} (${operation.operationId}): ${status}`
  const { responses } = operation
  const response = resolve(responses[status] ?? (transport.has(status) ? responses.default : null))
  if (!response) throw new Error(`${text} is not in the OpenAPI document`)
  const isJson = headers.get('content-type')?.startsWith('application/json')
  const schema = response.content?.['application/json']?.schema
  // With `fields`, an answer lacks required keys.
  if (!isJson || body === null || /[?&]fields=/.test(path)) return
  if (!schema) throw new Error(`${text} has a body: ${JSON.stringify(body).slice(0, 200)}`)
  const fault = faultOf(schema, body)
  if (fault) throw new Error(`${text} differs from the OpenAPI document: ${fault}`)
}

/** Statuses of HTTP itself, which every operation has. */
const transport = new Set([408, 417, 431])

/** The document, prepared for checks, with the validators that its schemas had so far. */
interface Prepared {
  document: Json
  ajv: Ajv2020
  paths: { pattern: RegExp; methods: Json }[]
  validators: Map<Json, ReturnType<Ajv2020['compile']>>
}

let prepared: Prepared | undefined

function load(): Prepared {
  prepared ??= prepare()
  return prepared
}

function prepare(): Prepared {
  const document = apiDocument()
  const ajv = new Ajv2020({ strict: false, validateFormats: false })
  ajv.addSchema({ $id: 'api', $defs: closedSchemas(document) })
  const paths = Object.entries<Json>(document.paths)
    // A fixed part is looked for before a parameter: `transfer` before an ID.
    .sort(([one], [other]) => one.split('{').length - other.split('{').length)
    .map(([path, methods]) => {
      return { pattern: new RegExp(`^${path.replaceAll(/\{\w+\}/g, '[^/]+')}$`), methods }
    })
  return { document, ajv, paths, validators: new Map() }
}

/** Returns the operation of the document that a request is for; undefined if it has none. */
export function findOperation(method: string, path: string): Json {
  const found = load().paths.find(({ pattern }) => pattern.test(path))
  return found?.methods[method.toLowerCase()]
}

function resolve(response: Json): Json {
  if (!response?.$ref) return response
  return load().document.components.responses[response.$ref.split('/').at(-1)]
}

/**
 * Returns how a body differs from a schema of the document, keys that the schema does not name
 * included; null if it fits.
 */
export function faultOf(schema: Json, body: unknown): string | null {
  const { ajv, validators } = load()
  let validate = validators.get(schema)
  if (!validate) {
    validate = ajv.compile(closed(schema) as AnySchema)
    validators.set(schema, validate)
  }
  if (validate(body)) return null
  return ajv.errorsText(validate.errors)
}

/** Returns every named schema in two forms: closed, and open for a part of `allOf`. */
function closedSchemas(document: Json): Json {
  const all = Object.entries<Json>(document.components.schemas).flatMap(([name, schema]) => [
    [name, closed(schema)],
    [`${name}.open`, open(schema)],
  ])
  return Object.fromEntries(all)
}

/** Returns a schema that refuses keys which it does not name, at every depth. */
function closed(schema: Json): Json {
  const { $ref, allOf, properties, additionalProperties } = schema
  if ($ref) return { $ref: `api#/$defs/${$ref.split('/').at(-1)}` }
  const parts = open(schema)
  if (allOf) return { ...parts, unevaluatedProperties: false }
  return properties && additionalProperties === undefined
    ? { ...parts, additionalProperties: false }
    : parts
}

/** Returns a schema that allows unknown keys of its own, but not in its values. */
function open(schema: Json): Json {
  const { $ref, allOf, anyOf, oneOf, items, properties, additionalProperties } = schema
  if ($ref) return { $ref: `api#/$defs/${$ref.split('/').at(-1)}.open` }
  const each = (list: Json[]) => list.map(closed)
  return {
    ...schema,
    ...(allOf ? { allOf: allOf.map(open) } : {}),
    ...(anyOf ? { anyOf: each(anyOf) } : {}),
    ...(oneOf ? { oneOf: each(oneOf) } : {}),
    ...(items ? { items: closed(items) } : {}),
    ...(properties
      ? {
          properties: Object.fromEntries(
            Object.entries(properties).map(([key, one]) => [key, closed(one)]),
          ),
        }
      : {}),
    ...(typeof additionalProperties === 'object'
      ? { additionalProperties: closed(additionalProperties) }
      : {}),
  }
}
