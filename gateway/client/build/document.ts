import { createHash } from 'node:crypto'
import { existsSync, readFileSync } from 'node:fs'
import { join } from 'node:path'
import { openapi } from '@coffer/gateway/http/openapi/document'
import { createRoutes } from '@coffer/gateway/http/routes'

// biome-ignore lint/suspicious/noExplicitAny: a JSON document, read key by key
type Json = any

/**
 * Returns the OpenAPI document of the gateway's source, with generator input for sockets: OpenAPI
 * has no frames, so the frames are shown as the answer 200 of the operation.
 */
export function clientDocument(): Json {
  const document: Json = openapi(createRoutes(unused()), {
    cookieName: 'coffer_session',
    externalUrl: '/',
  } as never)
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

/** Returns whether the committed code was generated from this document. */
export function isCurrent(document: Json): boolean {
  const path = join(generatedFolder, 'source.sha256')
  return existsSync(path) && readFileSync(path, 'utf8').trim() === documentHash(document)
}

/** Returns the SHA-256 of a document. */
export function documentHash(document: Json): string {
  return createHash('sha256').update(JSON.stringify(document)).digest('hex')
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
