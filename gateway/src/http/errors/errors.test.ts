import { Code, ConnectError } from '@connectrpc/connect'
import { expect, test } from '@jest/globals'
import { answerOf } from './errors.ts'

const isRead = true

test('a service that cannot be reached is 503, without its address', () => {
  const cause = new Error('connect ECONNREFUSED 10.0.0.1:4001')
  const error = new ConnectError(cause.message, Code.Unavailable, undefined, undefined, cause)
  expect(answerOf(error, { isRead })).toEqual({
    status: 503,
    body: { error: 'a service is not available' },
    retryAfterSeconds: 1,
  })
})

test.each([
  [new Error('secret'), 500],
  [Object.assign(new Error('secret'), { statusCode: 503 }), 500],
  [undefined, 500],
  [new ConnectError('secret', Code.Unimplemented), 500],
  [new ConnectError('secret', Code.Unknown), 500],
])('%s is none of the client: %i without its text', (error, status) => {
  expect(answerOf(error, { isRead })).toEqual({ status, body: { error: 'internal error' } })
})

test('one failed answer leaves nothing behind in the next', () => {
  answerOf(new Error('first'), { isRead }).body.requestId = 'r-1'
  expect(answerOf(new Error('second'), { isRead }).body).not.toHaveProperty('requestId')
})
