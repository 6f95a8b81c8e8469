import { readFileSync } from 'node:fs'
import { reasons } from '@coffer/kit/reasons/reasons'
import { expect, test } from '@jest/globals'
import { refusals as german } from '../../web/src/words/languages/de/refusals.ts'
import { refusals as english } from '../../web/src/words/languages/en/refusals.ts'

const namesOf = (text: string) => [...text.matchAll(/\{(\w+)\}/g)].map(([, name]) => name)

test.each([
  ['English', english],
  ['German', german],
])('the app says each declared code in %s, with values of its sentence', (_, texts) => {
  expect(Object.keys(texts).sort()).toEqual(Object.keys(reasons).sort())
  for (const [code, sentence] of Object.entries(reasons)) {
    const said = namesOf(texts[code as keyof typeof texts])
    expect({ code, said }).toEqual({
      code,
      said: said.filter((one) => namesOf(sentence).includes(one)),
    })
  }
})

test('the pages about refusals list each declared code with its sentence', () => {
  const pages = ['refusals.md', 'refusals-by-subject.md', 'codes-of-texts.md'].map((page) =>
    readFileSync(new URL(`../../../docs/api/${page}`, import.meta.url), 'utf8'),
  )
  const rows = [...pages.join('\n').matchAll(/^\| `([A-Z_]+)` +\| (.+?) +\|$/gm)]
  const listed = Object.fromEntries(rows.map(([, code, sentence]) => [code, sentence]))
  expect(listed).toEqual(reasons)
})
