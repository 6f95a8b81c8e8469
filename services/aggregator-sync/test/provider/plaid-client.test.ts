import { afterAll, beforeAll, beforeEach, expect, test } from '@jest/globals'
import { openPlaid, type Plaid } from '../../src/provider/plaid.client.ts'
import {
  answer,
  answerCompressed,
  type PlaidServer,
  type Received,
  startPlaidServer,
} from './plaid-server.ts'

const keys = { clientId: 'client-id-1', clientSecret: 'plaid-secret-1' }
const { signal } = new AbortController()
const mebibyte = 1024 * 1024

let server: PlaidServer
let plaid: Plaid

beforeAll(async () => {
  server = await startPlaidServer()
  plaid = await openPlaid({ url: server.url, ...keys })
})

afterAll(async () => {
  plaid[Symbol.dispose]()
  await server[Symbol.asyncDispose]()
})

beforeEach(() => {
  server.received.splice(0)
})

const remove = () => plaid.send('itemRemove', { access_token: 'access-1' }, signal)

test('a request is a POST of JSON with the keys and the version of the API', async () => {
  server.serve = (response) => answer(response, 200, '{"a":1.10}')
  const sent = await remove()
  expect(sent).toEqual({ status: 200, body: Buffer.from('{"a":1.10}') })
  const { path, headers, body } = server.received[0] as Received
  expect([path, body]).toEqual(['/item/remove', { access_token: 'access-1' }])
  expect(headers).toMatchObject({
    'content-type': 'application/json',
    'plaid-client-id': keys.clientId,
    'plaid-secret': keys.clientSecret,
    'plaid-version': '2020-09-14',
  })
})

test.each([400, 401, 404, 429, 500, 503])('an answer %s is no exception', async (status) => {
  server.serve = (response) => answer(response, status, 'no')
  expect(await remove()).toEqual({ status, body: Buffer.from('no') })
})

test.each([301, 302, 303, 307, 308])('a redirect %s gets no second request', async (status) => {
  await using other = await startPlaidServer()
  server.serve = (response) => answer(response, status, '', { location: other.url })
  expect(await remove()).toMatchObject({ status })
  expect([server.received.length, other.received.length]).toEqual([1, 0])
})

test.each([
  ['plain', answer],
  [
    'compressed',
    (response: Parameters<typeof answer>[0], _status: number, text: string) =>
      answerCompressed(response, text),
  ],
] as const)('a %s body of 10 MiB is read, one byte more is too large', async (_kind, send) => {
  const text = ' '.repeat(10 * mebibyte)
  server.serve = (response) => send(response, 200, text)
  expect(await remove()).toMatchObject({ status: 200, body: { length: text.length } })
  server.serve = (response) => send(response, 200, `${text} `)
  expect(await remove()).toBe('too-large')
})

test('a server that ends the connection, or sends a part, did not answer', async () => {
  server.serve = (response) => response.destroy()
  expect(await remove()).toBe('no-answer')
  server.serve = (response) => {
    response.writeHead(200, { 'content-length': '9' }).write('{}')
    setImmediate(() => response.destroy())
  }
  expect(await remove()).toBe('no-answer')
  server.serve = (response) => {
    response.writeHead(200, { 'content-encoding': 'gzip' }).end('no gzip')
  }
  expect(await remove()).toBe('no-answer')
})

/** Lets the server end a kept connection as soon as another request arrives, as if it were idle. */
function closeReused() {
  const known = new Set<unknown>()
  server.serve = (response) => {
    if (known.has(response.socket)) return void response.socket?.destroy()
    known.add(response.socket)
    return answer(response, 200, '{}')
  }
}

test('a call on a connection that the server has closed is repeated on another one', async () => {
  closeReused()
  const sent = [await remove(), await remove(), await remove()]
  expect(sent).toEqual(sent.map(() => ({ status: 200, body: Buffer.from('{}') })))
})

test('an exchange is sent once, on a connection of its own', async () => {
  closeReused()
  const request = { public_token: 'public-1' }
  const exchange = () => plaid.send('itemPublicTokenExchange', request, signal)
  await remove()
  expect([await exchange(), await exchange()]).toMatchObject([{ status: 200 }, { status: 200 }])
  server.received.splice(0)
  server.serve = (response) => response.destroy()
  expect([await exchange(), server.received.length]).toEqual(['no-answer', 1])
})

test('a signal ends a call before, and in the middle of, the answer', async () => {
  // A server of its own: on a busy machine it receives a request after the signal has ended it.
  await using silent = await startPlaidServer()
  using calls = await openPlaid({ url: silent.url, ...keys })
  const send = (by: AbortSignal) => calls.send('itemRemove', { access_token: 'access-1' }, by)
  silent.serve = () => {}
  expect(await send(AbortSignal.timeout(50))).toBe('no-answer')
  silent.serve = (response) => void response.writeHead(200).write('{')
  expect(await send(AbortSignal.timeout(50))).toBe('no-answer')
  expect(await send(AbortSignal.abort())).toBe('no-answer')
})

test('proxies of the environment are not used', async () => {
  await using proxy = await startPlaidServer()
  const names = ['HTTP_PROXY', 'HTTPS_PROXY', 'ALL_PROXY', 'http_proxy', 'https_proxy', 'all_proxy']
  const before = names.map((name) => [name, process.env[name]] as const)
  try {
    for (const name of names) process.env[name] = proxy.url
    server.serve = (response) => answer(response, 200, {})
    expect(await remove()).toMatchObject({ status: 200 })
  } finally {
    for (const [name, value] of before) {
      if (value === undefined) delete process.env[name]
      else process.env[name] = value
    }
  }
  expect([server.received.length, proxy.received.length]).toEqual([1, 0])
})
