import { mkdirSync, readdirSync, readFileSync, renameSync, rmSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { createClient } from '@hey-api/openapi-ts'
import { type Json, operationsOf, readCopy } from './copy.ts'

// Generates the code of the client in gen/ from the copy of the OpenAPI document. A new folder
// takes the place of the old one when it is complete.
const root = join(import.meta.dirname, '..')
const target = join(root, 'gen')
const made = join(root, '.coffer/gen')

const document = clientDocument(JSON.parse(readCopy() ?? '{}'))
rmSync(made, { recursive: true, force: true })
mkdirSync(made, { recursive: true })
await createClient({
  input: document,
  output: { path: made, importFileExtension: '.ts', entryFile: false },
  plugins: ['@hey-api/typescript', '@hey-api/client-fetch', '@hey-api/sdk'],
  logs: { level: 'error', file: false },
})
writeFileSync(join(made, 'operations.gen.ts'), tableOf(document))
loosen(made)
rmSync(target, { recursive: true, force: true })
renameSync(made, target)

/**
 * Returns the input of the generator. OpenAPI has no frames of sockets, so the frames are shown as
 * the answer 200 of the operation.
 */
function clientDocument(api: Json): Json {
  for (const operation of operationsOf(api)) {
    // Only some servers require proof of work, so its keys are optional in the client.
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
  return api
}

/** Returns the tables of operations that the client's own code reads. */
function tableOf(api: Json): string {
  const keyed = operationsOf(api).filter((one) => headersOf(api, one).includes('Idempotency-Key'))
  const sockets = Object.entries(api.paths).flatMap(([path, methods]) =>
    Object.values(methods as object)
      .filter((one) => one['x-websocket'])
      .map((one) => `  ${one.operationId}: '${path}',`),
  )
  const streams = operationsOf(api).filter(
    (one) => one.responses['200']?.content?.['text/event-stream'],
  )
  const pageSizes = operationsOf(api).flatMap((one) => {
    const limit = one.parameters?.find(({ name }: { name: string }) => name === 'limit')
    return limit ? [`  ${one.operationId}: ${limit.schema.maximum},`] : []
  })
  return [
    '/** IDs of the operations that accept an Idempotency-Key. */',
    'export const keyed: ReadonlySet<string> = new Set([',
    ...keyed.map((one) => `  '${one.operationId}',`),
    '])',
    '',
    '/** Paths of the sockets by operation ID. */',
    'export const sockets = {',
    ...sockets,
    '} as const',
    '',
    '/** IDs of the operations that answer with server-sent events. */',
    'export const streams = {',
    ...streams.map((one) => `  ${one.operationId}: true,`),
    '} as const',
    '',
    '/** Largest page of each list by operation ID. */',
    'export const pageSizes: Record<string, number> = {',
    ...pageSizes,
    '}',
    '',
  ].join('\n')
}

/** Returns the names of an operation's header parameters. */
function headersOf(api: Json, operation: Json): string[] {
  const parameters: Json[] = operation.parameters.map(({ $ref, ...own }: Json) => {
    return $ref ? api.components.parameters[$ref.split('/').at(-1)] : own
  })
  return parameters.filter((one) => one.in === 'header').map((one) => one.name)
}

/** Disables type checks in the generated code, which does not fit the compiler options here. */
function loosen(folder: string): void {
  for (const name of readdirSync(folder, { recursive: true, encoding: 'utf8' })) {
    if (!name.endsWith('.ts')) continue
    const path = join(folder, name)
    writeFileSync(path, `// @ts-nocheck\n${readFileSync(path, 'utf8')}`)
  }
}
