import { timestampFromDate } from '@bufbuild/protobuf/wkt'
import { refused, unauthenticated } from '@coffer/kit/rpc/errors'
import { afterEach, describe, expect, test } from '@jest/globals'
import { bySession, createGateway, type Gateway } from '../gateway.ts'
import { user } from '../samples.ts'
import { alice } from '../stub-mesh.ts'

const url = (name: string) => `/api/authentication/${name}`
const credentials = { email: 'alice@example.com', password: 'long enough' }
const registrant = { ...credentials, firstName: 'Alice', betaCode: null }
const cleared = /^coffer_session=; .*Expires=Thu, 01 Jan 1970/
const listLinks = { links: { listLinks: () => ({ links: [] }) } }

let gateway: Gateway
afterEach(async () => await gateway[Symbol.asyncDispose]())

describe('signing in', () => {
  const signIn = { login: () => ({ sessionToken: 'fresh', isActive: true }) }

  test('sets the cookie with HttpOnly and SameSite=Strict', async () => {
    gateway = await createGateway({ signIn })
    const answer = await gateway.send('POST', url('login'), { body: credentials, as: null })
    expect([answer.status, answer.body]).toEqual([200, { isActive: true }])
    expect(String(answer.headers['set-cookie']).split('; ').sort()).toEqual([
      'HttpOnly',
      'Max-Age=1209600',
      'Path=/',
      'SameSite=Strict',
      'coffer_session=fresh',
    ])
    expect(answer.text).not.toContain('fresh')
  })

  test('on a device of another person, the cookie ends with the browser', async () => {
    const completeSignIn = () => ({ sessionToken: 'full', isActive: true, isForeignDevice: true })
    gateway = await createGateway({ signIn, multifactor: { completeSignIn } })
    const body = { ...credentials, isForeignDevice: true }
    const { headers } = await gateway.send('POST', url('login'), { body, as: null })
    expect(gateway.received.at(-1)?.message).toMatchObject({ isForeignDevice: true })
    expect(headers['set-cookie']).toMatch(/^coffer_session=fresh;(?!.*(Max-Age|Expires))/)
  })

  test('sets a secure cookie where clients use https, under the configured name', async () => {
    const settings = { COFFER_EXTERNAL_URL: 'https://coffer.example', COFFER_COOKIE_NAME: 'own' }
    gateway = await createGateway({ signIn }, settings)
    const { headers } = await gateway.send('POST', url('login'), { body: credentials, as: null })
    expect(headers['set-cookie']).toMatch(/^__Host-own=fresh; .*Secure/)
    expect(headers['strict-transport-security']).toBe('max-age=31536000')
  })

  test('answers with the page to subscribe when the subscription has lapsed', async () => {
    gateway = await createGateway({
      signIn: { login: () => ({ sessionToken: 'fresh', isActive: false }) },
    })
    const { body } = await gateway.send('POST', url('login'), { body: credentials, as: null })
    expect(body).toEqual({ isActive: false, nextUrl: '/account/subscribe' })
  })

  test.each([
    [{}, { email: 'required key is missing', password: 'required key is missing' }],
    [
      { email: 'Alice@Example.com', password: 'short', foo: 1 },
      {
        email: 'must be lower case',
        password: 'must have 8 to 72 characters',
        foo: 'key not expected',
      },
    ],
    [{ ...credentials, email: 'alice' }, { email: 'must be a valid email address' }],
    [{ ...credentials, password: 'é'.repeat(73) }, { password: expect.anything() }],
    [{ ...credentials, challenge: 'x', nonce: 1 }, { challenge: 'key not expected' }],
    [JSON.parse('{"__proto__":1}'), JSON.parse('{"__proto__":"key not expected"}')],
  ])('refuses %j', async (body, problems) => {
    gateway = await createGateway({ signIn })
    const answer = await gateway.send('POST', url('login'), { body, as: null })
    expect(answer.status).toBe(400)
    for (const [field, text] of Object.entries(problems)) {
      expect(Object.entries(answer.body.problems)).toContainEqual([field, text])
    }
  })

  test('a password of 72 characters of two bytes each is not too long', async () => {
    gateway = await createGateway({ signIn })
    const body = { ...credentials, password: 'é'.repeat(72) }
    expect((await gateway.send('POST', url('login'), { body, as: null })).status).toBe(200)
  })

  test('is 429 for an address with too many failures, until the minute is over', async () => {
    let now = new Date('2026-01-02T00:00:00Z')
    let isRight = false
    gateway = await createGateway(
      {
        signIn: {
          login: () => {
            if (!isRight) throw unauthenticated('WRONG_CREDENTIALS')
            return { sessionToken: 'fresh', isActive: true }
          },
        },
      },
      { COFFER_SIGN_IN_LIMIT_PER_MINUTE: '2' },
      { clock: () => now },
    )
    const attempt = () => gateway.send('POST', url('login'), { body: credentials, as: null })
    expect((await attempt()).status).toBe(401)
    isRight = true
    expect((await attempt()).status).toBe(200)
    isRight = false
    expect((await attempt()).status).toBe(401)
    const limited = await attempt()
    expect([limited.status, limited.headers['retry-after']]).toEqual([429, '60'])
    now = new Date('2026-01-02T00:01:00Z')
    expect((await attempt()).status).toBe(401)
  })
})

describe('registering', () => {
  test('signs in and answers with the user', async () => {
    const register = () => ({ user, sessionToken: 'fresh', isActive: true })
    gateway = await createGateway({ signIn: { register } })
    const answer = await gateway.send('POST', url('register'), { body: registrant, as: null })
    expect(answer.status).toBe(200)
    expect(answer.body).toMatchObject({
      nextUrl: '/setup',
      requireVerification: false,
      isActive: true,
      user: {
        userId: alice.userId,
        loginId: alice.loginId,
        accountId: alice.accountId,
        login: { loginId: alice.loginId, firstName: 'Alice', lastName: '' },
        account: { accountId: alice.accountId, timezone: 'America/Chicago' },
      },
    })
    expect(answer.headers['set-cookie']).toMatch(/^coffer_session=fresh/)
    const { message } = gateway.received.at(-1) as { message: object }
    expect(message).toMatchObject({ ...credentials, firstName: 'Alice', timezone: '' })
  })

  test('is limited by network also when it succeeds', async () => {
    const register = () => ({ requiresVerification: true })
    const limit = { COFFER_SIGN_IN_LIMIT_PER_MINUTE: '2' }
    gateway = await createGateway({ signIn: { register } }, limit)
    const attempt = () => gateway.send('POST', url('register'), { body: registrant, as: null })
    expect([(await attempt()).status, (await attempt()).status]).toEqual([200, 200])
    const limited = await attempt()
    expect([limited.status, Number(limited.headers['retry-after']) > 0]).toEqual([429, true])
  })

  test('answers with code and status of a refusal', async () => {
    const register = () => {
      throw refused('this email address is in use', { code: 'EMAIL_IN_USE', status: 428 })
    }
    gateway = await createGateway({ signIn: { register } })
    const { status, body } = await gateway.send('POST', url('register'), { body: registrant })
    expect(status).toBe(428)
    expect(body).toEqual({ error: 'this email address is in use', code: 'EMAIL_IN_USE' })
  })
})

test.each(['login', 'register'])('%s replaces the former session of the browser', async (name) => {
  let isLive = true
  const begin = ({ formerSessionToken }: { formerSessionToken: string }) => {
    isLive = formerSessionToken !== 'session-of-alice'
    return { user, sessionToken: 'fresh', isActive: true }
  }
  const verifySession = () => {
    if (!isLive) throw unauthenticated('SESSION_ENDED')
    return { credential: alice }
  }
  gateway = await createGateway({
    ...listLinks,
    signIn: { login: begin, register: begin, verifySession },
  })
  expect((await gateway.send('GET', '/api/links', { as: bySession })).status).toBe(200)
  const body = name === 'login' ? credentials : registrant
  expect((await gateway.send('POST', url(name), { body, as: bySession })).status).toBe(200)
  expect((await gateway.send('GET', '/api/links', { as: bySession })).status).toBe(401)
})

describe('signing out', () => {
  test('is always 200, and clears the cookie', async () => {
    const logout = () => {
      throw new Error('broken')
    }
    gateway = await createGateway({ signIn: { logout } })
    for (const as of [null, bySession]) {
      const answer = await gateway.send('GET', url('logout'), { as })
      expect([answer.status, answer.text]).toEqual([200, ''])
      expect(answer.headers['set-cookie']).toMatch(cleared)
    }
  })

  test('ends the session at once, though it was verified a moment ago', async () => {
    let isLive = true
    gateway = await createGateway({
      ...listLinks,
      signIn: {
        verifySession: () => {
          if (!isLive) throw unauthenticated('SESSION_ENDED')
          return { credential: alice }
        },
        logout: () => {
          isLive = false
          return {}
        },
      },
    })
    expect((await gateway.send('GET', '/api/links', { as: bySession })).status).toBe(200)
    await gateway.send('GET', url('logout'), { as: bySession })
    expect((await gateway.send('GET', '/api/links', { as: bySession })).status).toBe(401)
  })
})

test('the caller is set up once it has a live link, and its session has an end', async () => {
  const sessionExpiresAt = timestampFromDate(new Date('2026-01-15T12:00:00Z'))
  gateway = await createGateway({
    ...listLinks,
    signIn: { verifySession: () => ({ credential: { ...alice, sessionExpiresAt } }) },
    users: {
      getMe: () => ({ user, isActive: true, defaultCurrency: 'USD' }),
    },
  })
  const { body } = await gateway.send('GET', '/api/users/me', { as: bySession })
  expect(body).toEqual({
    user: expect.objectContaining({ userId: alice.userId, role: 'owner' }),
    mfaPending: false,
    sessionExpiresAt: '2026-01-15T12:00:00Z',
    isSetup: false,
    isActive: true,
    isTrialing: false,
    activeUntil: null,
    trialingUntil: null,
    hasSubscription: false,
    recoveryCodesLeft: null,
    defaultCurrency: 'USD',
  })
})
