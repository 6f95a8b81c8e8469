import { once } from 'node:events'
import { createServer } from 'node:http'
import type { AddressInfo } from 'node:net'
import { FeedLinkService } from '@coffer/proto/feedsync/v1/feed_link'
import { Code, ConnectError } from '@connectrpc/connect'
import { connectNodeAdapter } from '@connectrpc/connect-node'
import { expect, test } from '@jest/globals'
import { createMesh } from '../../src/rpc/mesh.ts'
import { eventually } from '../../testing/boot.ts'

type Behaviour = 'answers' | 'is unavailable' | 'is slow' | 'hangs' | 'stops' | 'breaks'

/** Starts a replica whose behaviour a test sets; it counts the calls and probes that it gets. */
async function startReplica(port = 0) {
  const replica = { behaviour: 'answers' as Behaviour, calls: 0, probes: 0, url: '' }
  const held: (() => void)[] = []
  const list = async () => {
    replica.calls += 1
    if (replica.behaviour === 'is unavailable') throw new ConnectError('busy', Code.Unavailable)
    if (replica.behaviour === 'is slow') await new Promise<void>((go) => held.push(go))
    return {}
  }
  const handle = connectNodeAdapter({
    routes: (router) => {
      router.service(FeedLinkService, { listFeedLinks: list })
    },
  })
  const server = createServer((request, response) => {
    const isProbe = ['/healthz', '/readyz'].includes(request.url ?? '')
    if (isProbe) replica.probes += 1
    if (replica.behaviour === 'hangs') return
    if (replica.behaviour === 'breaks') return request.destroy()
    if (replica.behaviour === 'stops') response.shouldKeepAlive = false
    if (!isProbe) return handle(request, response)
    response.end()
    // A process that answers a probe is slow, and its call ends.
    for (const go of held.splice(0)) go()
  }).listen(port, '127.0.0.1')
  await once(server, 'listening')
  replica.url = `http://127.0.0.1:${(server.address() as AddressInfo).port}`
  return Object.assign(replica, {
    [Symbol.asyncDispose]: async () => {
      server.closeAllConnections()
      if (server.listening) await once(server.close(), 'close')
    },
  })
}

/** Starts two replicas and a client whose connections carry one call each. */
async function startTwo() {
  const stack = new AsyncDisposableStack()
  const first = stack.use(await startReplica())
  const second = stack.use(await startReplica())
  const urls = { links: `${first.url},${second.url}` }
  const mesh = stack.use(createMesh({ hosted: {}, urls, connectionMsMax: 0 }))
  const links = mesh.client('links', FeedLinkService)
  const list = async (times: number) => {
    for (let sent = 0; sent < times; sent += 1) await links.listFeedLinks({})
  }
  return { first, second, list, [Symbol.asyncDispose]: () => stack.disposeAsync() }
}

test.concurrent('new connections go to the replicas by round robin', async () => {
  await using two = await startTwo()
  await two.list(6)
  expect([two.first.calls, two.second.calls]).toEqual([3, 3])
})

test.concurrent('a replica that hangs is ejected, and another answers its reads', async () => {
  await using two = await startTwo()
  two.second.behaviour = 'hangs'
  await two.list(6)
  expect([two.first.calls, two.second.calls]).toEqual([6, 0])
})

test.concurrent('one probe decides for all calls that wait for a replica', async () => {
  await using two = await startTwo()
  two.second.behaviour = 'hangs'
  await Promise.all(Array.from({ length: 30 }, () => two.list(1)))
  expect([two.first.calls, two.second.probes]).toEqual([30, 1])
})

test.concurrent('a replica that answers a probe keeps its slow calls', async () => {
  await using two = await startTwo()
  two.second.behaviour = 'is slow'
  await two.list(4)
  expect([two.first.calls, two.second.calls]).toEqual([2, 2])
})

test.concurrent('three consecutive errors "unavailable" eject a replica', async () => {
  await using two = await startTwo()
  two.second.behaviour = 'is unavailable'
  await two.list(20)
  expect([two.first.calls, two.second.calls]).toEqual([20, 3])
})

test.concurrent('the last replica is never ejected', async () => {
  await using two = await startTwo()
  two.first.behaviour = 'is unavailable'
  two.second.behaviour = 'is unavailable'
  for (let sent = 0; sent < 8; sent += 1) await expect(two.list(1)).rejects.toThrow('busy')
  two.first.behaviour = 'answers'
  two.second.behaviour = 'answers'
  await two.list(1)
})

test.concurrent.each<Behaviour>(['hangs', 'is unavailable'])(
  'when the last replica %s, an ejected one that is well again takes its calls',
  async (behaviour) => {
    await using two = await startTwo()
    two.second.behaviour = 'is unavailable'
    await two.list(6)
    two.second.behaviour = 'answers'
    two.first.behaviour = behaviour
    const isAnswered = async () => {
      const [{ status } = {}] = await Promise.allSettled([two.list(1)])
      return status === 'fulfilled'
    }
    await eventually(isAnswered, Boolean, 8_000)
    const { calls } = two.second
    await two.list(4)
    expect(two.second.calls).toBe(calls + 4)
  },
)

test.concurrent('a replica that stops gets no calls while another is ready', async () => {
  await using two = await startTwo()
  two.second.behaviour = 'stops'
  await two.list(6)
  expect([two.first.calls, two.second.calls]).toEqual([5, 1])
})

test.concurrent('after a broken connection a read is repeated at another replica', async () => {
  await using two = await startTwo()
  await two.list(2)
  two.second.behaviour = 'breaks'
  two.first.behaviour = 'answers'
  await two.list(6)
  expect([two.first.calls, two.second.calls]).toEqual([7, 1])
})

test.concurrent('when the last replica refuses connections, one that is back is used', async () => {
  await using two = await startTwo()
  const { port } = new URL(two.first.url)
  await two.first[Symbol.asyncDispose]()
  await two.list(2)
  await using back = await startReplica(Number(port))
  await two.second[Symbol.asyncDispose]()
  await two.list(2)
  expect(back.calls).toBe(2)
})
