import { expect, test } from '@jest/globals'
import { danglingLinks, missingNames } from './links.ts'

const page = {
  path: 'docs/page.md',
  text: '# The page\n\n## Who asks, and what?\n\n## Twice\n## Twice',
}
const code = { path: 'services/kit/src/id.ts', text: '' }
const statements = { path: 'services/kit/src/rows.sql.ts', text: '' }

function faults(text: string) {
  return danglingLinks([{ path: 'docs/other.md', text: `# Other\n${text}` }, page, code])
}

test.each([
  '[page](page.md)',
  '[heading](page.md#who-asks-and-what)',
  '[second](page.md#twice-1)',
  '[itself](#other)',
  '[up](../docs/page.md#the-page)',
  '[directory](../services/kit)',
  '[root](../)',
  '[outside](https://example.com/x.md#y)',
  '`[code](gone.md)`',
  '```\n[code](gone.md)\n```',
])('%j is a valid link', (text) => {
  expect(faults(text)).toEqual([])
})

test.each([
  ['[page](gone.md)', 'docs/other.md: gone.md: no such file'],
  ['[page](../services/gone)', 'docs/other.md: ../services/gone: no such file'],
  ['[heading](page.md#gone)', 'docs/other.md: page.md#gone: no such heading'],
  ['[heading](page.md#twice-2)', 'docs/other.md: page.md#twice-2: no such heading'],
  ['[itself](#gone)', 'docs/other.md: #gone: no such heading'],
  [
    '[code](../services/kit/src/id.ts#l1)',
    'docs/other.md: ../services/kit/src/id.ts#l1: no such heading',
  ],
])('%s is a dangling link', (text, fault) => {
  expect(faults(text)).toEqual([fault])
})

test.each([
  ['`services/kit/src/id.ts` and `src/id.ts`', []],
  ['`id.ts` beside it, `src/rows.sql` with its suffix', []],
  ['`d.ts`, `kit/gone.ts`', ['d.ts', 'kit/gone.ts']],
  ['the suffix `.sql.ts`, the call `id.next()`, the key `a.b`', []],
  ['```\n`gone.ts`\n```', []],
])('names of files in %j', (text, missing) => {
  const faulty = missing.map((name) => `docs/other.md: ${name} is not there`)
  expect(missingNames({ path: 'docs/other.md', text }, [code, statements])).toEqual(faulty)
})
