import { spawnSync } from 'node:child_process'
import { cpSync, mkdirSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { dirname, join } from 'node:path'
import { afterAll, beforeAll, expect, test } from '@jest/globals'

const root = join(import.meta.dirname, '../..')
const imports = 'lint/style/noRestrictedImports'
const globals = 'lint/style/noRestrictedGlobals'
const properties = 'lint/nursery/noJsRestrictedProperties'

/** Files with a fault that Biome must find: path, text, and the lint rule that it breaks. */
const refused: [string, string, string][] = [
  ['services/ledger/src/NAME.ts', "import { sql } from 'slonik'", imports],
  ['services/ledger/src/NAME.ts', "import { randomBytes } from 'node:crypto'", imports],
  ['services/ledger/src/NAME.ts', "import { readFile } from 'node:fs/promises'", imports],
  ['services/ledger/src/NAME.ts', "import { connect } from '@nats-io/transport-node'", imports],
  ['services/ledger/src/NAME.ts', "import { pool } from '@coffer/kit/database/database'", imports],
  ['services/ledger/src/NAME.ts', "import { config } from './config.ts'", imports],
  ['services/ledger/src/NAME.ts', "import { findLink } from './link.sql.ts'", imports],
  ['services/ledger/src/money/NAME.ts', "import { a } from '../links/a.sql.ts'", imports],
  ['services/ledger/src/money/NAME.ts', "import { config } from '../config.ts'", imports],
  ['services/ledger/src/NAME.ts', "import { plan } from '@coffer/budgeting/plan'", imports],
  ['services/ledger/src/NAME.ts', "export const later = import('pg')", imports],
  ['services/ledger/src/NAME.ts', 'export const now = Date.now()', properties],
  ['services/ledger/src/NAME.ts', 'export const dice = Math.random()', properties],
  ['services/ledger/src/NAME.ts', 'export const now = new Date()', 'plugin'],
  ['services/ledger/src/NAME.ts', 'export const now = DateTime.now()', 'plugin'],
  ['services/ledger/src/NAME.ts', 'export const id = crypto.randomUUID()', globals],
  ['services/ledger/src/NAME.ts', 'export const start = performance.now()', globals],
  ['services/ledger/src/NAME.ts', 'export const where = process.cwd()', globals],
  ['services/ledger/src/NAME.ts', 'setTimeout(later, 1)', globals],
  ['services/ledger/src/NAME.sql.ts', 'export const now = new Date()', 'plugin'],
  ['services/ledger/src/NAME.sql.ts', "import { routes } from './link.rpc.ts'", imports],
  ['services/ledger/src/NAME.sql.ts', "import { drop } from './link.activities.ts'", imports],
  ['services/ledger/src/NAME.workflow.ts', "import { drop } from './link.activities.ts'", 'plugin'],
  ['services/ledger/src/NAME.workflow.ts', "import { type A, b } from './b.sql.ts'", 'plugin'],
  ['services/ledger/src/NAME.workflow.ts', "import { readFile } from 'node:fs'", 'plugin'],
  ['services/ledger/src/NAME.workflow.ts', "import { serve } from './service.ts'", 'plugin'],
  [
    'services/ledger/src/NAME.workflow.ts',
    "import { createPace } from '@coffer/kit/service/pace'",
    'plugin',
  ],
  ['services/ledger/src/money/NAME.workflow.ts', "import { a } from '../service.ts'", 'plugin'],
  ['services/ledger/src/money/NAME.workflow.ts', "import { a } from '../b/a.sql.ts'", 'plugin'],
  ['services/ledger/src/NAME.workflow.ts', "export const later = import('pg')", 'plugin'],
  ['services/ledger/src/NAME.workflow.ts', "export { a } from './link.sql.ts'", 'plugin'],
  ['services/ledger/src/NAME.workflow.ts', 'export const id = crypto.randomUUID()', globals],
  ['services/ledger/src/NAME.rpc.ts', "import { plan } from '@coffer/budgeting/plan'", imports],
  ['services/ledger/src/NAME.rpc.ts', "import { env } from 'node:process'", imports],
  ['services/kit/src/NAME.ts', "import { plan } from '@coffer/budgeting/plan'", imports],
  ['services/ledger/test/NAME.ts', "import { plan } from '@coffer/budgeting/plan'", imports],
  ['gateway/src/NAME.ts', "import { plan } from '@coffer/budgeting/plan'", imports],
  ['gateway/src/NAME.ts', 'export const port = process.env.PORT', 'lint/style/noProcessEnv'],
  ['gateway/src/NAME.ts', 'export default 1', 'lint/style/noDefaultExport'],
  ['gateway/src/NAME.ts', "console.info('hello')", 'lint/suspicious/noConsole'],
  ['gateway/src/NAME.ts', "export * from './app.ts'", 'lint/performance/noReExportAll'],
  ['gateway/src/NAME.ts', "export { a } from './app.ts'", 'lint/performance/noBarrelFile'],
  ['gateway/src/NAME.ts', 'export enum A {}', 'lint/style/noEnum'],
  ['gateway/src/NAME.ts', 'export let a: any', 'lint/suspicious/noExplicitAny'],
  ['gateway/src/NAME.ts', 'async function f() {}\nf()', 'lint/nursery/noFloatingPromises'],
  ['gateway/src/NAME.ts', 'export function f(a, b, c, d, e) {}', 'lint/complexity/useMaxParams'],
  ['gateway/src/camelCase.ts', 'export const a = 1', 'lint/style/useFilenamingConvention'],
  ['gateway/src/NAME.test.ts', "jest.mock('./app.ts')", properties],
  ['gateway/src/NAME.test.ts', "test.only('a', () => {})", 'lint/suspicious/noFocusedTests'],
  ['gateway/src/NAME.test.ts', "test.skip('a', () => {})", 'lint/suspicious/noSkippedTests'],
]

const allowed: [string, string][] = [
  ['services/ledger/src/NAME.ts', "import { z } from 'zod'\nexport const a = z"],
  ['services/ledger/src/NAME.ts', "import { b } from './link.ts'\nexport const a = b"],
  [
    'services/ledger/src/NAME.ts',
    "import { b } from '@coffer/kit/values/money'\nexport const a = b",
  ],
  ['services/ledger/src/NAME.ts', "import { b } from '@coffer/proto/link'\nexport const a = b"],
  [
    'services/ledger/src/NAME.ts',
    "import { createHash } from 'node:crypto'\nexport const a = createHash('sha256')",
  ],
  ['services/ledger/src/NAME.ts', 'export const a = (day: number) => new Date(day)'],
  ['services/ledger/src/NAME.sql.ts', "import { sql } from 'slonik'\nexport const a = sql"],
  ['services/ledger/src/NAME.rpc.ts', 'export const a = () => new Date()'],
  ['services/ledger/src/NAME.rpc.ts', "import { b } from './b.sql.ts'\nexport const a = b"],
  ['services/ledger/src/NAME.workflow.ts', "import { b } from './b.ts'\nexport const a = b"],
  [
    'services/ledger/src/NAME.workflow.ts',
    "import { sleep } from '@temporalio/workflow'\nexport const a = sleep",
  ],
  [
    'services/ledger/src/NAME.workflow.ts',
    "import { b } from '@coffer/kit/workflows/repeated-run'\nexport const a = b",
  ],
  [
    'services/ledger/src/NAME.workflow.ts',
    "import type { A } from './link.activities.ts'\nexport const a = (b: A) => b",
  ],
  ['services/ledger/src/config.ts', 'export const a = process.env'],
  ['deploy/cli/src/NAME.ts', "import { b } from '@coffer/ledger/service'\nexport const a = b"],
  ['deploy/cli/src/NAME.ts', "console.info('hello')"],
  ['test/NAME.ts', 'export const a = process.env'],
  ['services/kit/testing/NAME.ts', 'export const a = process.env'],
]

const directory = mkdtempSync(join(tmpdir(), 'coffer-lint-'))
const bad = refused.map(([path, text, rule], index) => {
  return { file: path.replace('NAME', `refused-${index}`), text, rule }
})
const good = allowed.map(([path, text], index) => {
  return { file: path.replace('NAME', `allowed-${index}`), text }
})
let found: Map<string, string[]>

beforeAll(() => {
  cpSync(join(root, 'biome.json'), join(directory, 'biome.json'))
  cpSync(join(root, 'test/lint'), join(directory, 'test/lint'), { recursive: true })
  for (const { file, text } of [...bad, ...good]) {
    mkdirSync(dirname(join(directory, file)), { recursive: true })
    writeFileSync(join(directory, file), `${text}\n`)
  }
  found = lint()
})

afterAll(() => rmSync(directory, { recursive: true }))

/** Runs Biome. Returns the names of the broken rules by file. */
function lint(): Map<string, string[]> {
  const options = ['lint', '--vcs-enabled=false', '--reporter=json', '--max-diagnostics=none']
  const biome = join(root, 'node_modules/.bin/biome')
  const { stdout } = spawnSync(biome, [...options, '.'], { cwd: directory, encoding: 'utf8' })
  const rules = new Map<string, string[]>()
  for (const { category, location } of JSON.parse(stdout).diagnostics) {
    rules.set(location.path, [...(rules.get(location.path) ?? []), category])
  }
  return rules
}

test.each(bad)('$rule refuses in $file: $text', ({ file, rule }) => {
  expect(found.get(file)).toContain(rule)
})

test.each(good)('no rule refuses in $file: $text', ({ file }) => {
  expect(found.get(file) ?? []).toEqual([])
})
