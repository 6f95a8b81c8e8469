import { execFile } from 'node:child_process'
import { once } from 'node:events'
import { createServer } from 'node:http'
import type { AddressInfo } from 'node:net'
import { fileURLToPath } from 'node:url'
import { promisify } from 'node:util'
import { FeedLinkService } from '@coffer/proto/feedsync/v1/feed_link'
import { connectNodeAdapter } from '@connectrpc/connect-node'
import { expect, test } from '@jest/globals'
import { createMesh } from '../../src/rpc/mesh.ts'
import { eventually } from '../../testing/boot.ts'

/** Starts a server that counts the connections made to it. */
async function countingServer() {
  let connections = 0
  const routes = connectNodeAdapter({
    routes: (router) => {
      router.service(FeedLinkService, { listFeedLinks: () => ({}) })
    },
  })
  const server = createServer(routes).listen(0, '127.0.0.1')
  server.on('connection', () => connections++)
  await once(server, 'listening')
  return {
    url: `http://127.0.0.1:${(server.address() as AddressInfo).port}`,
    connections: () => connections,
    [Symbol.asyncDispose]: async () => {
      server.closeAllConnections()
      await once(server.close(), 'close')
    },
  }
}

test('reads and keyed writes survive a broken connection, all writes a refused one', async () => {
  const script = fileURLToPath(new URL('../fixture/lost-connections.ts', import.meta.url))
  const { stdout } = await promisify(execFile)(process.execPath, [script])
  expect(JSON.parse(stdout)).toEqual({
    read: { feedLinkId: 'lfx_1', requests: 2 },
    write: { outcome: 'DeadlineExceeded', requests: 1 },
    list: { outcome: 'Unavailable', requests: 2 },
    answered: 'Aborted',
    keyed: { outcome: 'written', requests: 2 },
    unhashed: { outcome: 'DeadlineExceeded', requests: 1 },
    unreachable: 'Unavailable',
    late: { isWritten: true, requests: 1 },
  })
})

test('calls share a connection until its lifetime ends', async () => {
  await using server = await countingServer()
  using lasting = createMesh({ hosted: {}, urls: { links: server.url } })
  const links = lasting.client('links', FeedLinkService)
  for (let calls = 0; calls < 5; calls++) await links.listFeedLinks({})
  expect(server.connections()).toBe(1)

  using fleeting = createMesh({ hosted: {}, urls: { links: server.url }, connectionMsMax: 1 })
  const renewing = fleeting.client('links', FeedLinkService)
  const connections = await eventually(
    async () => {
      await renewing.listFeedLinks({})
      return server.connections()
    },
    (count) => count >= 4,
  )
  expect(connections).toBe(4)
})

test('a service without an address is named in the error', () => {
  using mesh = createMesh({ hosted: {}, urls: {} })
  expect(() => mesh.client('ledger', FeedLinkService)).toThrow('no address for service ledger')
})
