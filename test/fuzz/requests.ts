import fc from 'fast-check'
import { type JsonSchema, valuesOf } from './schema.ts'

/** The part of an OpenAPI document that describes requests. */
export interface Reference {
  paths: Record<string, Record<string, Operation>>
}

interface Operation {
  parameters: { name: string; in: string; schema: JsonSchema }[]
  requestBody?: { content: Record<string, { schema: JsonSchema }> }
}

/** An HTTP request in the form in which it is sent. */
export interface FuzzRequest {
  method: string
  path: string
  headers: Record<string, string>
  body: string | Buffer | null
}

export interface Knowledge {
  /** Headers with credentials, one object for each credential. */
  credentials: Record<string, string>[]
  /** Values that exist on the server, by name of the parameter or field. */
  known: Record<string, unknown[]>
}

/** Generates valid and invalid requests to the operations whose paths `isWanted` accepts. */
export function requestsTo(
  { paths }: Reference,
  isWanted: (path: string) => boolean,
  knowledge: Knowledge,
): fc.Arbitrary<FuzzRequest> {
  const all = Object.entries(paths)
    .filter(([path]) => isWanted(path))
    .flatMap(([path, operations]) =>
      Object.entries(operations)
        .flatMap(([method, operation]) => methodsOf(method).map((one) => [one, operation] as const))
        .map(([method, operation]) => requests({ method, path, operation }, knowledge)),
    )
  return fc.oneof(...all)
}

/** Returns the methods to send: a GET answers HEAD too, which the document leaves out. */
function methodsOf(method: string): string[] {
  return method === 'get' ? ['get', 'head'] : [method]
}

function requests(
  { method, path, operation }: { method: string; path: string; operation: Operation },
  { credentials, known }: Knowledge,
): fc.Arbitrary<FuzzRequest> {
  const inPath = operation.parameters.filter((parameter) => parameter.in === 'path')
  const inQuery = operation.parameters.filter((parameter) => parameter.in === 'query')
  return fc
    .record({
      ids: fc.tuple(...inPath.map(({ name }) => segments(known[name] ?? []))),
      query: fc.tuple(...inQuery.map(({ name, schema }) => parameter(name, schema, known))),
      credential: fc.constantFrom(...credentials),
      content: content(operation, known),
    })
    .map(({ ids, query, credential, content: { headers, body } }) => {
      const named = new Map(inPath.map(({ name }, index) => [name, ids[index] ?? '']))
      const filled = path.replaceAll(/\{(\w+)\}/g, (_, name) => named.get(name) ?? '')
      const given = query.filter((one) => one !== '').join('&')
      return {
        method: method.toUpperCase(),
        path: given === '' ? filled : `${filled}?${given}`,
        headers: { ...credential, ...headers },
        body,
      }
    })
}

function segments(ids: unknown[]): fc.Arbitrary<string> {
  const odd = ['x', '%00', '..%2F', 'txn_01', '%F0%9F%92%A9', 'a'.repeat(300)]
  return fc.oneof(
    { weight: ids.length > 0 ? 6 : 0, arbitrary: fc.constantFrom(...ids.map(String), 'x') },
    { weight: 1, arbitrary: fc.constantFrom(...odd) },
    { weight: 1, arbitrary: fc.string({ minLength: 1, maxLength: 12 }).map(encodeURIComponent) },
  )
}

function parameter(name: string, schema: JsonSchema, known: Record<string, unknown[]>) {
  const text = valuesOf(schema, known).map((value) => {
    const shown = typeof value === 'string' ? value : (JSON.stringify(value) ?? '')
    return `${name}=${encodeURIComponent(shown.toWellFormed())}`
  })
  return fc.oneof(text, fc.constant(''))
}

type Content = { headers: Record<string, string>; body: string | Buffer | null }

/**
 * Generates bodies: JSON that fits the schema, broken JSON, random bytes, other media types, none.
 */
function content(operation: Operation, known: Record<string, unknown[]>): fc.Arbitrary<Content> {
  const schema = operation.requestBody?.content['application/json']?.schema
  const json = { 'content-type': 'application/json' }
  const none = fc.constant<Content>({ headers: {}, body: null })
  const bytes = fc.uint8Array({ maxLength: 60 }).map((all) => Buffer.from(all))
  if (!schema) {
    const stray = bytes.map((body): Content => ({ headers: json, body }))
    return fc.oneof({ weight: 12, arbitrary: none }, { weight: 1, arbitrary: stray })
  }
  const whole = valuesOf(schema, known).map((value) => JSON.stringify(value) ?? '')
  const broken = whole.map((text) => text.slice(0, Math.floor(text.length / 2)))
  const odd = [
    broken.map((body): Content => ({ headers: json, body })),
    bytes.map((body): Content => ({ headers: json, body })),
    whole.map((body): Content => ({ headers: { 'content-type': 'text/plain' }, body })),
    none,
  ]
  return fc.oneof(
    { weight: 40, arbitrary: whole.map((body): Content => ({ headers: json, body })) },
    ...odd.map((arbitrary) => ({ weight: 1, arbitrary })),
  )
}
