import { afterEach, expect, test } from '@jest/globals'
import { createGateway, type Gateway } from '../gateway.ts'

const https = { COFFER_EXTERNAL_URL: 'https://coffer.example' }
const credentials = { email: 'alice@example.com', password: 'long enough' }
const stubs = {
  links: { listLinks: () => ({ links: [] }) },
  signIn: { login: () => ({ sessionToken: 'fresh', isActive: true }), logout: () => ({}) },
}

let gateway: Gateway
afterEach(async () => await gateway[Symbol.asyncDispose]())

async function signIn(headers: Record<string, string> = {}): Promise<string[]> {
  const sent = { as: null, body: credentials, headers }
  const answer = await gateway.send('POST', '/api/authentication/login', sent)
  expect(answer.status).toBe(200)
  return [answer.headers['set-cookie'] ?? []].flat().map(String)
}

test.each([
  ['http', {}, {}, 'coffer_session'],
  ['an external URL of https', https, {}, '__Host-coffer_session'],
  [
    'a path of https',
    { COFFER_EXTERNAL_URL: 'https://a.example/b/' },
    {},
    '__Secure-coffer_session',
  ],
  ['a name of its own', { ...https, COFFER_COOKIE_NAME: 'own' }, {}, '__Host-own'],
  ['a name with the prefix', { ...https, COFFER_COOKIE_NAME: '__Host-own' }, {}, '__Host-own'],
  ['a name with the other prefix', { COFFER_COOKIE_NAME: '__Secure-own' }, {}, 'own'],
  [
    'https at a trusted proxy',
    { COFFER_TRUSTED_PROXIES: '127.0.0.1' },
    { 'x-forwarded-proto': 'https' },
    '__Host-coffer_session',
  ],
  [
    'HTTPS at a trusted proxy, in capitals',
    { COFFER_TRUSTED_PROXIES: '127.0.0.1' },
    { 'x-forwarded-proto': 'HTTPS' },
    '__Host-coffer_session',
  ],
  ['https at another proxy', {}, { 'x-forwarded-proto': 'https' }, 'coffer_session'],
])('with %s the cookie has the prefix if it is Secure', async (_with, settings, headers, name) => {
  gateway = await createGateway(stubs, settings as Record<string, string>)
  const [cookie = '', ...others] = await signIn(headers as Record<string, string>)
  expect([cookie.split('=')[0], others]).toEqual([name, []])
  expect(cookie.includes('; Secure')).toBe(name.startsWith('__'))
  expect(cookie).toContain(name.startsWith('__Secure-') ? '; Path=/b;' : '; Path=/;')
  const sent = { as: { cookie: `${name}=session-of-alice` }, headers: { ...headers } }
  expect((await gateway.send('GET', '/api/links', sent)).status).toBe(200)
  const { headers: refused } = await gateway.send('GET', '/api/keys', { ...sent, as: null })
  expect(refused['www-authenticate']).toBe(`Cookie realm="Coffer", cookie-name="${name}"`)
})

test('the name without prefix is still read, and cleared by the next sign-in', async () => {
  gateway = await createGateway(stubs, https)
  const former = { cookie: 'coffer_session=session-of-alice' }
  expect((await gateway.send('GET', '/api/links', { as: former })).status).toBe(200)
  const [cookie, cleared] = await signIn(former)
  expect(cookie).toMatch(/^__Host-coffer_session=fresh; /)
  expect(cleared).toMatch(/^coffer_session=; Max-Age=0; .*Secure/)
})

test('a cookie of the former name, of another host, does not replace the session', async () => {
  gateway = await createGateway(stubs, https)
  const cookie = 'coffer_session=stolen; __Host-coffer_session=session-of-alice'
  expect((await gateway.send('GET', '/api/links', { as: { cookie } })).status).toBe(200)
})

test('over http a cookie with the prefix is not read', async () => {
  gateway = await createGateway(stubs)
  const as = { cookie: '__Host-coffer_session=session-of-alice' }
  expect((await gateway.send('GET', '/api/links', { as })).status).toBe(401)
})

test.each([
  ['signing out', '/api/authentication/logout', 200, 'session-of-alice'],
  ['the end of the session', '/api/links', 401, 'stolen'],
])('%s clears both names', async (_name, path, status, token) => {
  gateway = await createGateway(stubs, https)
  const as = { cookie: `__Host-coffer_session=${token}` }
  const answer = await gateway.send('GET', path, { as })
  expect(answer.status).toBe(status)
  expect(answer.headers['set-cookie']).toEqual([
    expect.stringMatching(/^__Host-coffer_session=; .*Expires=Thu, 01 Jan 1970.*Secure/),
    expect.stringMatching(/^coffer_session=; .*Expires=Thu, 01 Jan 1970/),
  ])
})
