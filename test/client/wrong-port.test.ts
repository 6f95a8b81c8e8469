import { once } from 'node:events'
import { type AddressInfo, createServer } from 'node:net'
import { createClient } from '@coffer/client'
import { freePorts } from '@coffer/local/ports'
import { expect, test } from '@jest/globals'
import WebSocket from 'ws'

/** How many times faster the clock of the client runs without a timeout of the platform. */
const speed = 20

/** Calls a port until the client gives up; its pauses are the longest: 250, 500, 1000, 2000 ms. */
async function giveUp(port: number | undefined, options: { timeoutMs?: number } = {}) {
  using stack = new DisposableStack()
  stack.use(replaced(Math, 'random', () => 0.999))
  if (options.timeoutMs === undefined) {
    const [wait, { now }] = [setTimeout, performance]
    const sooner = (done: () => void, ms = 0) => wait(done, ms / speed)
    stack.use(replaced(globalThis, 'setTimeout', sooner as typeof setTimeout))
    stack.use(replaced(performance, 'now', () => now.call(performance) * speed))
  }
  let attempts = 0
  const counted: typeof fetch = (request) => {
    attempts += 1
    return fetch(request)
  }
  const baseUrl = `http://127.0.0.1:${port}`
  const call = createClient({ baseUrl, fetch: counted, ...options }).getHealth()
  const error = await call.catch((thrown) => thrown)
  return { cause: error.cause, attempts }
}

/** Replaces a member until it is disposed. */
function replaced<Of extends object, Name extends keyof Of>(of: Of, name: Name, by: Of[Name]) {
  const before = of[name]
  of[name] = by
  return {
    [Symbol.dispose]: () => {
      of[name] = before
    },
  }
}

test.each([{}, { timeoutMs: 700 }])('a wrong port fails with its cause: %j', async (options) => {
  const [port] = await freePorts(1)
  const { cause, attempts } = await giveUp(port, options)
  expect(cause).toMatchObject({ code: 'ECONNREFUSED' })
  expect(attempts).toBeLessThanOrEqual('timeoutMs' in options ? 2 : 5)
})

test.each([
  ['ws', { WebSocket }],
  ['this Node.js', {}],
])('a socket to a wrong port fails with its cause, with the class of %s', async (_, options) => {
  const [port] = await freePorts(1)
  const key = { apiKeyId: 'key_1', secret: 'secret' }
  const client = createClient({ baseUrl: `http://127.0.0.1:${port}`, key, ...options })
  const path = { bankAccountId: 'bac_1', transactionUploadId: 'txup_1' }
  const error = await client
    .watchUpload({ path })
    .next()
    .catch((thrown) => thrown)
  expect(error.message).toContain('The socket failed')
  expect(error.cause).toMatchObject({ code: 'ECONNREFUSED' })
})

test('a port of another protocol fails with its cause as well', async () => {
  const server = createServer((socket) => socket.resume().end('no HTTP\r\n'))
  await once(server.listen(0, '127.0.0.1'), 'listening')
  const { cause, attempts } = await giveUp((server.address() as AddressInfo).port)
  server.close()
  expect(String(cause)).toContain('does not match the HTTP/1.1 protocol')
  expect(attempts).toBeLessThanOrEqual(5)
})
