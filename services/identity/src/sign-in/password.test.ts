import { expect, test } from '@jest/globals'
import { findChosenPasswordProblem, findPasswordProblem } from './password.ts'

const isCommon = 'is one of the most common passwords'

// Passwords that are frequent in lists of leaked passwords.
test.each(['password', '12345678', 'qwertyuiop', 'iloveyou', 'PASSWORD1', 'Sunshine'])(
  '%s may be given, but not chosen',
  async (password) => {
    expect(findPasswordProblem(password)).toBeNull()
    expect(await findChosenPasswordProblem(password, [])).toBe(isCommon)
  },
)

test.each(['correct horse battery', 'n7#kQz!pw2', '🔑'.repeat(8), 'é'.repeat(72)])(
  '%s may be chosen',
  async (password) => {
    expect(await findChosenPasswordProblem(password, [])).toBeNull()
  },
)

test.each(['', '123456', '🔑'.repeat(7), 'x'.repeat(73)])(
  'the length of %j comes first',
  async (text) => {
    expect(await findChosenPasswordProblem(text, [])).toBe('must be 8 to 72 characters')
  },
)

const known = ['maria.lopez@mail.example', 'María', 'López-Ó Brien', 'budget.lopez.family']

test.each([
  'CofferCoffer',
  'coffer2026',
  'budget-María',
  'María1999',
  'maria.lopez',
  'LÓPEZ+brien',
  'lopez.family',
  'maria.lopez@mail.example',
])('%s is refused as a password: it consists of known personal words', async (password) => {
  expect(await findChosenPasswordProblem(password, known)).toBe(
    'is little more than your name, your address or the name of this service',
  )
})

test.each([
  'my coffer holds 7 ducks',
  'my-Budget!',
  'Password-123',
  'maria test password 1',
  'maria sails at dawn',
  'planning7',
  '73829174056',
  'ó-ó-ó-ó-ó',
  'n7#kQz!pw2',
])('%s has more than the names, the address and common words', async (password) => {
  expect(await findChosenPasswordProblem(password, [...known, 'Ann', 'O'])).toBeNull()
})

test('names with special characters of regular expressions are plain words', async () => {
  expect(
    await findChosenPasswordProblem('aaaaaaaaaaaab', ['(a+)+$', '.*', '[z-a]', '\\']),
  ).toBeNull()
})
