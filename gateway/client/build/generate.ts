import { readdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { createClient } from '@hey-api/openapi-ts'
import {
  clientDocument,
  documentHash,
  generatedFolder,
  headersOf,
  isCurrent,
  operationsOf,
} from './document.ts'

// Renews the generated code, unless it was generated from the document of today's gateway.
const document = clientDocument()
if (!isCurrent(document)) await generate()

async function generate(): Promise<void> {
  const hash = documentHash(document)
  const keyed = operationsOf(document).filter((one) => {
    return headersOf(document, one).includes('Idempotency-Key')
  })
  const sockets = Object.entries(document.paths).flatMap(([path, methods]) =>
    Object.values(methods as object)
      .filter((one) => one['x-websocket'])
      .map((one) => `  ${one.operationId}: '${path}',`),
  )
  rmSync(generatedFolder, { recursive: true, force: true })
  await createClient({
    input: document,
    output: { path: generatedFolder, importFileExtension: '.ts', entryFile: false },
    plugins: ['@hey-api/typescript', '@hey-api/client-fetch', '@hey-api/sdk'],
    logs: { level: 'error', file: false },
  })
  const table = [
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
  ]
  writeFileSync(join(generatedFolder, 'operations.gen.ts'), table.join('\n'))
  loosen(generatedFolder)
  writeFileSync(join(generatedFolder, 'source.sha256'), `${hash}\n`)
}

/** The compiler options here are stricter than those that the generated code is written for. */
function loosen(folder: string): void {
  for (const name of readdirSync(folder, { recursive: true, encoding: 'utf8' })) {
    if (!name.endsWith('.ts')) continue
    const path = join(folder, name)
    writeFileSync(path, `// @ts-nocheck\n${readFileSync(path, 'utf8')}`)
  }
}
