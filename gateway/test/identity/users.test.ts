import type { VerifySessionRequest } from '@coffer/proto/identity/v1/sign_in'
import type { UpdateUserRequest } from '@coffer/proto/identity/v1/user'
import { afterEach, beforeEach, expect, test } from '@jest/globals'
import { byKey, bySession, createGateway, type Gateway } from '../gateway.ts'
import { user } from '../samples.ts'
import { alice, type Stubs } from '../stub-mesh.ts'

const url = '/api/users/me'

let gateway: Gateway
beforeEach(async () => {
  gateway = await createGateway({ users: { updateUser: () => ({ user }) } })
})
afterEach(async () => await gateway[Symbol.asyncDispose]())

function change(body: object, as: Record<string, string> = bySession) {
  return gateway.send('PATCH', url, { body, as })
}

const currentPassword = 'a long enough password'

test.each([
  [{}, {}],
  [
    { firstName: ' Anna ', lastName: '', locale: 'de_DE' },
    { firstName: 'Anna', lastName: '', locale: 'de_DE' },
  ],
  [
    { email: 'new@example.com', currentPassword },
    {
      email: 'new@example.com',
      proof: { kind: { case: 'currentPassword', value: currentPassword } },
    },
  ],
  [
    { email: 'new@example.com', totp: '123456' },
    { email: 'new@example.com', proof: { kind: { case: 'totp', value: '123456' } } },
  ],
])('%j changes the caller', async (body, expected) => {
  const answer = await change(body)
  expect([answer.status, answer.body]).toMatchObject([200, { userId: user.userId, login: {} }])
  const { message } = gateway.received.find(({ rpc }) => rpc === 'UpdateUser')!
  const { firstName, lastName, locale, email, proof } = message as UpdateUserRequest
  const sent = Object.entries({ firstName, lastName, locale, email, proof })
  const set = sent.filter(([, value]) => value !== undefined)
  expect(Object.fromEntries(set)).toMatchObject(expected)
  expect(set).toHaveLength(Object.keys(expected).length)
})

test.each([
  [{ firstName: '' }, { firstName: 'cannot be blank' }],
  [{ lastName: null }, { lastName: 'must be a string' }],
  [{ email: 'Ann@example.com' }, { email: 'must be lower case' }],
  [{ timezone: 'Europe/Berlin' }, { timezone: 'key not expected' }],
  [{ currentPassword, totp: '123456' }, { totp: 'must not be sent with currentPassword' }],
])('%j is 400', async (body, problems) => {
  const answer = await change(body)
  expect([answer.status, answer.body.problems]).toEqual([400, problems])
})

test('an API key may not change its user', async () => {
  expect((await change({ firstName: 'Anna' }, byKey)).status).toBe(401)
})

test('a change verifies the credentials of the account again, and no others', async () => {
  const eve = { ...alice, accountId: 'acct_01hyyyyyyyyyyyyyyyyyyyyyyy' }
  const stubs: Stubs = {
    users: { updateUser: () => ({ user }) },
    links: { listLinks: () => ({ links: [] }) },
    signIn: {
      verifySession: ({ sessionToken }) => ({ credential: sessionToken === 'eve' ? eve : alice }),
    },
  }
  const now = new Date()
  await using shared = await createGateway(stubs, {}, { clock: () => now })
  const byEve = { cookie: 'coffer_session=eve' }
  const visit = () =>
    Promise.all([bySession, byEve].map((as) => shared.send('GET', '/api/links', { as })))
  await visit()
  await shared.send('PATCH', url, { body: { locale: 'de_DE' }, as: bySession })
  await visit()
  const verified = shared.received.filter(({ rpc }) => rpc === 'VerifySession')
  const tokens = verified.map(({ message }) => (message as VerifySessionRequest).sessionToken)
  expect(tokens.sort()).toEqual(['eve', 'session-of-alice', 'session-of-alice'])
})
