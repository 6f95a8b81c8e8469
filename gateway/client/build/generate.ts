import { writeFileSync } from 'node:fs'
import { breakingChanges } from './breaking-changes.ts'
import { copyOf, copyPath, readCopy } from './copy.ts'
import { apiDocument } from './document.ts'

// Renews the copy of the OpenAPI document, unless it is that of today's gateway. With `--breaking`
// it also accepts changes that take something from clients.
const api = apiDocument()
const copy = readCopy()
if (copy !== copyOf(api)) {
  const faults = copy === null ? [] : breakingChanges(JSON.parse(copy), api)
  const isAccepted = faults.length === 0 || process.argv.includes('--breaking')
  if (isAccepted) writeFileSync(copyPath, copyOf(api))
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
