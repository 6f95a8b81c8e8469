import { expect, test } from '@jest/globals'
import { parseModule, resolve } from './modules.ts'

function parse(text: string) {
  return parseModule({ path: 'services/ledger/src/a.ts', text })
}

test('imports of every form are found', () => {
  const text = [
    "import { a, type B } from './one.ts'",
    "import * as two from './two.ts'",
    "import three from './three.ts'",
    "import './four.ts'",
    "export { five } from './five.ts'",
    "export * from './six.ts'",
    "const seven = await import('./seven.ts')",
  ]
  expect(parse(text.join('\n')).imports).toEqual([
    { specifier: './one.ts', names: ['a', 'B'], line: 1 },
    { specifier: './two.ts', names: 'all', line: 2 },
    { specifier: './three.ts', names: ['default'], line: 3 },
    { specifier: './four.ts', names: [], line: 4 },
    { specifier: './five.ts', names: ['five'], line: 5 },
    { specifier: './six.ts', names: 'all', line: 6 },
    { specifier: './seven.ts', names: 'all', line: 7 },
  ])
})

test('exported values are listed, types are not', () => {
  const text =
    'export function f() {}\nexport const g = 1\nexport type T = 1\nexport interface I {}'
  expect(parse(text).exports).toEqual(['f', 'g'])
})

test('a default export is found', () => {
  expect(parse('export default 1').hasDefaultExport).toBe(true)
  expect(parse('const a = 1\nexport { a as default }').hasDefaultExport).toBe(true)
  expect(parse('export const a = 1').hasDefaultExport).toBe(false)
})

test('a file of re-exports alone is a barrel', () => {
  expect(parse("export { a } from './a.ts'\nexport * from './b.ts'").isBarrel).toBe(true)
  expect(parse("import { a } from './a.ts'\nexport { a }").isBarrel).toBe(true)
  expect(parse("export { a } from './a.ts'\nexport const b = 1").isBarrel).toBe(false)
  expect(parse("import './a.ts'").isBarrel).toBe(false)
})

test('a file that does not parse is refused', () => {
  expect(() => parse('const = 1')).toThrow('services/ledger/src/a.ts')
})

test.each([
  ['./money.ts', 'services/ledger/src/money.ts'],
  ['../test/boot.ts', 'services/ledger/test/boot.ts'],
  ['@coffer/kit/money', 'services/kit/src/money.ts'],
  ['@coffer/kit/testing/boot', 'services/kit/testing/boot.ts'],
  ['@coffer/cli/coffer', 'deploy/cli/src/coffer.ts'],
  ['@coffer/host/serve', 'services/host/src/serve.ts'],
  ['@coffer/gateway/app', 'gateway/src/app.ts'],
  ['<rootDir>/test/native-runtime.ts', 'test/native-runtime.ts'],
  ['@coffer/proto/ledger/v1/link', null],
  ['zod', null],
])('%s resolves to %s', (specifier, path) => {
  expect(resolve('services/ledger/src/a.ts', specifier)).toBe(path)
})
