import { CofferError } from '@coffer/client'
import { expect, test } from '@jest/globals'
import { OfflineError } from '../offline/offline-error.ts'
import { type Coded, loadRefusals, wordsOf } from '../words/refusals.ts'
import { faultOf, refusalOf } from './faults.ts'

await loadRefusals()

const refused = (status: number, body: object, headers = {}) =>
  faultOf(new CofferError(new Response(null, { status, headers }), body))

test.each([
  [401, 'WRONG_CREDENTIALS', {}, 'The email address or the password is wrong.'],
  [401, 'PROOF_REQUIRED', {}, 'Enter your password to go on.'],
  [404, 'NOT_FOUND', { object: 'spending' }, /^This is no longer there/],
  [503, 'SERVICE_UNAVAILABLE', {}, /^The server is busy/],
  [429, 'TOO_MANY_ATTEMPTS', {}, /Try again in 2 minutes\.$/],
  [409, 'IMPORTS_RUN', {}, /^The import still runs/],
  [400, 'LINKS_MAX', { max: '50' }, /^There are 50 connections already/],
  [400, 'A_CODE_OF_LATER', {}, 'A text that the app does not know.'],
  [400, undefined, {}, 'A text that the app does not know.'],
])('%i %s has words for people', (status, code, params, text) => {
  const detail = 'a text that the app does not know'
  const found = refused(status, { detail, code, params }, { 'retry-after': '61' })?.text
  if (typeof text === 'string') expect(found).toBe(text)
  else expect(found).toMatch(text)
})

test.each([
  [{ code: 'KEY_MISSING' }, 'Fill this in.'],
  [{ code: 'NAME_TAKEN', params: { name: 'Rent' } }, 'This name is in use: Rent.'],
  [{ code: 'PASSWORD_LENGTH', params: { min: '8', max: '72' } }, 'Use 8 to 72 characters.'],
  [{ code: 'NEXT_NOT_IN_FUTURE' }, 'Choose a day that is not past.'],
  [{ code: undefined }, 'Is odd.'],
])('the problem %j has words for people', (reason, text) => {
  const errors = [
    { pointer: '#/name/0', detail: 'is odd', ...reason },
    { pointer: '#/name', detail: 'is a later fault of the field' },
  ]
  const fault = refused(400, { detail: 'Invalid request', code: 'INVALID_REQUEST', errors })
  expect(fault).toMatchObject({ problems: { name: text }, text: 'Some entries need another look.' })
  expect(fault?.problemCodes.name).toBe(reason.code)
})

test('of alternatives of a value, the fault counts that is not of its type', () => {
  const faults = [{ code: 'NOT_NULL' }, { code: 'TAG_COMMA' }, { code: 'NOT_LIST' }]
  const errors = faults.map((one) => ({ pointer: '#/name', detail: 'must be', ...one }))
  const fault = refused(400, { detail: 'Invalid request', code: 'INVALID_REQUEST', errors })
  expect(fault?.problems.name).toMatch(/comma/)
})

test.each([
  [new OfflineError({ wasSent: null, isFinal: false }), /^The server cannot be reached\. Your/],
  [new OfflineError({ wasSent: true, isFinal: false }), /may have saved this/],
  [new TypeError("Cannot read properties of undefined (reading 'name')"), /The fault is ours/],
])('%s is told apart from other faults', (error, text) => {
  expect(faultOf(error)?.text).toMatch(text)
})

test('an item of a bulk request is refused in words', () => {
  const errors = [{ pointer: '#/amount', detail: '…', code: 'ZERO' }]
  expect(refusalOf({ error: 'Invalid request', errors })).toBe('Enter an amount that is not zero.')
  expect(refusalOf({ error: '…', code: 'TRANSACTION_CHANGED' })).toMatch(/^It has changed since/)
})

test.each<[string, Coded | undefined, RegExp]>([
  ['…', { code: 'PAID_IN_PART' }, /pays no more/],
  ['…', { code: 'MONTHS_SKIPPED', params: { day: '29' } }, /day 29/],
  ['no text of the app', undefined, /^No text of the app\.$/],
  ['no text of the app', { code: 'A_CODE_OF_LATER' }, /^No text of the app\.$/],
  [
    '…',
    {
      code: 'FILE_IN_ARCHIVE',
      params: { name: 'a.sta', fault: '…' },
      cause: { code: 'FILE_CUT' },
    },
    /^a\.sta in the archive: The file is not whole/,
  ],
  [
    '…',
    { code: 'FILE_IN_ARCHIVE', params: { name: 'a.sta', fault: 'it is odd' } },
    /^a\.sta in the archive: it is odd$/,
  ],
])('the text %j with the code %j has words for people', (text, coded, words) => {
  expect(wordsOf(text, coded)).toMatch(words)
})
