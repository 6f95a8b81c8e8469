import { CofferError } from '@coffer/client'
import { expect, test } from '@jest/globals'
import { hintWords } from '../words/refusals.ts'
import { faultOf } from './faults.ts'

const refused = (status: number, body: object, headers = {}) =>
  faultOf(new CofferError(new Response(null, { status, headers }), body))

test.each([
  [401, 'wrong email or password', 'The email address or the password is wrong.'],
  [401, 'the session is older: send currentPassword or totp', 'Enter your password to go on.'],
  [404, 'spending: record does not exist', /^This is no longer there/],
  [503, 'a service is not available: repeat the request later', /^The server is busy/],
  [429, 'too many attempts: repeat after Retry-After', /Try again in 2 minutes\.$/],
  [409, 'An import still runs: undo the upload when it has ended', /^The import still runs/],
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

test.each([
  ['The envelope held less than the amount: free-to-use pays the rest.', /pays the rest/],
  ['Not every February has a day 29: the rule has no such date.', /no such date\.$/],
  ['no text of the app', /^No text of the app\.$/],
])('the hint %j has words for people', (hint, text) => {
  expect(hintWords(hint)).toMatch(text)
})
