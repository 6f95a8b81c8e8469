import { mkdirSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { gzipSync } from 'node:zlib'
import { headers as names } from '@coffer/kit/rpc/rpc'
import { afterAll, beforeAll, expect, test } from '@jest/globals'
import { bySession, createGateway, type Gateway } from '../gateway.ts'

const folder = mkdtempSync(join(tmpdir(), 'coffer-web-'))
const script = 'const answer = 42\n'.repeat(100)
const html = { accept: 'text/html,application/xhtml+xml' }

/** Returns the page at a path, for a request with a cookie or without. */
const pageAt = (base: string, hasCookie: 'yes' | 'no') =>
  `<html data-base="${base}" data-build="1700000000.aB-1" data-cookie="${hasCookie}">` +
  `<script src="${base}assets/a.js">`

let gateway: Gateway
beforeAll(async () => {
  mkdirSync(join(folder, 'assets'))
  writeFileSync(join(folder, 'index.html'), pageAt('./', 'no'))
  writeFileSync(join(folder, 'connect.html'), '<html data-base="./" data-script="">')
  writeFileSync(join(folder, 'icon.svg'), '<svg/>')
  writeFileSync(join(folder, 'worker.js'), '// worker')
  writeFileSync(join(folder, 'assets/a-1.js'), script)
  writeFileSync(join(folder, 'assets/a-1.js.gz'), gzipSync(script))
  const environment = {
    COFFER_EXTERNAL_URL: 'https://example.org/money',
    COFFER_AGGREGATOR_LINK_URL: 'https://link.example/"a".js',
  }
  const services = { links: { createLink: () => ({ link: {} }) } }
  gateway = await createGateway(services, environment, { webFolder: folder })
})
afterAll(async () => {
  await gateway[Symbol.asyncDispose]()
  rmSync(folder, { recursive: true })
})

/** Clickjacking: no page of another site shows this one in a frame. */
function expectNoFrames(headers: Record<string, unknown>): void {
  expect(headers['content-security-policy']).toContain("frame-ancestors 'none'")
  expect(headers['x-frame-options']).toBe('DENY')
}

const get = (url: string, headers = {}) => gateway.send('GET', url, { as: null, headers })

test.each(['/', '/transactions', '/envelopes/spnd_1?account=bac_1', '/login/multifactor'])(
  'the page of the app at %s is under a strict CSP and never cached',
  async (url) => {
    const { status, text, headers } = await get(url, html)
    expect([status, headers['content-type']]).toEqual([200, 'text/html; charset=utf-8'])
    expect(text).toBe(pageAt('/money/', 'no'))
    const { text: known } = await get(url, { ...html, cookie: 'coffer_session=1' })
    expect(known).toBe(pageAt('/money/', 'yes'))
    expect(headers['cache-control']).toBe('no-store')
    const policy = String(headers['content-security-policy'])
    for (const rule of [
      "default-src 'self'",
      "worker-src 'self'",
      "require-trusted-types-for 'script'",
    ]) {
      expect(policy).toContain(rule)
    }
    expect(policy).not.toContain('unsafe')
    expectNoFrames(headers)
  },
)

test.each(['/links/connect', '/aggregator/oauth-return?oauth_state_id=1'])(
  '%s has the script of the aggregator, and a CSP that allows its origin alone',
  async (url) => {
    const { text, headers } = await get(url, html)
    expect(text).toBe('<html data-base="/money/" data-script="https://link.example/%22a%22.js">')
    const policy = String(headers['content-security-policy'])
    expect(policy).toContain("script-src 'self' https://link.example;")
    expect(policy).not.toContain('unsafe-eval')
    expectNoFrames(headers)
    expect((await get('/', html)).headers['content-security-policy']).not.toContain('link.example')
  },
)

test.each([
  ['/api/nothing', html, 404],
  ['/api', html, 404],
  ['/assets/gone.js', html, 404],
  ['/metrics', html, 404],
  ['/healthz', html, 404],
  ['/favicon.ico', html, 404],
  ['/transactions', { accept: '*/*' }, 404],
  ['/assets/%2e%2e/index.html', html, 404],
])('%s for %j is not covered by the app: %d', async (url, headers, status) => {
  const { status: answered, body } = await get(url, headers)
  expect([answered, typeof body?.error]).toEqual([status, 'string'])
})

test.each([
  ['1600000000.aB-2', 409],
  ['1600000000.aB-1', 400],
  ['1800000000.aB-3', 400],
  ['', 400],
])('a change of the app of build %j is answered by %d', async (build, status) => {
  const as = { ...bySession, 'coffer-build': build, origin: 'https://example.org' }
  const answer = await gateway.send('POST', '/api/links', { as })
  expect([answer.status, answer.headers['coffer-build']]).toEqual([status, '1700000000.aB-1'])
})

test('a repeated change of a former build is left to the service that has its reply', async () => {
  const own = { ...bySession, origin: 'https://example.org', 'idempotency-key': 'k' }
  const send = async (url: string, build: string, body: object = { institutionName: 'Bank' }) => {
    const as = { ...own, 'coffer-build': build }
    const { status } = await gateway.send('POST', url, { as, body })
    return [status, gateway.received.at(-1)?.header.get(names.onlyReplay)]
  }
  expect(await send('/api/links', '1600000000.aB-2')).toEqual([200, 'true'])
  expect(await send('/api/links', '1800000000.aB-3')).toEqual([200, null])
  // Another fault does not hide that the page is old.
  expect((await send('/api/links', '1600000000.aB-2', { colour: 'red' }))[0]).toBe(409)
  expect((await send('/api/links', '1700000000.aB-1', { colour: 'red' }))[0]).toBe(400)
  // No service keeps replies of this change.
  expect(await send('/api/rules', '1600000000.aB-2')).toEqual([409, null])
})

test('pages of mailed links stay, and other methods are refused', async () => {
  expect((await get('/password/reset', html)).text).not.toContain('data-base')
  for (const url of ['/', '/assets/a-1.js']) {
    const { status, headers } = await gateway.send('POST', url, { as: null, headers: html })
    expect([status, headers.allow]).toEqual([405, 'GET, HEAD'])
  }
  expect((await gateway.send('POST', '/transactions', { as: null, headers: html })).status).toBe(
    404,
  )
})

test('files are sent in the compressed form of the build, and immutable', async () => {
  const { headers, text } = await get('/assets/a-1.js', { 'accept-encoding': 'gzip' })
  expect(headers).toMatchObject({
    'cache-control': 'public, max-age=31536000, immutable',
    'content-encoding': 'gzip',
    'content-type': expect.stringContaining('javascript'),
    vary: 'accept-encoding',
  })
  expect(Number(headers['content-length'])).toBe(gzipSync(script).length)
  expect(text).not.toBe(script)
  expect((await get('/assets/a-1.js')).text).toBe(script)
  const worker = await get('/worker.js')
  expect([worker.status, worker.text]).toEqual([200, '// worker'])
  expect(worker.headers).toMatchObject({
    'cache-control': 'no-cache',
    'content-security-policy': "default-src 'self'",
    'content-type': 'text/javascript; charset=utf-8',
  })
  expect((await get('/icon.svg')).headers['content-type']).toBe('image/svg+xml')
})
