import { request as httpRequest } from 'node:http'
import { refused, unavailable } from '@coffer/kit/rpc/errors'
import { Code, ConnectError } from '@connectrpc/connect'
import { afterEach, describe, expect, test } from '@jest/globals'
import { startGateway } from '../../src/main.ts'
import { byKey, createGateway, type Gateway } from '../gateway.ts'
import { accountUrl, ids } from '../samples.ts'

const links = { listLinks: () => ({ links: [] }) }
const linkUrl = `/api/links/${ids.linkId}`

let gateway: Gateway
afterEach(async () => await gateway[Symbol.asyncDispose]())

describe('health', () => {
  test('reports the build and the databases, without a credential', async () => {
    const release = { COFFER_RELEASE: '1.2.3', COFFER_REVISION: 'abc' }
    const clock = () => new Date('2026-01-02T03:04:05.678Z')
    gateway = await createGateway({}, release, { clock })
    const { status, body } = await gateway.send('GET', '/api/health', { as: null })
    expect(status).toBe(200)
    expect(body).toEqual({
      dbHealthy: true,
      apiHealthy: true,
      release: '1.2.3',
      revision: 'abc',
      buildTime: '',
      serverTime: '2026-01-02T03:04:05.678Z',
    })
    const head = await gateway.send('HEAD', '/api/health', { as: null })
    expect([head.status, head.text]).toEqual([200, ''])
  })

  test('is 500 while a database is down, and checks at most once a second', async () => {
    let now = 0
    let asked = 0
    const isHealthy = async () => {
      asked += 1
      throw new Error('down')
    }
    gateway = await createGateway({}, {}, { isHealthy, clock: () => new Date(now) })
    for (const [at, times] of [
      [0, 1],
      [999, 1],
      [1000, 2],
    ] as const) {
      now = at
      const { status, body } = await gateway.send('GET', '/api/health', { as: null })
      expect([status, body.dbHealthy, body.apiHealthy, asked]).toEqual([500, false, true, times])
    }
  })
})

describe('an answer', () => {
  test('has the security headers, a request ID and Cache-Control: no-store', async () => {
    gateway = await createGateway({ links })
    for (const url of ['/api/links', '/api/nothing', '/nothing', linkUrl]) {
      const { headers } = await gateway.send('GET', url)
      expect(headers).toMatchObject({
        'x-frame-options': 'DENY',
        'x-content-type-options': 'nosniff',
        'referrer-policy': 'same-origin',
        'cache-control': 'no-store',
        'x-request-id': expect.stringMatching(/^req_/),
      })
      expect(headers).not.toHaveProperty('strict-transport-security')
      expect(headers).not.toHaveProperty('access-control-allow-origin')
    }
  })

  test('replaces a malformed request ID', async () => {
    gateway = await createGateway({ links })
    const headers = { 'x-request-id': 'a b' }
    const answer = await gateway.send('GET', '/api/links', { headers })
    expect(answer.headers['x-request-id']).toMatch(/^req_/)
  })
})

describe('a path', () => {
  test.each(['/api/nothing', '/api/links/', '/API/links', '/api', '/api/links/a/b'])(
    '%s is unknown to everybody',
    async (url) => {
      gateway = await createGateway({ links })
      for (const as of [null, byKey]) {
        const { status, body } = await gateway.send('GET', url, { as })
        expect([status, body]).toEqual([
          404,
          { error: 'no such path: GET /api/openapi.json lists all' },
        ])
      }
    },
  )

  test.each([
    ['PUT', linkUrl, 'GET, HEAD, PATCH, DELETE'],
    ['OPTIONS', '/api/links', 'GET, HEAD, POST'],
    ['DELETE', '/api/health', 'GET, HEAD'],
    ['GET', '/api/authentication/login', 'POST'],
    ['TRACE', '/api/links?a=b', 'GET, HEAD, POST'],
    ['PROPFIND', linkUrl, 'GET, HEAD, PATCH, DELETE'],
    ['QUERY', linkUrl, 'GET, HEAD, PATCH, DELETE'],
    ['PUT', `${accountUrl}/transactions/upload`, 'GET, HEAD, PATCH, DELETE, POST'],
    ['PUT', '/api/rules/runs', 'GET, HEAD, PATCH, DELETE, POST'],
  ])('%s %s names the allowed methods', async (method, url, allow) => {
    gateway = await createGateway({ links })
    const answer = await gateway.send(method, url, { as: null })
    expect([answer.status, answer.headers.allow]).toEqual([405, allow])
    for (const allowed of allow.split(', ')) {
      const { status } = await gateway.send(allowed, url, { as: null })
      expect([404, 405]).not.toContain(status)
    }
  })

  test.each(['/api/nothing', '/api/links/'])('TRACE %s is unknown as well', async (url) => {
    gateway = await createGateway({ links })
    const { status, body } = await gateway.send('TRACE', url)
    expect([status, body]).toEqual([
      404,
      { error: 'no such path: GET /api/openapi.json lists all' },
    ])
  })

  test('that answers GET also answers HEAD: the same headers, no body', async () => {
    gateway = await createGateway({ links })
    await using server = await startGateway({ ...gateway.deps, port: 0, host: '127.0.0.1' })
    const url = `http://127.0.0.1:${server.port}/api/links`
    const answer = await fetch(url, { method: 'HEAD', headers: byKey })
    expect([answer.status, answer.headers.get('content-length')]).toEqual([200, '2'])
    expect(await answer.text()).toBe('')
  })

  test('that cannot be decoded is 400', async () => {
    gateway = await createGateway({ links })
    const { status, body } = await gateway.send('GET', '/api/links/%zz')
    expect([status, body]).toEqual([400, { error: 'the path is not well-formed' }])
  })
})

describe('a body', () => {
  const url = '/api/links'
  const name = { institutionName: 'Bank' }
  const json = JSON.stringify(name)

  test.each([
    ['null', 'must be a JSON object'],
    ['[]', 'must be a JSON object'],
    ['"text"', 'must be a JSON object'],
    ['', 'is required'],
    ['{', 'not well-formed JSON: it ends too soon, at line 1, column 2'],
    [`${json} x`, `not well-formed JSON at line 1, column ${json.length + 2}`],
    [Buffer.from([0x7b, 0xff, 0x7d]), 'not well-formed JSON: it is not UTF-8'],
    [`{"institutionName":"${'['.repeat(100_000)}`, 'JSON, and too long to name the position'],
    [`{"institutionName":${'['.repeat(32)}`, 'is nested deeper than 32 levels'],
  ])('%j is 400 without problems', async (body, text) => {
    gateway = await createGateway({ links })
    const answer = await gateway.send('POST', url, { body })
    expect(answer.status).toBe(400)
    expect(answer.body).toEqual({ error: expect.stringContaining(text) })
  })

  test.each([
    'text/plain',
    'application/x-www-form-urlencoded',
    'multipart/form-data; boundary=x',
    '',
    ' ',
    'json',
    '/',
    'application/',
    ';charset=utf-8',
  ])('of type %j is 415', async (type) => {
    gateway = await createGateway({ links })
    const headers = { 'content-type': type }
    const { status, body } = await gateway.send('POST', url, { body: json, headers })
    expect([status, body.error]).toEqual([415, 'the content type must be application/json'])
  })

  test('of another charset than UTF-8 is 415', async () => {
    gateway = await createGateway({ links })
    const headers = { 'content-type': 'application/json; charset="UTF-16"' }
    const { status, body } = await gateway.send('POST', url, { body: json, headers })
    const text = 'the content type must be application/json; charset=utf-8'
    expect([status, body.error]).toEqual([415, text])
  })

  test('may name its charset', async () => {
    gateway = await createGateway({
      links: { createLink: () => ({ link: { linkType: 'manual' } }) },
    })
    const headers = { 'content-type': 'Application/JSON; charset=utf-8' }
    expect((await gateway.send('POST', url, { body: json, headers })).status).toBe(200)
  })

  test('of 6 MiB is read, and of more is 413', async () => {
    gateway = await createGateway({ links })
    const size = 6 * 1024 * 1024
    const longest = `{"institutionName":"${'a'.repeat(size - 22)}"}`
    expect((await gateway.send('POST', url, { body: longest })).status).toBe(400)
    const { status, body } = await gateway.send('POST', url, { body: ` ${longest}` })
    expect([status, body]).toEqual([413, { error: 'the body is larger than 6 MiB' }])
  })
})

describe('a service', () => {
  const failing = (error: unknown) => () => {
    throw error
  }

  test.each([
    [
      unavailable('the database is not available: repeat the request later'),
      503,
      'the database is not available: repeat the request later',
    ],
    [
      new ConnectError('late', Code.DeadlineExceeded),
      504,
      'the request was not answered in time: repeat it',
    ],
    [new ConnectError('no', Code.PermissionDenied), 403, 'no'],
    [new ConnectError('busy', Code.ResourceExhausted), 429, 'busy'],
    [new ConnectError('again', Code.Aborted), 409, 'again'],
    [refused('too soon', { status: 425 }), 425, 'too soon'],
  ])('that fails with %s is %i', async (error, status, text) => {
    gateway = await createGateway({ links: { listLinks: failing(error) } })
    const answer = await gateway.send('GET', '/api/links')
    expect(answer.status).toBe(status)
    expect(answer.body.error.startsWith(text)).toBe(true)
    expect('retry-after' in answer.headers).toBe([425, 429, 503].includes(status))
  })

  test('that breaks is 500 with the request ID and no more', async () => {
    gateway = await createGateway({ links: { listLinks: failing(new Error('secret detail')) } })
    const { status, body, headers } = await gateway.send('GET', '/api/links')
    expect(status).toBe(500)
    expect(body).toEqual({ error: 'internal error', requestId: headers['x-request-id'] })
  })

  test('that times out on a write is 504: the write may have been carried out', async () => {
    const error = new ConnectError('late', Code.DeadlineExceeded)
    gateway = await createGateway({ links: { deleteLink: failing(error) } })
    const { status, body } = await gateway.send('DELETE', linkUrl)
    expect([status, body.error]).toEqual([
      504,
      expect.stringContaining('may have been carried out'),
    ])
  })
})

test('requests above the limit of an address are 429', async () => {
  const limited = { COFFER_REQUEST_LIMIT_PER_SECOND: '2' }
  gateway = await createGateway({ links }, limited)
  const first = await gateway.send('GET', '/api/links')
  // The requests are concurrent, so that they fall into one second even on a busy machine.
  const sent = Array.from({ length: 20 }, () => gateway.send('GET', '/api/links'))
  const others = await Promise.all(sent)
  const statuses = others.map(({ status }) => status)
  expect([first.status, statuses]).toEqual([200, statuses.map(() => 429)])
  const { headers } = others[0] ?? first
  expect(headers).toHaveProperty('retry-after')
  expect(Object.keys(headers).filter((name) => name.startsWith('x-ratelimit'))).toEqual([])
})

test('the server listens, answers over HTTP and stops', async () => {
  gateway = await createGateway({ links })
  const server = await startGateway({ ...gateway.deps, port: 0, host: '127.0.0.1' })
  const status = await new Promise((resolve, reject) => {
    const { port } = server
    const asked = httpRequest({ port, path: '/api/links', headers: byKey }, (answer) => {
      answer.resume().on('end', () => resolve(answer.statusCode))
    })
    asked.on('error', reject).end()
  })
  expect(status).toBe(200)
  await server[Symbol.asyncDispose]()
  await expect(fetch(`http://127.0.0.1:${server.port}/api/health`)).rejects.toThrow()
})
