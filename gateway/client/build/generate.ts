import { readdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { createClient } from '@hey-api/openapi-ts'
import { breakingChanges } from './breaking-changes.ts'
import {
  apiDocument,
  clientDocument,
  copyOf,
  copyPath,
  generatedFolder,
  headersOf,
  operationsOf,
  readCopy,
} from './document.ts'

// Renews the copy of the OpenAPI document and the code generated from it, unless they are those of
// today's gateway. With `--breaking` it also accepts changes that take something from clients.
const api = apiDocument()
const copy = readCopy()
if (copy !== copyOf(api)) {
  const faults = copy === null ? [] : breakingChanges(JSON.parse(copy), api)
  const isAccepted = faults.length === 0 || process.argv.includes('--breaking')
  if (isAccepted) await generate(clientDocument())
  else refuse(faults)
}

function refuse(faults: string[]): void {
  const lines = [
    'These changes of the API break clients (docs/api/clients.md#breaking-changes):',
    ...faults.map((fault) => `- ${fault}`),
    'Undo them, or accept them by: npm run generate -- --breaking',
  ]
  process.stderr.write(`${lines.join('\n')}\n`)
  process.exitCode = 1
}

async function generate(document: ReturnType<typeof clientDocument>): Promise<void> {
  const keyed = operationsOf(document).filter((one) => {
    return headersOf(document, one).includes('Idempotency-Key')
  })
  const sockets = Object.entries(document.paths).flatMap(([path, methods]) =>
    Object.values(methods as object)
      .filter((one) => one['x-websocket'])
      .map((one) => `  ${one.operationId}: '${path}',`),
  )
  const pageSizes = operationsOf(document).flatMap((one) => {
    const limit = one.parameters?.find(({ name }: { name: string }) => name === 'limit')
    return limit ? [`  ${one.operationId}: ${limit.schema.maximum},`] : []
  })
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
    '/** Largest page of each list by operation ID. */',
    'export const pageSizes: Record<string, number> = {',
    ...pageSizes,
    '}',
    '',
  ]
  writeFileSync(join(generatedFolder, 'operations.gen.ts'), table.join('\n'))
  loosen(generatedFolder)
  writeFileSync(copyPath, copyOf(api))
}

/** The compiler options here are stricter than those that the generated code is written for. */
function loosen(folder: string): void {
  for (const name of readdirSync(folder, { recursive: true, encoding: 'utf8' })) {
    if (!name.endsWith('.ts')) continue
    const path = join(folder, name)
    writeFileSync(path, `// @ts-nocheck\n${readFileSync(path, 'utf8')}`)
  }
}
