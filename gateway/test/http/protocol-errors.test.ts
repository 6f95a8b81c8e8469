import { once } from 'node:events'
import { type AddressInfo, connect, type Socket } from 'node:net'
import { text } from 'node:stream/consumers'
import { setImmediate } from 'node:timers/promises'
import { afterAll, beforeAll, describe, expect, test } from '@jest/globals'
import { byKey, createGateway, type Gateway } from '../gateway.ts'
import { accountUrl, ids } from '../samples.ts'

const uploadUrl = `${accountUrl}/transactions/upload/${ids.transactionUploadId}`
const progressUrl = `${uploadUrl}/progress`
const host = 'Host: coffer'

let gateway: Gateway
let port: number
const arrived: Socket[] = []
beforeAll(async () => {
  gateway = await createGateway(
    { links: { listLinks: () => ({ links: [] }) }, uploads: { getUpload: () => ({ upload: {} }) } },
    { COFFER_UPLOADS_ENABLED: 'true' },
  )
  gateway.app.server.on('connection', (socket) => arrived.push(socket))
  await gateway.app.listen({ port: 0, host: '127.0.0.1' })
  port = (gateway.app.server.address() as AddressInfo).port
})
afterAll(async () => await gateway[Symbol.asyncDispose]())

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
    ['of a path without a WebSocket', '/api/links', 400, credential],
    ['of an unknown path', '/api/nothing', 404],
    ['of a path that cannot be decoded', '/api/links/%zz', 400],
  ])('%s has Connection: close', async (_name, path, status, more = 'Accept: */*') => {
    const answer = await answerTo(`GET ${path} HTTP/1.1`, host, more, ...handshake, '', '')
    expect([answer.status, answer.headers.connection]).toEqual([status, 'close'])
    expect(answer.headers).not.toHaveProperty('keep-alive')
    expect(answer.headers['x-request-id']).toMatch(/^req_/)
    expect(answer.body).toEqual(expect.objectContaining({ error: expect.any(String) }))
  })

  test.each([
    ['without a key', ['Sec-WebSocket-Version: 13']],
    ['of another version', ['Sec-WebSocket-Key: AAAAAAAAAAAAAAAAAAAAAA==']],
  ])('%s is refused in JSON', async (_name, fields) => {
    const start = [`GET ${progressUrl} HTTP/1.1`, host, credential]
    const { status, headers, body } = await answerTo(...start, ...upgrade, ...fields, '', '')
    expect([status, body]).toEqual([
      400,
      { error: expect.stringMatching(/^not a WebSocket handshake: .* Sec-WebSocket-/) },
    ])
    expect(headers).toMatchObject({ connection: 'close', 'sec-websocket-version': '13' })
    expect(headers['x-request-id']).toMatch(/^req_/)
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
      'the headers are larger than 16 KiB',
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
    ['no host', [], 400, 'the Host header is missing'],
    ['an expectation', [host, 'Expect: a miracle'], 417, expect.stringMatching(/100-continue/)],
  ])('a request with %s', async (_name, fields, status, error) => {
    const end = ['Connection: close', 'X-Request-Id: mine', '', '']
    const answer = await answerTo('GET /api/health HTTP/1.1', ...fields, ...end)
    expect([answer.status, answer.body]).toEqual([status, { error }])
    expect(answer.headers['x-request-id']).toBe('mine')
  })

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
    body: { error: 'no such path' },
  })
  await closed
})
