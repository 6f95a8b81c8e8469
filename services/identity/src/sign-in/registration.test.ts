import { expect, test } from '@jest/globals'
import {
  findCredentialProblems,
  findRegistrationProblems,
  type Registration,
} from './registration.ts'

const ann: Registration = {
  email: 'ann@example.com',
  password: 'correct horse',
  firstName: 'Ann',
  lastName: '',
  timezone: 'Europe/Berlin',
  locale: '',
}

test('a registration without a last name and a locale is fine', async () => {
  expect(await findRegistrationProblems(ann, '')).toBeNull()
})

test.each([
  ['12345678'],
  ['x'.repeat(72)],
  // 8 and 72 code points (the bounds), but more UTF-16 code units and bytes.
  ['🔑'.repeat(8)],
  ['é'.repeat(72)],
])('the password %s is fine', (password) => {
  expect(findCredentialProblems({ ...ann, password })).toBeNull()
})

test.each(['', '1234567', 'x'.repeat(73), '🔑'.repeat(7)])('the password %j is not', (password) => {
  expect(findCredentialProblems({ ...ann, password })).toEqual({
    password: 'must be 8 to 72 characters',
  })
})

test.each([
  ['Ann@example.com', 'must be lower case'],
  ['ann', 'must be a valid email address'],
  ['', 'must be a valid email address'],
  ['ann@', 'must be a valid email address'],
  ['ann smith <ann@example.com>', 'must be a valid email address'],
  [`${'a'.repeat(250)}@example.com`, 'must be a valid email address'],
])('the email %j %s', (email, problem) => {
  expect(findCredentialProblems({ ...ann, email })).toEqual({ email: problem })
})

test.each<[Partial<Registration>, Record<string, string>]>([
  [{ firstName: '' }, { firstName: 'first name is required' }],
  [{ firstName: 'x'.repeat(301) }, { firstName: 'must be at most 300 characters' }],
  [{ lastName: 'x'.repeat(301) }, { lastName: 'must be at most 300 characters' }],
  [{ lastName: 'a\u0000b' }, { lastName: 'must be printable characters only' }],
  [{ timezone: 'Mars/Olympus' }, { timezone: 'must be an IANA timezone' }],
])('%j is refused', async (change, problems) => {
  expect(await findRegistrationProblems({ ...ann, ...change }, '')).toEqual(problems)
})

test('all problems are reported at once', async () => {
  const wrong = { ...ann, email: 'ANN', password: '1', firstName: '', timezone: 'x' }
  expect(Object.keys((await findRegistrationProblems(wrong, '')) ?? {}).sort()).toEqual([
    'email',
    'firstName',
    'password',
    'timezone',
  ])
})

const little = 'is little more than your name, your address or the name of this service'

test.each(['ann@example.com', 'Money.Example', 'EXAMPLE-2026'])(
  '%s is refused as the password of ann@example.com at money.example',
  async (password) => {
    expect(await findRegistrationProblems({ ...ann, password }, 'money.example')).toEqual({
      password: little,
    })
  },
)
