import { once } from 'node:events'
import { request } from 'node:http'
import type { AddressInfo } from 'node:net'
import { expect, test } from '@jest/globals'
import { byKey, createGateway } from '../gateway.ts'
import { ids } from '../samples.ts'
import { alice } from '../stub-mesh.ts'

const handshake = {
  connection: 'upgrade',
  upgrade: 'websocket',
  'sec-websocket-version': '13',
  'sec-websocket-key': 'dGhlIHNhbXBsZSBub25jZQ==',
}
const { linkId, bankAccountId } = ids

test.each([
  ['stream', '/api/changes/stream', { accept: 'text/event-stream' }, 'request', 'response'],
  [
    'socket',
    `/api/feed/link/sync/${linkId}/bank_account/${bankAccountId}/progress`,
    handshake,
    'upgrade',
    'upgrade',
  ],
])('a client that leaves before its %s is admitted does not count', async (...of) => {
  const [, path, headers, arrival, answer] = of
  const verified = Promise.withResolvers<{ credential: typeof alice }>()
  const stubs = {
    signIn: { verifyApiKey: () => verified.promise },
    feed: { listChanges: () => ({ position: 7n }) },
    links: { getLink: () => ({ link: { linkId, linkType: 'feed', feedLinkId: ids.feedLinkId } }) },
    bankAccounts: { describeBankAccount: () => ({ linkId }) },
    feedSyncs: { getHealth: () => ({ health: { bankAccounts: [{ bankAccountId }] } }) },
  }
  const draining = new AbortController()
  const broker = { hasConnected: () => false, subject: (name: string) => name }
  const more = { broker: broker as never, draining: draining.signal }
  await using gateway = await createGateway(stubs, { COFFER_FEED_ENABLED: 'true' }, more)
  const { server } = gateway.app
  await gateway.app.listen({ host: '127.0.0.1', port: 0 })
  const { port } = server.address() as AddressInfo
  const open = () => {
    const sent = request({ port, path, headers: { ...byKey, ...headers }, agent: false })
    return sent.on('error', () => undefined)
  }
  for (let count = 0; count < 20; count += 1) {
    const connected = once(server, 'connection')
    const arrived = once(server, arrival)
    const client = open()
    client.end()
    const [[connection]] = await Promise.all([connected, arrived])
    const closed = new Promise((resolve) => connection.once('close', resolve))
    client.socket?.resetAndDestroy()
    await closed
  }
  verified.resolve({ credential: alice })
  const client = open()
  const refused = once(client, 'response')
  client.end()
  const [{ statusCode }, socket] = await Promise.race([refused, once(client, answer)])
  expect(statusCode).toBe(answer === 'upgrade' ? 101 : 200)
  draining.abort()
  ;(socket ?? client).destroy()
})
