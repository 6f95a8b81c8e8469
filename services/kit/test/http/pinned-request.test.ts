import { once } from 'node:events'
import { createServer } from 'node:http'
import { text } from 'node:stream/consumers'
import { expect, test } from '@jest/globals'
import { pinHost, requestPinned } from '../../src/http/pinned-request.client.ts'

const signal = new AbortController().signal

/** Starts a server that answers with the method, the body, and 2,000 letters. */
async function startServer() {
  const server = createServer(async (request, response) => {
    const sent = `${request.method} ${request.headers['x-id']} ${await text(request)} `
    response.writeHead(200).end(sent + 'x'.repeat(2_000))
  }).listen(0, '127.0.0.1')
  await once(server, 'listening')
  const { port } = server.address() as { port: number }
  return {
    url: new URL(`http://receiver.example:${port}/in`),
    [Symbol.asyncDispose]: async () => {
      server.close()
      server.closeAllConnections()
    },
  }
}

test('a body is sent, and the answer is cut or refused at its bound', async () => {
  await using server = await startServer()
  const resolve = async () => [{ address: '127.0.0.1', family: 4 }]
  const lookup = await pinHost(server.url, { allowsPrivate: true, signal, resolve })
  const headers = { 'x-id': 'msg_1' }
  const of = { lookup, headers, signal, method: 'POST', body: '{"a":1}', bodyMax: 1_024 } as const
  const cut = await requestPinned(server.url, { ...of, isCut: true })
  expect([cut.status, cut.body.length]).toEqual([200, 1_024])
  expect(cut.body.toString()).toMatch(/^POST msg_1 \{"a":1\} xxx/)
  await expect(requestPinned(server.url, of)).rejects.toMatchObject({ reason: 'too-large' })
})

test.each([
  'http://127.0.0.1/',
  'http://[::1]/',
  'http://localhost/',
  'http://169.254.169.254/',
  'http://0x7f.1/',
])('an address in the URL is no exception: %s', async (url) => {
  const pinned = pinHost(new URL(url), { allowsPrivate: false, signal })
  await expect(pinned).rejects.toMatchObject({ reason: 'private-address' })
})
