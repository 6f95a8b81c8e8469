import { Code, ConnectError } from '@connectrpc/connect'
import { expect, test } from '@jest/globals'
import { answerOf } from './errors.ts'

const isRead = true

test('an unreachable service is 503, and the text does not name its address', () => {
  const cause = new Error('connect ECONNREFUSED 10.0.0.1:4001')
  const error = new ConnectError(cause.message, Code.Unavailable, undefined, undefined, cause)
  expect(answerOf(error, { isRead })).toEqual({
    status: 503,
    body: { error: 'a service is not available: repeat the request later' },
    retryAfterSeconds: 1,
  })
})

test.each([
  [new Error('secret'), 500],
  [Object.assign(new Error('secret'), { statusCode: 503 }), 500],
  [undefined, 500],
  [new ConnectError('secret', Code.Unimplemented), 500],
  [new ConnectError('secret', Code.Unknown), 500],
])('%s is a fault of the server: %i without its text', (error, status) => {
  expect(answerOf(error, { isRead })).toEqual({ status, body: { error: 'internal error' } })
})

test('the bodies of two failed answers are independent', () => {
  answerOf(new Error('first'), { isRead }).body.requestId = 'r-1'
  expect(answerOf(new Error('second'), { isRead }).body).not.toHaveProperty('requestId')
})
