import { once } from 'node:events'
import { type AddressInfo, createServer } from 'node:net'
import { expect, test } from '@jest/globals'
import { connectBroker } from '../../src/events/nats.ts'
import { keepLogLines } from '../../testing/log-lines.ts'

const triesMax = 50

/** Starts a server of a cluster that names another one and refuses every sign-in, 50 at most. */
async function startRefusing() {
  let tries = 0
  const server = createServer((socket) => {
    tries++
    const { port } = server.address() as AddressInfo
    const [host, other] = tries % 2 === 0 ? ['127.0.0.1', '127.0.0.2'] : ['127.0.0.2', '127.0.0.1']
    const info = { server_id: 'one', version: '2.15.2', headers: true, proto: 1, max_payload: 1e6 }
    const urls = [`${host}:${port}`, `${other}:${port}`]
    socket.on('error', () => undefined)
    socket.on('data', () => socket.end("-ERR 'Authorization Violation'\r\n"))
    if (tries > triesMax) socket.destroy()
    else socket.write(`INFO ${JSON.stringify({ ...info, connect_urls: urls })}\r\n`)
  })
  server.listen(0, '0.0.0.0')
  await once(server, 'listening')
  return {
    url: `coffer-ledger:wrong@127.0.0.1:${(server.address() as AddressInfo).port}`,
    tries: () => tries,
    [Symbol.asyncDispose]: async () => void server.close(),
  }
}

test('a cluster that refuses the sign-in keeps no process from its start', async () => {
  await using server = await startRefusing()
  const { log, lines } = keepLogLines('warn')
  const of = { url: server.url, prefix: 'coffer', serviceNames: ['ledger'], log }
  await using broker = await connectBroker(of)
  expect(broker.hasConnected()).toBe(false)
  expect(server.tries()).toBe(1)
  const [{ msg, err }] = lines()
  expect([msg, err.message]).toEqual([
    'NATS does not answer: changes wait in the outbox',
    expect.stringContaining('Authorization Violation'),
  ])
})
