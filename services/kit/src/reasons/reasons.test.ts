import { expect, test } from '@jest/globals'
import { type ReasonCode, reasonOf, reasons, say } from './reasons.ts'

const sample = (name: string) =>
  /^(min|max|count|rows|columns|line)$/.test(name) ? '-15' : `${name}: “x” of 2 (y)`

test.each(Object.entries(reasons))('the sentence of %s is read back: %s', (code, sentence) => {
  const names = [...sentence.matchAll(/\{(\w+)\}/g)].map(([, name = '']) => name)
  const params = Object.fromEntries(names.map((name) => [name, sample(name)]))
  const text = say(code as 'NAME_TAKEN', params as { name: string })
  expect(text).not.toContain('{')
  expect(reasonOf(text)).toEqual({ code, params })
})

test('codes are in capitals, and each sentence has one', () => {
  for (const code of Object.keys(reasons)) expect(code).toMatch(/^[A-Z]+(_[A-Z]+)*$/)
  expect(new Set(Object.values(reasons)).size).toBe(Object.keys(reasons).length)
})

test.each<[string, ReasonCode | null]>([
  ['must have at most 20 tags', 'TAGS_TOO_MANY'],
  ['must be at most 300 characters', 'NAME_TOO_LONG'],
  ['must be at most three', null],
  [`is taken by another API key: ${'x'.repeat(2_000)}`, null],
  ['is taken by another API key: a\nb', 'API_KEY_NAME_TAKEN'],
  ['some other text', null],
  ['', null],
])('%j is of the code %s', (text, code) => {
  expect(reasonOf(text)?.code ?? null).toBe(code)
})
