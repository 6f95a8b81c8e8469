import { refused } from '@coffer/kit/rpc/errors'
import { afterEach, expect, test } from '@jest/globals'
import { createEndingSession } from '../ending-session.ts'
import { byKey, bySession, createGateway, type Gateway } from '../gateway.ts'
import { user } from '../samples.ts'
import { alice } from '../stub-mesh.ts'

const passwordUrl = '/api/users/security/password'
const body = { currentPassword: 'long enough', newPassword: 'longer still' }

let gateway: Gateway
afterEach(async () => await gateway[Symbol.asyncDispose]())

test('a changed password ends other sessions at once, though verified a moment ago', async () => {
  const { end, stubs, statusAt } = createEndingSession()
  gateway = await createGateway({ ...stubs, passwords: { changePassword: end } })
  expect(await statusAt(gateway)).toBe(200)
  const changed = await gateway.send('PUT', passwordUrl, { as: bySession, body })
  expect([changed.status, changed.text]).toEqual([200, ''])
  expect(gateway.received.at(-1)!.message).toMatchObject(body)
  expect(await statusAt(gateway)).toBe(401)
  expect((await gateway.send('GET', '/api/links', { as: bySession })).status).toBe(200)
})

test('a wrong current password is 401 and keeps the cookie', async () => {
  gateway = await createGateway({
    passwords: {
      changePassword: () => {
        throw refused('wrong', { status: 401 })
      },
    },
  })
  const { status, headers } = await gateway.send('PUT', passwordUrl, { as: bySession, body })
  expect([status, headers['set-cookie']]).toEqual([401, undefined])
})

test('the password and a code together delete an account', async () => {
  gateway = await createGateway({ accounts: { deleteAccount: () => ({}) } })
  const sent = { currentPassword: 'long enough', totp: '123456' }
  const { status } = await gateway.send('DELETE', '/api/users/me', { as: bySession, body: sent })
  const { message } = gateway.received.at(-1)!
  const proof = { kind: { case: 'currentPassword', value: 'long enough' } }
  expect([status, message]).toMatchObject([200, { proof, totp: '123456' }])
})

const reAuthentication = { currentPassword: 'long enough' }

test.each([
  ['PUT', passwordUrl, body],
  ['POST', '/api/users/security/totp/setup', reAuthentication],
  ['POST', '/api/users/security/totp/disable', reAuthentication],
  ['POST', '/api/users/security/totp/recovery_codes', reAuthentication],
  ['DELETE', '/api/users/me', reAuthentication],
])('guesses at the password by %s %s are limited by network', async (method, path, sent) => {
  const wrong = () => {
    throw refused('wrong', { status: 401 })
  }
  gateway = await createGateway(
    {
      passwords: { changePassword: wrong },
      multifactor: { setUpTotp: wrong, disableTotp: wrong, renewRecoveryCodes: wrong },
      accounts: { deleteAccount: wrong },
    },
    { COFFER_SIGN_IN_LIMIT_PER_MINUTE: '2' },
  )
  const statuses: number[] = []
  while (statuses.length < 3) {
    statuses.push((await gateway.send(method, path, { as: bySession, body: sent })).status)
  }
  expect(statuses).toEqual([401, 401, 429])
})

test.each([
  [{}, ['currentPassword', 'newPassword']],
  [{ ...body, newPassword: 'short' }, ['newPassword']],
  [{ ...body, more: 1 }, ['more']],
])('%j is 400 and changes no password', async (sent, problems) => {
  gateway = await createGateway({})
  const answer = await gateway.send('PUT', passwordUrl, { as: bySession, body: sent })
  expect([answer.status, Object.keys(answer.body.problems).sort()]).toEqual([400, problems])
})

test('a user is shown without the account, only to sessions', async () => {
  gateway = await createGateway({ users: { getUser: () => ({ user }) } })
  const url = `/api/users/${alice.userId}`
  const { status, body: shown } = await gateway.send('GET', url, { as: bySession })
  expect(status).toBe(200)
  expect(shown).toMatchObject({ userId: alice.userId, login: { loginId: alice.loginId } })
  expect((await gateway.send('GET', url, { as: byKey })).status).toBe(401)
  const wrong = await gateway.send('GET', '/api/users/link_1', { as: bySession })
  expect(wrong.status).toBe(400)
})

test('a reset needs no session, sets no cookie and has an empty answer', async () => {
  gateway = await createGateway({ passwords: { resetPassword: () => ({}) } })
  const reset = (sent: object) =>
    gateway.send('POST', '/api/authentication/reset', { as: null, body: sent })
  const done = await reset({ token: ' abc ', password: 'long enough' })
  expect([done.status, done.text, done.headers['set-cookie']]).toEqual([200, '', undefined])
  expect(gateway.received.at(-1)!.message).toMatchObject({ token: 'abc', password: 'long enough' })
  const wrong = await reset({ token: ' ', password: 'short' })
  expect([wrong.status, Object.keys(wrong.body.problems)]).toEqual([400, ['token', 'password']])
})

test('a token that is not valid is 400', async () => {
  gateway = await createGateway({
    passwords: {
      resetPassword: () => {
        throw refused('not valid any more')
      },
    },
  })
  const sent = { as: null, body: { token: 'abc', password: 'long enough' } }
  const { status, body: answer } = await gateway.send('POST', '/api/authentication/reset', sent)
  expect([status, answer]).toEqual([400, { error: 'not valid any more' }])
})
