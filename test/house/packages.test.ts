import { expect, test } from '@jest/globals'
import { parseModule } from './modules.ts'
import {
  badImports,
  idleDependencies,
  kitFaults,
  lostLinks,
  parsePackage,
  readmeFaults,
} from './packages.ts'

function pack(directory: string, dependencies: string[], devDependencies: string[] = []) {
  const each = (names: string[]) => Object.fromEntries(names.map((name) => [name, '1']))
  return parsePackage({
    path: directory === '' ? 'package.json' : `${directory}/package.json`,
    text: JSON.stringify({
      name: directory,
      dependencies: each(dependencies),
      devDependencies: each(devDependencies),
    }),
  })
}

const packages = [pack('', [], ['@jest/globals']), pack('gateway', ['zod', '@coffer/kit'])]

function faults(path: string, text: string) {
  const there = parseModule({ path: 'gateway/src/there.ts', text: '' })
  return badImports([parseModule({ path, text }), there], packages)
}

test.each([
  "import { z } from 'zod'",
  "import { money } from '@coffer/kit/money'",
  "import { readFile } from 'node:fs/promises'",
  "import { a } from './there.ts'",
])('%s is accepted', (text) => {
  expect(faults('gateway/src/app.ts', text)).toEqual([])
})

test.each([
  ["import pg from 'pg'", 'pg is not in package.json'],
  ["import type { Pool } from '@types/pg/x'", '@types/pg/x is not in package.json'],
  ["import { test } from '@jest/globals'", '@jest/globals is not in package.json'],
  ["import { a } from './gone.ts'", './gone.ts is not there'],
  ["import { a } from './there.js'", './there.js is not there'],
  ["import { a } from '../../services/kit/src/id.ts'", 'leaves the package'],
  ["import { readFile } from 'fs/promises'", 'fs/promises wants the node: prefix'],
])('%s is a fault', (text, fault) => {
  expect(faults('gateway/src/app.ts', text)).toEqual([expect.stringContaining(fault)])
})

test('tests may import dependencies of the root', () => {
  const text = "import { test } from '@jest/globals'"
  expect(faults('gateway/src/app.test.ts', text)).toEqual([])
})

test('a dependency without an import is reported, once the package has code', () => {
  expect(idleDependencies([], packages)).toEqual([])
  const app = parseModule({ path: 'gateway/src/app.ts', text: "import { z } from 'zod'\nz" })
  expect(idleDependencies([app], packages)).toEqual([
    'gateway/package.json: nothing imports @coffer/kit',
  ])
})

test('a package with code has a README of at most 120 lines', () => {
  const code = { path: 'gateway/src/app.ts', text: '' }
  const readme = (lines: number) => ({ path: 'gateway/README.md', text: 'a\n'.repeat(lines) })
  expect(readmeFaults([], packages)).toEqual([])
  expect(readmeFaults([code], packages)).toEqual(['gateway/README.md is missing'])
  expect(readmeFaults([code, readme(120)], packages)).toEqual([])
  expect(readmeFaults([code, readme(121)], packages)).toEqual(['gateway/README.md: 121 lines'])
})

test('each room of kit has a bound of exports, and its code imports nothing of the host', () => {
  const room = (name: string, count: number) => {
    const names = Array.from({ length: count }, (_, index) => `export const a${index} = 1`)
    return parseModule({ path: `services/kit/src/${name}`, text: names.join('\n') })
  }
  const full = room('events/a.ts', 12)
  const ofTest = room('events/b.test.ts', 1)
  expect(kitFaults([full, room('events/b.ts', 1), ofTest])).toEqual([])
  expect(kitFaults([full, room('events/b.ts', 2), room('budgets/a.ts', 1)])).toEqual([
    'services/kit/src/events: 14 exports, of 13 at most',
    'services/kit/src/budgets is no room of kit',
  ])
  const text = "import { serve } from '@coffer/host/serve'"
  const imports = ['src', 'testing', 'test'].map((folder) => {
    return parseModule({ path: `services/kit/${folder}/events/a.ts`, text })
  })
  expect(kitFaults(imports)).toEqual([
    'services/kit/src/events/a.ts:1: @coffer/host/serve belongs to the host',
    'services/kit/testing/events/a.ts:1: @coffer/host/serve belongs to the host',
  ])
})

test('a link of the lockfile leads to a package', () => {
  const lock = (link: string) => `importers:\n  gateway:\n${' '.repeat(8)}version: link:${link}\n`
  expect(lostLinks(lock('..'), [pack('', [])])).toEqual(['gateway: link:.. leads to no package'])
  expect(lostLinks(lock('../services/kit'), [pack('services/kit', [])])).toEqual([])
})
