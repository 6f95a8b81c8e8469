import { once } from 'node:events'
import { type AddressInfo, connect, type Socket } from 'node:net'
import { text } from 'node:stream/consumers'
import { setImmediate } from 'node:timers/promises'
import { started } from '@coffer/host/testing/started'
import { beforeAll, describe, expect, test } from '@jest/globals'
import { byKey, createGateway } from '../gateway.ts'
import { accountUrl, ids } from '../samples.ts'

const uploadUrl = `${accountUrl}/transactions/upload/${ids.transactionUploadId}`
const progressUrl = `${uploadUrl}/progress`
const host = 'Host: coffer'

let port: number
const arrived: Socket[] = []
const gateway = started(() =>
  createGateway(
    { links: { listLinks: () => ({ links: [] }) }, uploads: { getUpload: () => ({ upload: {} }) } },
    { COFFER_UPLOADS_ENABLED: 'true' },
  ),
)

beforeAll(async () => {
  gateway.app.server.on('connection', (socket) => arrived.push(socket))
  await gateway.app.listen({ port: 0, host: '127.0.0.1' })
  port = (gateway.app.server.address() as AddressInfo).port
})

interface Answer {
  status: number
  headers: Record<string, string>
  body: unknown
}

function lines(...all: string[]): string {
  return [...all, '', ''].join('\r\n')
}

/** Sends lines on a new connection; returns the only answer before the connection closes. */
async function answerTo(...lines: string[]): Promise<Answer> {
  const socket = connect(port, '127.0.0.1')
  socket.write(lines.join('\r\n'))
  return parsed(await text(socket))
}

function parsed(message: string): Answer {
  const [head = '', body = ''] = message.split('\r\n\r\n')
  const [first = '', ...fields] = head.split('\r\n')
  const headers = fields.map((field) => {
    const [name = '', ...value] = field.split(': ')
    return [name.toLowerCase(), value.join(': ')]
  })
  return {
    status: Number(first.split(' ')[1]),
    headers: Object.fromEntries(headers),
    body: JSON.parse(body),
  }
}

const upgrade = ['Connection: Upgrade', 'Upgrade: websocket']
const handshake = [
  ...upgrade,
  'Sec-WebSocket-Key: AAAAAAAAAAAAAAAAAAAAAA==',
  'Sec-WebSocket-Version: 13',
]
const credential = `Authorization: ${byKey.authorization}`

describe('a WebSocket upgrade that is refused', () => {
  test.each([
    ['without a credential', progressUrl, 401],
    ['of a path that cannot be decoded', progressUrl.replace('txup_', '%zz'), 400],
    ['of a path with an empty ID', '/api/bank_accounts//transactions/upload//progress', 404],
  ])('%s has Connection: close', async (_name, path, status) => {
    const answer = await answerTo(`GET ${path} HTTP/1.1`, host, ...handshake, '', '')
    expect([answer.status, answer.headers.connection]).toEqual([status, 'close'])
    expect(answer.headers).not.toHaveProperty('keep-alive')
    expect(answer.headers['x-request-id']).toMatch(/^req_/)
    expect(answer.body).toEqual(expect.objectContaining({ error: expect.any(String) }))
  })

  test.each([
    ['without a key', []],
    ['with a key of another length', ['Sec-WebSocket-Key: AAAA']],
  ])('%s is 400 in JSON', async (_name, fields) => {
    const start = [`GET ${progressUrl} HTTP/1.1`, host, credential, 'Sec-WebSocket-Version: 13']
    const { status, headers, body } = await answerTo(...start, ...upgrade, ...fields, '', '')
    expect([status, body]).toEqual([
      400,
      { error: expect.stringMatching(/^not a WebSocket handshake: .* Sec-WebSocket-Key/) },
    ])
    expect(headers).toMatchObject({ connection: 'close', 'sec-websocket-version': '13' })
    expect(headers['x-request-id']).toMatch(/^req_/)
  })

  test.each([
    ['without a version', []],
    ['of version 8', ['Sec-WebSocket-Version: 8']],
    ['of two versions', ['Sec-WebSocket-Version: 8, 13']],
  ])('%s is 426 with the version of the server', async (_name, fields) => {
    const start = [`GET ${progressUrl} HTTP/1.1`, host, credential, ...upgrade]
    const key = 'Sec-WebSocket-Key: AAAAAAAAAAAAAAAAAAAAAA=='
    const { status, headers, body } = await answerTo(...start, key, ...fields, '', '')
    expect([status, body]).toEqual([426, { error: expect.stringContaining('Version: 13') }])
    expect(headers).toMatchObject({
      connection: 'close, upgrade',
      upgrade: 'websocket',
      'sec-websocket-version': '13',
    })
  })

  const smuggled = `GET /api/links HTTP/1.1\r\n${host}\r\n${credential}\r\n\r\n`

  test.each([
    ['over HTTP/1.0', '1.0', [], ''],
    ['with a body', '1.1', [`Content-Length: ${smuggled.length}`], smuggled],
    ['with a chunked body', '1.1', ['Transfer-Encoding: chunked'], `1\r\na\r\n0\r\n\r\n`],
  ])('%s gets one answer, 400', async (_name, version, fields, sent) => {
    const start = [`GET ${progressUrl} HTTP/${version}`, host, credential, ...handshake]
    const { status, headers, body } = await answerTo(...start, ...fields, '', sent)
    expect([status, body]).toEqual([400, { error: expect.stringMatching(/HTTP\/1.1.*body/) }])
    expect(headers.connection).toBe('close')
  })
})

describe('problem details (RFC 9457)', () => {
  const accept = 'Accept: application/json, application/problem+json'
  const version = 'Sec-WebSocket-Version: 13'

  test.each([
    ['an unknown path', ['GET /api/nothing HTTP/1.1'], 404, 'not-found'],
    ['an unknown method', ['EAT /api/links HTTP/1.1'], 400, null],
    ['another method', ['PURGE /api/links HTTP/1.1'], 405, 'method-not-allowed'],
    ['a path that cannot be decoded', ['GET /api/links/%zz HTTP/1.1'], 400, 'bad-request'],
    ['no credential', ['GET /api/links HTTP/1.1'], 401, 'unauthorized'],
    ['no handshake', [`GET ${progressUrl} HTTP/1.1`, credential], 400, 'bad-request'],
    [
      'no key',
      [`GET ${progressUrl} HTTP/1.1`, credential, version, ...upgrade],
      400,
      'bad-request',
    ],
    ['an expectation', ['GET /api/links HTTP/1.1', 'Expect: rain'], 417, 'expectation-failed'],
  ])('%s', async (_name, sent, status, section) => {
    const answer = await answerTo(...sent, host, accept, 'Connection: close', '', '')
    expect(answer.status).toBe(status)
    // The headers of a request that the parser refuses are unknown.
    const type = section ? 'application/problem+json' : 'application/json'
    expect(answer.headers['content-type']?.split(';', 1)).toEqual([type])
    const details = { status, type: expect.stringMatching(`/api/reference/errors#${section}$`) }
    expect(answer.body).toMatchObject(section ? details : { error: expect.any(String) })
  })
})

describe('an upgrade that the path does not offer is ignored', () => {
  test.each([
    ['h2c', 'GET', '/api/links', 200],
    ['websocket', 'GET', '/api/links', 200],
    ['h2c, websocket', 'GET', '/api/links', 200],
    ['TLS/1.3', 'GET', '/api/nothing', 404],
    ['websocket', 'POST', progressUrl, 405],
    ['h2c', 'GET', progressUrl, 400],
  ])('%s: %s %s is %i', async (protocol, method, path, status) => {
    const fields = [host, credential, ...handshake.slice(2), `Upgrade: ${protocol}`]
    const start = `${method} ${path} HTTP/1.1`
    const answer = await answerTo(start, ...fields, 'Connection: Upgrade', '', '')
    expect(answer.status).toBe(status)
    expect(answer.headers).not.toHaveProperty('upgrade')
    expect(answer.headers.connection).toBe('close')
  })

  test('with a body, which is read; the connection closes: Node drops the rest', async () => {
    const body = '{"colour":"red"}'
    const type = ['Content-Type: application/json', `Content-Length: ${body.length}`]
    const fields = [...type, 'Connection: Upgrade', 'Upgrade: h2c', host, credential]
    const sent = `${body}${lines('GET /api/links HTTP/1.1', host, credential)}`
    const answer = await answerTo('POST /api/links HTTP/1.1', ...fields, '', sent)
    const problems = expect.objectContaining({ colour: 'key not expected' })
    expect(answer).toMatchObject({ status: 400, body: { problems } })
    expect(answer.headers.connection).toBe('close')
  })
})

describe('errors of the HTTP server are JSON like all others', () => {
  test.each([
    ['a malformed request line', ['nonsense'], 400, 'the request is not well-formed HTTP'],
    ['an unknown method', ['EAT / HTTP/1.1', host], 400, 'the request is not well-formed HTTP'],
    [
      'headers that are too large',
      ['GET /api/links HTTP/1.1', host, `Cookie: ${'x'.repeat(200_000)}`],
      431,
      'the headers are larger than 16 KiB: send fewer cookies or a shorter URL',
    ],
  ])('%s', async (_name, lines, status, error) => {
    const answer = await answerTo(...lines, '', '')
    expect([answer.status, answer.body]).toEqual([status, { error }])
    expect(answer.headers).toMatchObject({
      connection: 'close',
      'content-type': 'application/json',
      'cache-control': 'no-store',
      'x-content-type-options': 'nosniff',
    })
    expect(answer.headers).not.toHaveProperty('x-request-id')
  })

  test.each([
    ['no host', [], 400, 'the Host header is missing: HTTP/1.1 requires it'],
    ['two hosts', [host, host], 400, 'the Host header was sent twice: send it once'],
    [
      'a host with a path',
      ['Host: coffer/api'],
      400,
      'the Host header is not a host with an optional port',
    ],
    ['an expectation', [host, 'Expect: a miracle'], 417, expect.stringMatching(/100-continue/)],
  ])('a request with %s', async (_name, fields, status, error) => {
    const end = ['Connection: close', 'X-Request-Id: mine', '', '']
    const answer = await answerTo('GET /api/health HTTP/1.1', ...fields, ...end)
    expect([answer.status, answer.body]).toEqual([status, { error }])
    expect(answer.headers['x-request-id']).toBe('mine')
  })

  test.each(['localhost:4000', '127.0.0.1', '[::1]:4000', 'coffer_gateway.coffer.svc', ''])(
    'not a request with the host %j',
    async (name) => {
      const fields = [`Host: ${name}`, 'Connection: close', '', '']
      expect(await answerTo('GET /api/health HTTP/1.1', ...fields)).toMatchObject({ status: 200 })
    },
  )

  test('a body that does not arrive in time, with the ID of its request', async () => {
    const before = arrived.length
    const running = once(gateway.app.server, 'request')
    const answering = answerTo(
      'POST /api/links HTTP/1.1',
      host,
      credential,
      'X-Request-Id: slow',
      'Content-Type: application/json',
      'Content-Length: 10',
      '',
      '{',
    )
    await running
    await setImmediate()
    // Node emits this error at the request timeout, which it checks only every 30 seconds.
    const late = Object.assign(new Error('late'), { code: 'ERR_HTTP_REQUEST_TIMEOUT' })
    gateway.app.server.emit('clientError', late, arrived[before])
    const answer = await answering
    expect([answer.status, answer.body]).toEqual([
      408,
      { error: 'the request did not arrive in time' },
    ])
    expect(answer.headers).toMatchObject({ connection: 'close', 'x-request-id': 'slow' })
  })
})

test('a stopping server answers a last request on each connection', async () => {
  const held = Promise.withResolvers<{ links: [] }>()
  const links = { listLinks: () => held.promise }
  await using stopping = await createGateway({ links })
  await stopping.app.listen({ port: 0, host: '127.0.0.1' })
  const { port } = stopping.app.server.address() as AddressInfo
  const requested = once(stopping.app.server, 'request')
  const socket = connect(port, '127.0.0.1')
  const received = text(socket)
  socket.write(lines('GET /api/links HTTP/1.1', host, credential))
  await requested
  const closed = stopping.app.close()
  const next = once(stopping.app.server, 'request')
  socket.write(lines('GET /api/nothing HTTP/1.1', host))
  await next
  held.resolve({ links: [] })
  const [, , last = ''] = (await received).split('HTTP/1.1 ')
  expect(parsed(`HTTP/1.1 ${last}`)).toMatchObject({
    status: 404,
    headers: { connection: 'close' },
    body: { error: 'no such path: GET /api/openapi.json lists all' },
  })
  await closed
})
