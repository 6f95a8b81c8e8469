import { expect, test } from '@jest/globals'
import {
  describeFault,
  faultCodeOf,
  faultOf,
  faultOfAnswer,
  linkStatusAfter,
  type PlaidFaultCode,
  plaidFailure,
} from './plaid-fault.ts'

const bytes = (text: string) => new TextEncoder().encode(text)
const error = (code: string, { type = 'ITEM_ERROR', message = '' } = {}) =>
  JSON.stringify({ error_type: type, error_code: code, error_message: message })
const of = (status: number, body: string) =>
  faultOfAnswer({ status, body: bytes(body) }, 'transactionsSync')

test.each<[number, string, PlaidFaultCode, 'error' | 'revoked' | null]>([
  [500, 'INTERNAL_SERVER_ERROR', 'upstream', null],
  [400, 'PLANNED_MAINTENANCE', 'upstream', null],
  [400, 'INSTITUTION_DOWN', 'institution-down', null],
  [400, 'INSTITUTION_NOT_RESPONDING', 'institution-down', null],
  [400, 'INSTITUTION_NOT_AVAILABLE', 'institution-down', null],
  [400, 'ITEM_LOGIN_REQUIRED', 'login-required', 'error'],
  [400, 'INVALID_CREDENTIALS', 'login-required', 'error'],
  [400, 'INVALID_MFA', 'login-required', 'error'],
  [400, 'ITEM_LOCKED', 'login-required', 'error'],
  [400, 'USER_SETUP_REQUIRED', 'login-required', 'error'],
  [400, 'PASSWORD_RESET_REQUIRED', 'login-required', 'error'],
  [400, 'ACCESS_NOT_GRANTED', 'login-required', 'error'],
  [400, 'NO_ACCOUNTS', 'login-required', 'error'],
  [403, 'ADDITIONAL_CONSENT_REQUIRED', 'login-required', 'error'],
  [400, 'USER_PERMISSION_REVOKED', 'revoked', 'revoked'],
  [400, 'USER_ACCOUNT_REVOKED', 'revoked', 'revoked'],
  [400, 'ITEM_NOT_FOUND', 'item-gone', 'revoked'],
  [400, 'INVALID_ACCESS_TOKEN', 'item-gone', 'revoked'],
  [400, 'INSTITUTION_NO_LONGER_SUPPORTED', 'unsupported', 'error'],
  [400, 'ITEM_NOT_SUPPORTED', 'unsupported', 'error'],
  [400, 'PRODUCT_NOT_READY', 'not-ready', null],
  [400, 'PRODUCTS_NOT_SUPPORTED', 'no-transactions', null],
  [400, 'PRODUCT_UNAVAILABLE', 'no-transactions', null],
  [400, 'TRANSACTIONS_SYNC_MUTATION_DURING_PAGINATION', 'mutated', null],
  [400, 'INVALID_API_KEYS', 'keys-refused', null],
  [400, 'UNAUTHORIZED_ENVIRONMENT', 'keys-refused', null],
  [401, 'SOMETHING_NEW', 'keys-refused', null],
  [403, 'SOMETHING_NEW', 'keys-refused', null],
  [400, 'SOMETHING_NEW', 'refused', null],
  [404, 'INVALID_PUBLIC_TOKEN', 'refused', null],
  [502, 'SOMETHING_NEW', 'upstream', null],
  [302, 'SOMETHING_NEW', 'upstream', null],
])('status %s with the code %s is %s, and the link becomes %s', (status, code, fault, link) => {
  expect(of(status, error(code))).toEqual({ code: fault, detail: code, retryAfterMs: null })
  expect(linkStatusAfter(fault)).toBe(link)
})

test('the code of an item means the same as the code of an answer', () => {
  expect(faultCodeOf('ITEM_LOGIN_REQUIRED')).toBe('login-required')
  expect(faultCodeOf('SOMETHING_NEW')).toBe('refused')
})

test.each([
  [
    'INVALID_FIELD',
    'cursor not associated with access_token',
    'transactionsSync',
    'cursor-refused',
  ],
  ['INVALID_INPUT', 'Cursor is malformed', 'transactionsSync', 'cursor-refused'],
  ['INVALID_FIELD', 'count must be at most 500', 'transactionsSync', 'refused'],
  ['ITEM_LOGIN_REQUIRED', 'the cursor', 'transactionsSync', 'login-required'],
  ['INVALID_FIELD', 'cursor not associated with access_token', 'accountsGet', 'refused'],
] as const)('%s with the text %j to %s is %s', (code, message, method, fault) => {
  const body = bytes(error(code, { type: 'INVALID_REQUEST', message }))
  const found = faultOfAnswer({ status: 400, body }, method)
  expect(found?.code).toBe(fault)
})

test('a limit is known by its status or its type', () => {
  const limited = { code: 'rate-limited', retryAfterMs: null }
  const type = 'RATE_LIMIT_EXCEEDED'
  expect(of(429, error('TRANSACTIONS_LIMIT'))).toEqual({ ...limited, detail: 'TRANSACTIONS_LIMIT' })
  expect(of(400, error('ADDITION_LIMIT', { type }))).toMatchObject(limited)
  expect(of(429, '')).toEqual({ ...limited, detail: 'status 429' })
})

test.each([
  ['nothing', ''],
  ['HTML', '<html>'],
  ['no code', '{"error_type":"ITEM_ERROR"}'],
  ['a code that is no name', error('item login\nrequired')],
  ['a code of 101 characters', error('A'.repeat(101))],
  ['nested lists', '['.repeat(99)],
  ['64 KiB and a byte', error('ITEM_LOGIN_REQUIRED').padEnd(64 * 1024 + 1)],
])('an answer with %s has its status as the detail', (_kind, body) => {
  expect(of(400, body)).toEqual({ code: 'refused', detail: 'status 400', retryAfterMs: null })
  expect(of(500, body)).toMatchObject({ code: 'upstream', detail: 'status 500' })
})

test('an answer 200 has no fault', () => {
  expect(of(200, error('ITEM_LOGIN_REQUIRED'))).toBeNull()
})

test('the error of a fault has its text, and carries it', () => {
  const failure = plaidFailure('login-required', { detail: 'ITEM_LOCKED' })
  expect(failure.message).toContain('the institution asks its user to act: ITEM_LOCKED')
  expect(faultOf(failure)).toMatchObject({ code: 'login-required', detail: 'ITEM_LOCKED' })
  expect(faultOf(new Error('no'))).toBeNull()
  expect(describeFault({ code: 'no-answer', detail: '' }).text).toBe(
    'the aggregator did not answer',
  )
})
