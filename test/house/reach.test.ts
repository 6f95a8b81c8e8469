import { expect, test } from '@jest/globals'
import { parseModule } from './modules.ts'
import { deadFiles, unusedExports } from './reach.ts'

function modules(files: Record<string, string>) {
  return Object.entries(files).map(([path, text]) => parseModule({ path, text }))
}

const entry = 'deploy/cli/src/coffer.ts'

test('files reached through imports, packages and worker paths are alive', () => {
  const all = modules({
    [entry]: "import { serve } from '@coffer/kit/serve'\nserve()",
    'services/kit/src/serve.ts':
      "export function serve() { return new URL('./hash.worker.ts', import.meta.url) }",
    'services/kit/src/hash.worker.ts': 'export function hash() {}',
  })
  expect(deadFiles(all, [entry])).toEqual([])
  expect(unusedExports(all, [entry])).toEqual([])
})

test('a file that only its own test imports is dead', () => {
  const all = modules({
    'services/kit/src/money.ts': 'export const a = 1',
    'services/kit/src/money.test.ts': "import { a } from './money.ts'\na",
  })
  expect(deadFiles(all, [])).toEqual(['services/kit/src/money.ts: no file imports it'])
})

test('files that only import each other are dead', () => {
  const all = modules({
    'services/kit/src/a.ts': "import { b } from './b.ts'\nexport const a = () => b",
    'services/kit/src/b.ts': "import { a } from './a.ts'\nexport const b = () => a",
  })
  expect(deadFiles(all, [])).toHaveLength(2)
})

test('an export without an import is reported, one of a namespace import is not', () => {
  const money = 'export const a = 1\nexport const b = 2\nexport type C = 1'
  const path = 'services/kit/src/money.ts'
  const some = modules({ [path]: money, [entry]: "import { a } from '@coffer/kit/money'\na" })
  expect(unusedExports(some, [entry])).toEqual([`${path}: no file imports b`])
  const whole = modules({ [path]: money, [entry]: "import * as m from '@coffer/kit/money'\nm" })
  expect(unusedExports(whole, [entry])).toEqual([])
})
