import { refused } from '@coffer/kit/rpc/errors'
import { afterEach, describe, expect, test } from '@jest/globals'
import { createEndingSession } from '../ending-session.ts'
import { byKey, byPending, bySession, createGateway, type Gateway } from '../gateway.ts'
import { user } from '../samples.ts'

const url = '/api/authentication/multifactor'
const totpUrl = (name: string) => `/api/users/security/totp/${name}`

let gateway: Gateway
afterEach(async () => await gateway[Symbol.asyncDispose]())

describe('signing in with a second factor', () => {
  test('begins with a pending session in the cookie and 428', async () => {
    const login = () => ({ sessionToken: 'pending', isActive: true, mfaRequired: true })
    gateway = await createGateway({ signIn: { login } })
    const body = { email: 'alice@example.com', password: 'long enough' }
    const answer = await gateway.send('POST', '/api/authentication/login', { body, as: null })
    expect([answer.status, answer.body]).toEqual([
      428,
      { error: expect.any(String), code: 'MFA_REQUIRED', nextUrl: '/login/multifactor' },
    ])
    expect(answer.headers['set-cookie']).toMatch(/^coffer_session=pending;.*HttpOnly/)
  })

  test('ends with a full one, and the same answer as a sign-in', async () => {
    const completeSignIn = () => ({ sessionToken: 'fresh', isActive: true })
    gateway = await createGateway({ multifactor: { completeSignIn } })
    const answer = await gateway.send('POST', url, { body: { totp: ' 123456 ' }, as: byPending })
    expect([answer.status, answer.body]).toEqual([200, { isActive: true }])
    expect(answer.headers['set-cookie']).toMatch(/^coffer_session=fresh;/)
    const call = gateway.received.at(-1)!
    expect(call.message).toMatchObject({ totp: '123456' })
    expect(call.caller).toMatchObject({ kind: 'pending' })
  })

  test.each([
    ['a full session', bySession],
    ['a key', byKey],
    ['a request without a credential', null],
  ])('is not for %s', async (_name, as) => {
    gateway = await createGateway({})
    expect((await gateway.send('POST', url, { body: { totp: '123456' }, as })).status).toBe(401)
  })

  test('a wrong code keeps the cookie; too many are 429 with Retry-After', async () => {
    let refusal = refused('wrong', { status: 401 })
    gateway = await createGateway({
      multifactor: {
        completeSignIn: () => {
          throw refusal
        },
      },
    })
    const attempt = () => gateway.send('POST', url, { body: { totp: '000000' }, as: byPending })
    const wrong = await attempt()
    expect([wrong.status, wrong.headers['set-cookie']]).toEqual([401, undefined])
    refusal = refused('too many', { status: 429, retryAfterSeconds: 840 })
    const limited = await attempt()
    expect([limited.status, limited.headers['retry-after']]).toEqual([429, '840'])
  })

  test.each([{}, { totp: '' }, { totp: '  ' }, { totp: 123456 }, { totp: null }])(
    '%j is no code',
    async (body) => {
      gateway = await createGateway({})
      const answer = await gateway.send('POST', url, { body, as: byPending })
      expect([answer.status, Object.keys(answer.body.problems)]).toEqual([400, ['totp']])
    },
  )
})

test('a pending session may only call GET /api/users/me', async () => {
  const getMe = () => ({ user, mfaPending: true, isActive: true, nextUrl: '/login/multifactor' })
  gateway = await createGateway({ users: { getMe }, links: { listLinks: () => ({ links: [] }) } })
  const { status, body } = await gateway.send('GET', '/api/users/me', { as: byPending })
  expect(status).toBe(200)
  expect(body).toMatchObject({
    mfaPending: true,
    isSetup: false,
    nextUrl: '/login/multifactor',
  })
  for (const [method, path] of [
    ['GET', '/api/links'],
    ['GET', '/api/keys'],
    ['POST', totpUrl('setup')],
  ] as const) {
    expect((await gateway.send(method, path, { as: byPending })).status).toBe(401)
  }
  expect(gateway.received.filter(({ rpc }) => rpc === 'ListLinks')).toEqual([])
})

describe('the authenticator', () => {
  test('is set up, confirmed and disabled by sessions', async () => {
    const recoveryCodes = ['aaaa-bbbb']
    gateway = await createGateway({
      multifactor: {
        setUpTotp: () => ({ uri: 'otpauth://totp/x', recoveryCodes }),
        confirmTotp: () => ({}),
        disableTotp: () => ({}),
        renewRecoveryCodes: () => ({ recoveryCodes }),
      },
    })
    const post = (name: string, body?: object) =>
      gateway.send('POST', totpUrl(name), { as: bySession, body })
    expect((await post('setup')).body).toEqual({ uri: 'otpauth://totp/x', recoveryCodes })
    const confirmed = await post('confirm', { totp: '123456' })
    expect([confirmed.status, confirmed.text]).toEqual([200, ''])
    expect((await post('recovery_codes', { totp: '123456' })).body).toEqual({ recoveryCodes })
    expect((await post('disable', { currentPassword: 'long enough' })).status).toBe(200)
    expect(gateway.received.at(-1)!.message).toMatchObject({
      proof: { kind: { case: 'currentPassword', value: 'long enough' } },
    })
  })

  test('is set up with re-authentication if the body has it', async () => {
    gateway = await createGateway({ multifactor: { setUpTotp: () => ({ uri: 'x' }) } })
    const post = (body: object) => gateway.send('POST', totpUrl('setup'), { as: bySession, body })
    expect((await post({ currentPassword: 'long enough' })).status).toBe(200)
    expect(gateway.received.at(-1)!.message).toMatchObject({
      proof: { kind: { case: 'currentPassword', value: 'long enough' } },
    })
    expect((await post({})).status).toBe(200)
    expect((await post({ code: '123456' })).status).toBe(400)
  })

  test.each(['confirm', 'disable'])('ends other sessions at once by %s', async (name) => {
    const { end, stubs, statusAt } = createEndingSession()
    gateway = await createGateway({
      ...stubs,
      multifactor: { confirmTotp: end, disableTotp: end },
    })
    expect(await statusAt(gateway)).toBe(200)
    await gateway.send('POST', totpUrl(name), { as: bySession, body: { totp: '123456' } })
    expect(await statusAt(gateway)).toBe(401)
  })

  test.each([{}, { totp: '123456', currentPassword: 'long enough' }, { code: '123456' }])(
    'is not disabled by %j',
    async (body) => {
      gateway = await createGateway({ multifactor: { disableTotp: () => ({}) } })
      const answer = await gateway.send('POST', totpUrl('disable'), { as: bySession, body })
      expect(answer.status).toBe(400)
      expect(answer.body.problems.oneOf).toHaveLength(2)
    },
  )

  test.each(['setup', 'confirm', 'disable', 'recovery_codes'])('%s takes no key', async (name) => {
    gateway = await createGateway({})
    const body = { totp: '123456' }
    expect((await gateway.send('POST', totpUrl(name), { as: byKey, body })).status).toBe(401)
  })
})
