import { request as httpRequest, type IncomingHttpHeaders } from 'node:http'
import { afterAll, beforeAll, describe, expect, test } from '@jest/globals'
import { startGateway } from '../../src/main.ts'
import { byKey, bySession, createGateway, type Gateway } from '../gateway.ts'
import { user } from '../samples.ts'

const listed = 'https://web.example'
const links = {
  listLinks: () => ({ links: [] }),
  createLink: () => ({ link: {} }),
}
const login = () => ({ sessionToken: 'fresh', isActive: true })

let gateway: Gateway
let server: Awaited<ReturnType<typeof startGateway>>
beforeAll(async () => {
  const environment = {
    COFFER_ALLOWED_ORIGINS: listed,
    COFFER_EXTERNAL_URL: 'https://money.example',
    COFFER_TRUSTED_PROXIES: '127.0.0.0/8',
  }
  gateway = await createGateway(
    { links, signIn: { login }, users: { getMe: () => ({ user }) } },
    environment,
  )
  server = await startGateway({ ...gateway.deps, host: '127.0.0.1', port: 0 })
})
afterAll(async () => {
  await server[Symbol.asyncDispose]()
  await gateway[Symbol.asyncDispose]()
})

interface Sent {
  method: string
  path: string
  headers?: Record<string, string>
  body?: object
}

/** Sends a request with exactly these headers, like a browser; fetch would change them. */
function send({ method, path, headers = {}, body }: Sent) {
  return new Promise<{ status: number; headers: IncomingHttpHeaders; text: string }>(
    (resolve, reject) => {
      const json = body ? { 'content-type': 'application/json' } : {}
      const options = { host: '127.0.0.1', port: server.port, method, path }
      const request = httpRequest({ ...options, headers: { ...json, ...headers } }, (answer) => {
        let text = ''
        answer.on('data', (chunk) => {
          text += chunk
        })
        answer.on('end', () =>
          resolve({ status: answer.statusCode ?? 0, headers: answer.headers, text }),
        )
      })
      request.on('error', reject)
      request.end(body ? JSON.stringify(body) : undefined)
    },
  )
}

const create = { method: 'POST', path: '/api/links', body: { institutionName: 'Bank' } }
const signIn = {
  method: 'POST',
  path: '/api/authentication/login',
  body: { email: 'alice@example.com', password: 'a long password' },
}
const signOut = { method: 'GET', path: '/api/authentication/logout' }
const foreign = { origin: 'https://evil.example', 'sec-fetch-site': 'cross-site' }

describe('a page of another origin', () => {
  test.each([
    ['with Sec-Fetch-Site and Origin', foreign],
    ['of the same site', { origin: 'https://evil.money.example', 'sec-fetch-site': 'same-site' }],
    ['in an older browser', { origin: 'https://evil.example' }],
    ['without an origin', { origin: 'null' }],
    ['whose link leads here', { 'sec-fetch-site': 'cross-site', 'sec-fetch-mode': 'navigate' }],
  ])('%s cannot write with the session, nor sign in or out', async (_, headers) => {
    const before = gateway.received.length
    for (const attempt of [create, signIn, signOut]) {
      const answer = await send({ ...attempt, headers: { ...bySession, ...headers } })
      expect(answer.status).toBe(403)
      expect(JSON.parse(answer.text)).toEqual({ error: expect.stringContaining('other origins') })
      expect(answer.headers['set-cookie']).toBeUndefined()
    }
    expect(gateway.received).toHaveLength(before)
  })

  test.each([
    ['http', 'https', 'https://in.example'],
    ['https', 'http', 'http://in.example'],
  ])('of this host over %s is refused where clients use %s', async (scheme, used, origin) => {
    const own = { 'x-forwarded-host': 'in.example', 'x-forwarded-proto': used }
    const headers = { ...bySession, ...own, origin: origin.replace(/^https?/, scheme) }
    for (const attempt of [create, signIn, signOut]) {
      const { status, text } = await send({ ...attempt, headers })
      expect([status, JSON.parse(text).error]).toEqual([403, expect.stringContaining('scheme')])
    }
  })

  test('may write with an API key, because browsers never attach keys', async () => {
    expect((await send({ ...create, headers: { ...byKey, ...foreign } })).status).toBe(200)
  })

  test('gets no CORS headers and no preflight', async () => {
    const preflight = { 'access-control-request-method': 'POST', ...foreign }
    const asked = await send({ method: 'OPTIONS', path: '/api/links', headers: preflight })
    expect(asked.status).toBe(405)
    const read = await send({
      method: 'GET',
      path: '/api/links',
      headers: { ...byKey, ...foreign },
    })
    for (const { headers } of [asked, read]) {
      expect(headers).not.toHaveProperty('access-control-allow-origin')
      expect(headers.vary).toContain('Origin')
    }
  })
})

describe('a page of an accepted origin', () => {
  test.each([
    [
      'of the external address',
      { origin: 'https://money.example', 'sec-fetch-site': 'same-origin' },
    ],
    ['of an origin in the settings', { origin: listed, 'sec-fetch-site': 'cross-site' }],
    ['that the user typed in', { 'sec-fetch-site': 'none' }],
    [
      'behind a proxy that is trusted',
      {
        origin: 'https://in.example',
        'x-forwarded-host': 'in.example',
        'x-forwarded-proto': 'https',
      },
    ],
    ['or a client that is no browser', {}],
  ])('%s may write and sign in or out', async (_, headers) => {
    for (const attempt of [create, signIn, signOut]) {
      expect((await send({ ...attempt, headers: { ...bySession, ...headers } })).status).toBe(200)
    }
  })

  test('may send a preflight, also for PATCH, and read answers', async () => {
    const headers = { origin: listed, 'access-control-request-method': 'PATCH' }
    const asked = await send({ method: 'OPTIONS', path: '/api/links', headers })
    expect([asked.status, asked.text]).toEqual([204, ''])
    expect(asked.headers).toMatchObject({
      'access-control-allow-origin': listed,
      'access-control-allow-credentials': 'true',
      'access-control-allow-methods': expect.stringContaining('PATCH'),
      'access-control-allow-headers': expect.stringMatching(/Coffer-User,.*Idempotency-Key/),
    })
    const read = await send({
      method: 'GET',
      path: '/api/users/me',
      headers: { ...bySession, ...headers },
    })
    expect(read.headers).toMatchObject({
      'access-control-allow-origin': listed,
      'access-control-allow-credentials': 'true',
      'access-control-expose-headers': expect.stringContaining('Retry-After'),
      vary: expect.stringContaining('Origin'),
    })
  })
})

test('answers forbid caching, framing and content sniffing', async () => {
  for (const path of ['/api/health', '/api/nothing']) {
    const { headers } = await send({ method: 'GET', path })
    expect(headers).toMatchObject({
      'cache-control': 'no-store',
      'content-security-policy': "default-src 'none'; frame-ancestors 'none'",
      'x-content-type-options': 'nosniff',
      'x-frame-options': 'DENY',
      'referrer-policy': 'same-origin',
      'strict-transport-security': 'max-age=31536000',
    })
  }
})

test('the cookie is SameSite=Strict, HttpOnly and Secure', async () => {
  const { headers } = await send(signIn)
  const [cookie = ''] = headers['set-cookie'] ?? []
  expect(cookie).toMatch(/^__Host-coffer_session=fresh; /)
  expect(cookie.split('; ').slice(1).sort()).toEqual(
    ['HttpOnly', 'Max-Age=1209600', 'Path=/', 'SameSite=Strict', 'Secure'].sort(),
  )
})
