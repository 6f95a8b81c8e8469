import { expect, test } from '@jest/globals'
import { readAnswer } from './feed-answer.ts'

const bytes = (text: string) => new TextEncoder().encode(text)
const nested = (depth: number) => '['.repeat(depth) + ']'.repeat(depth)

test('an answer of 32 levels is read, one of 33 is not', () => {
  const of = (depth: number) =>
    readAnswer(bytes(`{"transactions":${nested(depth)}}`), 'transactions')
  expect(of(31)).toEqual({ rows: [], isComplete: false })
  expect(of(32)).toBeNull()
  expect(of(2_000_000)).toBeNull()
})

test.each([
  [
    'brackets in a text',
    '{"balance":{"amount":1,"currency":"[[{{"}}'.replace('[[', '['.repeat(99)),
  ],
  ['an escaped quote before brackets', `{"a":"\\"${'['.repeat(99)}","balance":{"amount":1}}`],
  ['an escaped backslash before the end', '{"a":"\\\\","balance":{"amount":1}}'],
  ['lists beside each other', `{"a":[${'[],'.repeat(99)}[]],"balance":{"amount":1}}`],
  ['a byte order mark', '\uFEFF{"balance":{"amount":1}}'],
])('an answer with %s is read', (_kind, body) => {
  expect(readAnswer(bytes(body), 'balance')).toMatchObject({ amount: '1' })
})

test('an answer of more than a million tokens is too large', () => {
  const of = (count: number) => bytes(`{"transactions":[${'1,'.repeat(count)}1]}`)
  expect(readAnswer(of(999_996), 'transactions')).toMatchObject({ rows: [] })
  expect(readAnswer(of(1_000_000), 'transactions')).toBe('too-large')
})
