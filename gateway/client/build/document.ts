import { existsSync, readFileSync } from 'node:fs'
import { join } from 'node:path'
import { openapi } from '@coffer/gateway/openapi/document'
import { createRoutes } from '@coffer/gateway/routes'

// biome-ignore lint/suspicious/noExplicitAny: a JSON document, read key by key
type Json = any

/** Returns the OpenAPI document of the gateway's source. */
export function apiDocument(): Json {
  const settings = { cookieName: 'coffer_session', externalUrl: '' }
  return JSON.parse(JSON.stringify(openapi(apiRoutes(), settings)))
}

/** Returns the routes of the gateway's source; their handlers cannot be called. */
export function apiRoutes() {
  return createRoutes(unused())
}

/**
 * Returns the input of the generator. OpenAPI has no frames of sockets, so the frames are shown as
 * the answer 200 of the operation.
 */
export function clientDocument(): Json {
  const document = apiDocument()
  for (const operation of operationsOf(document)) {
    // Only some servers ask for proof of work.
    const body = operation.requestBody?.content['application/json']?.schema
    if (body?.required) {
      body.required = body.required.filter((key: string) => !/^(challenge|nonce)$/.test(key))
    }
    const frames = operation['x-websocket']?.frames
    if (!frames) continue
    const schema = { oneOf: frames }
    delete operation.responses['101']
    operation.responses['200'] = {
      description: 'A frame of the socket',
      content: { 'application/json': { schema } },
    }
  }
  return document
}

/** The folder of the generated code. */
export const generatedFolder = join(import.meta.dirname, '../gen')

/** The committed copy of the document: it shows in reviews what changes for clients. */
export const copyPath = join(generatedFolder, 'openapi.json')

/** Returns a document as the text of the copy: without its examples, which have a file. */
export function copyOf(document: Json): string {
  return `${JSON.stringify(document, withoutExamples, 1)}\n`
}

function withoutExamples(_key: string, value: Json): Json {
  if (!value?.schema) return value
  const { example: _, examples: __, ...rest } = value
  return rest
}

/** Returns the text of the copy; null if there is none. */
export function readCopy(): string | null {
  return existsSync(copyPath) ? readFileSync(copyPath, 'utf8') : null
}

/** Returns every operation of an OpenAPI document. */
export function operationsOf(document: Json): Json[] {
  return Object.values(document.paths).flatMap((methods) => Object.values(methods as Json))
}

/** Returns the names of an operation's header parameters. */
export function headersOf(document: Json, operation: Json): string[] {
  const parameters: Json[] = operation.parameters.map(({ $ref, ...own }: Json) => {
    return $ref ? document.components.parameters[$ref.split('/').at(-1)] : own
  })
  return parameters.filter((one) => one.in === 'header').map((one) => one.name)
}

/** Dependencies of routes that are declared but not called: every property is such a value. */
function unused(): never {
  const value: object = new Proxy(() => value, { get: () => value, apply: () => value })
  return value as never
}
