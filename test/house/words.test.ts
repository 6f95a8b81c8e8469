import { expect, test } from '@jest/globals'
import { bannedWords, literalTexts } from './words.ts'

test.each([
  '// TODO later',
  '/* FIXME */',
  'const a = 1 /* HACK */',
  "jest.mock('./money.ts')",
  "test.skip('money', () => {})",
  "describe.only('money', () => {})",
  "xit('money', () => {})",
  '  debugger',
  "const home = '/root/coffer'",
  'see /home/ann/notes.md',
  'cd /work/coffer',
  'https://registry.npmjs.org/zod',
  'as the reference server does',
  '// the row is kept until somebody asks',
  '/** What a save returns. */',
  ' * Whose lock it takes.',
  '// First the lock. What comes next is decided on it.',
  '// a desk with transactions on it',
  '// by the table of spec/ledger.md',
  '// the steps of ledger.md 5.3',
  '// (design 4)',
  'const nothing = { ...{ created: [], updated: [] } }',
])('%s is reported', (line) => {
  expect(bannedWords({ path: 'gateway/src/app.ts', text: `const ok = 1\n${line}` })).toEqual([
    expect.stringMatching(/^gateway\/src\/app\.ts:2: /),
  ])
})

test.each([
  "user: 'nobody'",
  '// whatever comes next',
  'f(...[...rows, last])',
  'a todo list',
  '/api/home/x',
  'the work/life of a hacker',
  'outfit(',
  'https://go.dev',
])('%s is fine', (text) => {
  expect(bannedWords({ path: 'README.md', text })).toEqual([])
})

test('only the benchmarks name the reference server', () => {
  const text = 'The reference server answers in 4 ms.'
  expect(bannedWords({ path: 'docs/benchmarks/benchmarks.md', text })).toEqual([])
  expect(bannedWords({ path: 'docs/security.md', text })).toHaveLength(1)
})

test('services address rows by their keys', () => {
  const text = 'SELECT xmin FROM links WHERE ctid = $1'
  expect(bannedWords({ path: 'services/ledger/src/link.sql.ts', text })).toHaveLength(1)
  expect(bannedWords({ path: 'services/ledger/test/link.test.ts', text })).toEqual([])
})

test.each([
  ['<p>Save it</p>', 1],
  ['<Field label="Name" name="name" />', 1],
  ['<p>Coffer · {words.text}</p>', 0],
])('%s has %i texts beside the catalogues', (element, count) => {
  const file = { path: 'gateway/web/src/shell/a.tsx', text: `const a = ${element}\n` }
  expect(literalTexts(file)).toHaveLength(count)
})
