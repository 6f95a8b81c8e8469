import { generateKeyPairSync } from 'node:crypto'
import { createLog } from '@coffer/host/logger'
import { unauthenticated } from '@coffer/kit/rpc/errors'
import { afterEach, describe, expect, test } from '@jest/globals'
import { basic, byKey, byPending, bySession, createGateway, type Gateway } from '../gateway.ts'
import { user } from '../samples.ts'
import { alice, apiKey } from '../stub-mesh.ts'

const listLinks = { links: { listLinks: () => ({ links: [] }) } }
const login = {
  url: '/api/authentication/login',
  body: { email: 'alice@example.com', password: 'long enough' },
}
const cleared = /^coffer_session=; .*Expires=Thu, 01 Jan 1970/

let gateway: Gateway
afterEach(async () => await gateway[Symbol.asyncDispose]())

describe('a credential', () => {
  test.each([
    ['none', null, 'CREDENTIAL_REQUIRED'],
    ['an empty cookie', { cookie: 'coffer_session=' }, 'CREDENTIAL_REQUIRED'],
    ['a bearer token', { authorization: 'Bearer session-of-alice' }, 'CREDENTIAL_REQUIRED'],
    ['an unknown session', { cookie: 'coffer_session=stolen' }, 'SESSION_ENDED'],
    ['a sign-in that owes a code', byPending, 'MFA_REQUIRED'],
    ['a wrong secret', { authorization: basic(apiKey.apiKeyId, 'wrong') }, 'API_KEY_UNKNOWN'],
    ['a malformed key ID', { authorization: basic('key_1', apiKey.secret) }, 'API_KEY_UNKNOWN'],
    ['a header without a colon', { authorization: 'Basic !!!' }, 'API_KEY_UNKNOWN'],
    [
      'a wrong key beside a good session',
      { ...bySession, authorization: 'Basic eDp5' },
      'API_KEY_UNKNOWN',
    ],
  ])('%s is 401 with a code; only an ended session clears the cookie', async (...row) => {
    const [, as, code] = row
    gateway = await createGateway(listLinks)
    const { status, body, headers } = await gateway.send('GET', '/api/links', { as })
    const error = expect.stringMatching(/^unauthorized: /)
    expect([status, body]).toMatchObject([401, { error, code }])
    if (code === 'SESSION_ENDED') expect(headers['set-cookie']).toMatch(cleared)
    else expect(headers).not.toHaveProperty('set-cookie')
  })

  test.each([
    ['an API key', byKey, 'SESSION_REQUIRED'],
    ['nothing', null, 'CREDENTIAL_REQUIRED'],
  ])('%s where a session is required is 401 with a code', async (_name, as, code) => {
    gateway = await createGateway({})
    const { status, body, headers } = await gateway.send('GET', '/api/keys', { as })
    expect([status, body.code]).toEqual([401, code])
    expect(headers['www-authenticate']).toBe('Cookie realm="Coffer", cookie-name="coffer_session"')
  })

  test.each([
    ['none', {}, /^Basic realm=/],
    ['an unknown key', { authorization: 'Basic eDp5' }, /^Basic realm=/],
    ['an ended session', { cookie: 'coffer_session=stolen' }, /^Cookie /],
    ['none, by a page', { 'sec-fetch-mode': 'cors' }, /^Cookie /],
    ['none, by a page of another host', { origin: 'https://web.example' }, /^Cookie /],
    ['none, by a browser over plain HTTP', { 'user-agent': 'Mozilla/5.0 (X11)' }, /^Cookie /],
    ['an unknown key, by a page', { authorization: 'Basic eDp5', origin: 'null' }, /^Cookie /],
  ])('%s gets a challenge that opens no dialog in browsers', async (_name, as, asked) => {
    gateway = await createGateway(listLinks)
    const { status, headers } = await gateway.send('GET', '/api/links', { as })
    expect([status, headers['www-authenticate']]).toEqual([401, expect.stringMatching(asked)])
  })

  test('stays valid when a service refuses the caller token, which is logged', async () => {
    const lines: string[] = []
    const to = { write: (line: string) => lines.push(line) }
    const log = createLog({ level: 'info', name: 'test', to })
    const foreign = { issuer: 'stranger', key: generateKeyPairSync('ed25519').privateKey }
    const attempts = { COFFER_SIGN_IN_LIMIT_PER_MINUTE: '1' }
    gateway = await createGateway(listLinks, attempts, { log, signer: foreign })
    for (const as of [bySession, byKey]) {
      const answer = await gateway.send('GET', '/api/links', { as })
      expect([answer.status, answer.body]).toEqual([
        503,
        { error: 'a service is not available: repeat the request later' },
      ])
      expect(answer.headers).not.toHaveProperty('set-cookie')
    }
    for (let attempt = 0; attempt < 2; attempt++) {
      const answer = await gateway.send('POST', login.url, { body: login.body, as: null })
      expect(answer.status).toBe(503)
    }
    expect(lines.map((line) => JSON.parse(line).msg)).toContain(
      'a service does not accept the caller token: compare clocks and keys',
    )
  })

  test.each(['SESSION_ENDED', 'MFA_REQUIRED'] as const)(
    'stays valid when the ledger answers %s, which is logged',
    async (code) => {
      const lines: string[] = []
      const to = { write: (line: string) => lines.push(line) }
      const log = createLog({ level: 'info', name: 'test', to })
      const listLinks = () => {
        throw unauthenticated(code)
      }
      gateway = await createGateway({ links: { listLinks } }, {}, { log })
      const { status, headers } = await gateway.send('GET', '/api/links', { as: bySession })
      expect([status, headers['set-cookie']]).toEqual([503, undefined])
      expect(lines.map((line) => JSON.parse(line).msg)).toContain(
        'a service does not accept the caller token: compare clocks and keys',
      )
    },
  )

  test('reaches the services as a caller of the gateway, with the request ID', async () => {
    gateway = await createGateway(listLinks)
    for (const [as, kind] of [
      [byKey, 'key'],
      [bySession, 'session'],
    ] as const) {
      const answer = await gateway.send('GET', '/api/links', {
        as,
        headers: { 'x-request-id': 'r-1' },
      })
      expect(answer.headers['x-request-id']).toBe('r-1')
      const call = gateway.received.at(-1)!
      expect(call.header.get('x-request-id')).toBe('r-1')
      expect(call.caller).toMatchObject({ ...alice, kind, issuer: 'gateway' })
    }
  })

  test('is verified once a second; its caller is used for half its lifetime', async () => {
    let now = new Date('2026-01-02T00:00:00Z')
    gateway = await createGateway(listLinks, {}, { clock: () => now })
    const count = () => gateway.received.filter(({ rpc }) => rpc === 'VerifyApiKey').length
    const callers = new Set()
    for (const [afterMs, verified, minted] of [
      [0, 1, 1],
      [999, 1, 1],
      [1_000, 2, 1],
      [31_000, 3, 2],
    ] as const) {
      now = new Date(Date.parse('2026-01-02T00:00:00Z') + afterMs)
      await gateway.send('GET', '/api/links')
      callers.add(gateway.received.at(-1)!.caller)
      expect([count(), callers.size]).toEqual([verified, minted])
    }
  })

  test('without an active subscription is 402, except for GET /api/users/me', async () => {
    gateway = await createGateway({ ...listLinks, users: { getMe: () => ({ user }) } })
    const as = { cookie: 'coffer_session=unpaid' }
    expect((await gateway.send('GET', '/api/links', { as })).status).toBe(402)
    expect((await gateway.send('POST', '/api/keys', { as, body: { name: 'x' } })).status).toBe(402)
    expect((await gateway.send('GET', '/api/users/me', { as })).status).toBe(200)
  })
})
