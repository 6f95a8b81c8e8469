import { CofferError } from '@coffer/client'
import { expect, test } from '@jest/globals'
import { faultOf } from './faults.ts'

const refused = (status: number, body: object, headers = {}) =>
  faultOf(new CofferError(new Response(null, { status, headers }), body))

test.each([
  [401, 'wrong email or password', 'The email address or the password is wrong.'],
  [401, 'the session is older: send currentPassword or totp', 'Enter your password to go on.'],
  [404, 'spending: record does not exist', /^This is no longer there/],
  [503, 'a service is not available: repeat the request later', /^The server is busy/],
  [429, 'too many attempts: repeat after Retry-After', /Try again in 2 minutes\.$/],
  [400, 'a text that the app does not know', 'A text that the app does not know.'],
])('%i %j has words for people', (status, error, text) => {
  const found = refused(status, { error }, { 'retry-after': '61' })?.text
  if (typeof text === 'string') expect(found).toBe(text)
  else expect(found).toMatch(text)
})

test.each([
  ['required key is missing', 'Fill this in.'],
  ['is taken by another one of the bank account: Rent', 'This name is in use: Rent.'],
  ['must be 8 to 72 characters', 'Use 8 to 72 characters.'],
  ['must lie between 1900 and 2200', 'The day must lie between 1900 and 2200.'],
  ['Next recurrence must be in the future', 'Choose a day that is not past.'],
  ['is odd', 'Is odd.'],
])('the problem %j has words for people', (problem, text) => {
  const fault = refused(400, { error: 'Invalid request', problems: { name: problem } })
  expect(fault).toMatchObject({ problems: { name: text }, text: 'Some entries need another look.' })
})
