import { problemsOf } from '@coffer/kit/rpc/errors'
import { ConnectError } from '@connectrpc/connect'
import { expect, test } from '@jest/globals'
import { z } from 'zod'
import { readBody } from './body.ts'

const shape = z.strictObject({ amount: z.int() })

function read(json: string): unknown {
  const contentType = 'application/json'
  return readBody(shape, { bytes: Buffer.from(json), contentType, tokensMax: 100 })
}

// JSON integers are within ±2^53−1, and 5.0 is one (docs/api.md#bodies).
test.each([
  ['5', 5],
  ['5.0', 5],
  ['5e0', 5],
  ['1.5e1', 15],
  ['50e-1', 5],
  ['-9007199254740991', -9007199254740991],
])('%s is an integer', (source, amount) => {
  expect(read(`{"amount":${source}}`)).toEqual({ amount })
})

test.each([
  '1.5',
  '5.00000000000000000001',
  '5.00000000000000000001e0',
  '1.00000000000000000001E3',
  '50000000000000000000001e-22',
  '9007199254740992',
  '9007199254740993',
  '1e400',
  '"5"',
])('%s is not an integer', (source) => {
  expect(() => read(`{"amount":${source}}`)).toThrow('Invalid request')
})

test.each([
  ['{"amount":1,"amount":2}', { amount: 'key sent twice: send it once' }],
  ['{"amount":1,"x":[0,{"y":1,"y":1}]}', { x: { 1: { y: 'key sent twice: send it once' } } }],
])('%s is refused, because only one value could count', (json, problems) => {
  const refusal = (() => {
    try {
      return read(json)
    } catch (error) {
      return problemsOf(ConnectError.from(error))
    }
  })()
  expect(refusal).toEqual(problems)
})

// Bytes after the fault that no parser accepts: the refusal is that of the scan.
test.each([
  ['lists', `{"amount":${'['.repeat(32)}`, 'the body is nested deeper than 32 levels'],
  ['objects', '{"amount":'.repeat(33), 'the body is nested deeper than 32 levels'],
  ['a list of lists', `{"a":[${'[],'.repeat(50)}`, 'the body has more than 100 opening brackets'],
  ['keys', `{${'"amount":1,'.repeat(50)}`, 'the body has more than 100 opening brackets'],
  ['commas', `{"amount":[${'1,'.repeat(98)}`, 'the body has more than 100 opening brackets'],
])('a body with too many %s is refused before it is parsed', (_of, json, text) => {
  expect(() => read(json)).toThrow(text)
})

test('a body at the bounds is parsed', () => {
  const deep = `${'['.repeat(31)}${']'.repeat(31)}`
  expect(() => read(`{"amount":${deep}}`)).toThrow('Invalid request')
  expect(() => read(`{"amount":[${'1,'.repeat(97)}1]}`)).toThrow('Invalid request')
})

test('a refusal names 100 unknown keys at most, each with 100 characters', () => {
  const keys = Array.from({ length: 101 }, (_, index) => `${index}-${'k'.repeat(200)}`)
  const contentType = 'application/json'
  const bytes = Buffer.from(JSON.stringify(Object.fromEntries(keys.map((key) => [key, 1]))))
  let refusal: unknown
  try {
    readBody(shape, { bytes, contentType, tokensMax: 1_000 })
  } catch (error) {
    refusal = error
  }
  const { amount: _, ...unknown } = problemsOf(ConnectError.from(refusal)) ?? {}
  const named = keys.slice(0, 100).map((key) => [key.slice(0, 100), 'key not expected'])
  expect(Object.entries(unknown)).toEqual(named)
})
