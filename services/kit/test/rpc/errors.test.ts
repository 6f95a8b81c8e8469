import { Code, ConnectError } from '@connectrpc/connect'
import { expect, test } from '@jest/globals'
import fc from 'fast-check'
import {
  duplicate,
  forbidden,
  invalid,
  isTransient,
  notFound,
  type Problems,
  problemsOf,
  refusalOf,
  refused,
  unauthenticated,
  unavailable,
} from '../../src/rpc/errors.ts'

test('problems survive the way through an error detail', () => {
  const field = fc.stringMatching(/^[a-zA-Z][a-zA-Z0-9]{0,8}$/)
  const { tree } = fc.letrec<{ tree: Problems; branch: string | Problems }>((tie) => ({
    tree: fc.dictionary(field, tie('branch'), { minKeys: 1, maxKeys: 4 }),
    branch: fc.oneof({ maxDepth: 3 }, fc.string(), tie('tree')),
  }))
  fc.assert(
    fc.property(tree, (problems) => {
      // A field may be named "constructor" like the property that every object inherits.
      expect(problemsOf(invalid(problems))).toEqual({ ...problems })
    }),
  )
})

test('only an invalid request has problems, only a refusal with a code has a status', () => {
  expect(problemsOf(notFound('link'))).toBeNull()
  expect(refusalOf(invalid({ name: 'is missing' }))).toBeNull()
  expect(refusalOf(refused('not now'))).toBeNull()
  expect(refusalOf(refused('too soon', { status: 425 }))).toMatchObject({ code: '', status: 425 })
})

test.each([
  [unavailable('busy'), true],
  [new ConnectError('late', Code.DeadlineExceeded), true],
  [new TypeError('a bug'), false],
  [invalid({ name: 'is missing' }), false],
  [notFound('link'), false],
  [duplicate('link', { feedLinkId: 'is taken' }), false],
  [refused('not now'), false],
  [forbidden('not yours'), false],
  [unauthenticated('SESSION_ENDED'), false],
])('%p is transient: %s', (error, expected) => {
  expect(isTransient(error)).toBe(expected)
})
