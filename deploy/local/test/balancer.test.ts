import { once } from 'node:events'
import { Agent, createServer, get } from 'node:http'
import { type AddressInfo, connect } from 'node:net'
import { setTimeout as sleep } from 'node:timers/promises'
import { afterEach, beforeEach, expect, test } from '@jest/globals'
import { type Balancer, startBalancer } from '../src/balancer.ts'

type Replica = Awaited<ReturnType<typeof startReplica>>

const probeMs = 50

let stack: AsyncDisposableStack
let replicas: [Replica, Replica]
let balancer: Balancer

beforeEach(async () => {
  stack = new AsyncDisposableStack()
  replicas = [stack.use(await startReplica('a')), stack.use(await startReplica('b'))]
  const targets = replicas.map(({ url }) => ({ url, probeUrl: `${url}/readyz` }))
  balancer = stack.use(await startBalancer({ targets, port: 0, probeMs }))
  await untilInRotation(...replicas)
})

afterEach(() => stack.disposeAsync())

/** Starts a server that answers with its name, and with its readiness at `/readyz`. */
async function startReplica(name: string) {
  const held = Promise.withResolvers<void>()
  const state = { isReady: true, isHung: false, lateMs: 0, release: () => held.resolve() }
  let lateProbes = 0
  const server = createServer(async (request, response) => {
    if (state.isHung) return
    const isProbe = request.url?.startsWith('/readyz')
    if (request.url === '/readyz?late') await sleep(state.lateMs)
    if (request.url === '/readyz?late') lateProbes += 1
    if (request.url === '/held') await held.promise
    response.writeHead(isProbe && !state.isReady ? 503 : 200).end(name)
  })
  server.listen(0, '127.0.0.1')
  await once(server, 'listening')
  return {
    state,
    /** Returns how many late probes it has answered. */
    lateProbes: () => lateProbes,
    url: `http://127.0.0.1:${(server.address() as AddressInfo).port}`,
    [Symbol.asyncDispose]: async () => {
      server.closeAllConnections()
      if (server.listening) await once(server.close(), 'close')
    },
  }
}

/** Sends a GET; by default over a new connection. Returns the name of the replica. */
async function ask(agent?: Agent): Promise<string> {
  const request = get(balancer.url, { agent: agent ?? new Agent() })
  const [response] = await once(request, 'response')
  let text = ''
  for await (const part of response) text += part
  return text
}

async function askTimes(count: number): Promise<string[]> {
  const names: string[] = []
  while (names.length < count) names.push(await ask())
  return names
}

async function untilInRotation(...expected: Replica[]): Promise<void> {
  const urls = expected.map(({ url }) => url)
  while (String(balancer.inRotation()) !== String(urls)) await sleep(5)
}

test('new connections go round robin; requests of one connection stay on its replica', async () => {
  expect((await askTimes(4)).toSorted()).toEqual(['a', 'a', 'b', 'b'])
  using agent = Object.assign(new Agent({ keepAlive: true }), {
    [Symbol.dispose]: () => agent.destroy(),
  })
  const names = [await ask(agent), await ask(agent), await ask(agent)]
  expect(new Set(names).size).toBe(1)
})

test.each([
  ['reports that it is not ready', (state: Replica['state']) => ({ ...state, isReady: false })],
  ['hangs', (state: Replica['state']) => ({ ...state, isHung: true })],
])('a replica that %s gets no new connections until it is ready', async (_, broken) => {
  const [a, b] = replicas
  const { ...healthy } = a.state
  Object.assign(a.state, broken(a.state))
  await untilInRotation(b)
  expect(await askTimes(4)).toEqual(['b', 'b', 'b', 'b'])
  Object.assign(a.state, healthy)
  await untilInRotation(a, b)
  expect(new Set(await askTimes(4))).toEqual(new Set(['a', 'b']))
})

test('connections to a replica that answers no probe are reset', async () => {
  for (const { state } of replicas) state.isHung = true
  await expect(ask()).rejects.toMatchObject({ code: 'ECONNRESET' })
})

test('a connection to a replica that is gone is reset, not repeated', async () => {
  const targets = replicas.map(({ url }) => ({ url, probeUrl: `${url}/readyz` }))
  // No probe comes between the end of the replica and the connections.
  balancer = stack.use(await startBalancer({ targets, port: 0, probeMs: 60_000 }))
  await untilInRotation(...replicas)
  await replicas[0][Symbol.asyncDispose]()
  const ends = await Promise.allSettled([ask(), ask()])
  expect(ends.map(({ status }) => status).toSorted()).toEqual(['fulfilled', 'rejected'])
  const refused = ends.find((end) => end.status === 'rejected')
  expect(refused?.reason).toMatchObject({ code: 'ECONNRESET' })
})

test('without a ready replica one that answers serves; without one, resets follow', async () => {
  const [a, b] = replicas
  a.state.isHung = true
  b.state.isReady = false
  await untilInRotation()
  expect(await askTimes(2)).toEqual(['b', 'b'])
  await Promise.all(replicas.map((one) => one[Symbol.asyncDispose]()))
  let end: unknown
  while (end !== 'ECONNRESET') end = await ask().catch(({ code }) => code)
  const { hostname, port } = new URL(balancer.url)
  const socket = connect(Number(port), hostname)
  const [error] = await once(socket, 'error').catch((thrown) => [thrown])
  expect(error).toMatchObject({ code: 'ECONNRESET' })
})

test('a replica that is late for its probes keeps its connections', async () => {
  const [{ url, state, lateProbes }] = replicas
  const targets = [{ url, probeUrl: `${url}/readyz?late` }]
  const slow = stack.use(await startBalancer({ targets, port: 0, probeMs: 200 }))
  const request = get(`${slow.url}/held`, { agent: new Agent() })
  state.lateMs = 250
  while (lateProbes() < 7) await sleep(20)
  state.release()
  const [response] = await once(request, 'response')
  expect(response.resume().statusCode).toBe(200)
})
