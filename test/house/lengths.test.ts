import { expect, test } from '@jest/globals'
import { countLines, longFiles, longFunctions, proportionFaults } from './lengths.ts'

function code(text: string) {
  return { path: 'a.ts', text }
}

test('a file may have 300 lines, not 301', () => {
  expect(longFiles(code('a\n'.repeat(300)))).toEqual([])
  expect(longFiles(code('a\n'.repeat(301)))).toEqual(['a.ts: 301 lines'])
})

test('a line may have 100 columns, not 101', () => {
  expect(longFiles(code(`ok\n${'é'.repeat(100)}`))).toEqual([])
  expect(longFiles(code(`ok\n${'é'.repeat(101)}`))).toEqual(['a.ts:2: 101 columns'])
})

test('a line of Markdown may have 120 columns, not 121', () => {
  const page = (text: string) => longFiles({ path: 'a.md', text })
  expect(page(`# A\n${'é'.repeat(120)}`)).toEqual([])
  expect(page(`# A\n${'é'.repeat(121)}`)).toEqual(['a.md:2: 121 columns'])
})

test('tables and code blocks in Markdown may be wider, the text after them may not', () => {
  const wide = 'a'.repeat(121)
  const text = `| ${wide} |\n\n- a\n  \`\`\`sh\n${wide}\n  \`\`\`\n${wide}\n`
  expect(longFiles({ path: 'a.md', text })).toEqual(['a.md:7: 121 columns'])
})

test('a table in the README of a package may have 120 columns, not 121', () => {
  const table = (columns: number) => `| ${'é'.repeat(columns - 4)} |\n`
  const check = (path: string, columns: number) => longFiles({ path, text: table(columns) })
  expect(check('services/a/README.md', 120)).toEqual([])
  expect(check('services/a/README.md', 121)).toEqual(['services/a/README.md:1: 121 columns'])
  expect(check('README.md', 121)).toEqual([])
  expect(check('docs/README.md', 121)).toEqual([])
  expect(check('docs/a.md', 121)).toEqual([])
})

test('a code block in the README of a package may be wider', () => {
  const text = `\`\`\`sh\n| ${'a'.repeat(121)} |\n\`\`\`\n`
  expect(longFiles({ path: 'a/README.md', text })).toEqual([])
})

test('migrations and manifests may be longer', () => {
  expect(longFiles({ path: '0001-a.sql', text: 'a'.repeat(200) })).toEqual([])
  expect(longFiles({ path: 'package.json', text: 'a\n'.repeat(400) })).toEqual([])
})

const body = (lines: number) => '\n  a()'.repeat(lines)

test.each([
  ['a function', (inner: string) => `function f() {${inner}\n}`],
  ['an arrow function', (inner: string) => `const f = () => {${inner}\n}`],
  ['a method', (inner: string) => `class A { f() {${inner}\n} }`],
  ['a function inside another expression', (inner: string) => `g(1, async () => {${inner}\n})`],
])('%s may have 70 lines, not 71', (_, write) => {
  expect(longFunctions(code(write(body(68))))).toEqual([])
  expect(longFunctions(code(write(body(69))))).toEqual(['a.ts:1: a function of 71 lines'])
})

test('braces in strings, templates and regular expressions do not count', () => {
  const text = "function f() { return '}' + '{' + `{{` + /[{]/.source }\n".repeat(80)
  expect(longFunctions(code(text))).toEqual([])
})

test('the changelog may have any number of lines, another file 300', () => {
  const text = 'x\n'.repeat(301)
  expect(longFiles({ path: 'CHANGELOG.md', text })).toEqual([])
  expect(longFiles({ path: 'docs/a.md', text })).toEqual(['docs/a.md: 301 lines'])
})

test('a describe block may be longer, the functions in it may not', () => {
  const long = `test('x', () => {${body(69)}\n})`
  expect(longFunctions(code(`describe('x', () => {${body(100)}\n})`))).toEqual([])
  expect(longFunctions(code(`describe('x', () => {\n${long}\n})`))).toHaveLength(1)
})

test('tests are files of test and testing folders and those named so', () => {
  const paths = ['a/src/a.ts', 'a/src/a.test.ts', 'a/test/b.ts', 'a/testing/c.mjs', 'a/test/d.sql']
  const files = paths.map((path, at) => ({ path, text: 'x\n'.repeat(10 ** at) }))
  expect(countLines(files)).toEqual({ source: 1, tests: 1110 })
})

test.each([
  [1250, 1.25, []],
  [
    1251,
    1.25,
    ['1251 lines of tests, 1000 of source: 1.251, more than 1.25: remove tests that repeat others'],
  ],
  [1231, 1.25, []],
  [1229, 1.25, ['1229 lines of tests, 1000 of source: 1.229: lower the bound to 1.24']],
  [1100, 1.25, ['1100 lines of tests, 1000 of source: 1.100: lower the bound to 1.2']],
  [1100, 1.2, []],
])('%i lines of tests for 1000 of source with bound %d', (tests, bound, faults) => {
  expect(proportionFaults({ tests, source: 1000 }, bound)).toEqual(faults)
})
