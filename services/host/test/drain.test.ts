import { once } from 'node:events'
import { Agent } from 'node:http'
import { connect as connectHttp2 } from 'node:http2'
import { connect } from 'node:net'
import { expect, test } from '@jest/globals'
import type { Servers } from '../src/serve.ts'
import { eventually } from '../testing/boot.ts'
import { createCalls } from '../testing/fixture/calls.ts'
import { serveCalls } from '../testing/fixture/mesh.ts'
import { post } from '../testing/fixture/post.ts'
import { scratchFolder } from '../testing/fixture/scratch.ts'

function isListening(port: number): Promise<boolean> {
  const socket = connect(port, '127.0.0.1')
  return new Promise((resolve) => {
    socket.once('connect', () => {
      socket.destroy()
      resolve(true)
    })
    socket.once('error', () => resolve(false))
  })
}

async function refusesNewConnections({ rpcPort, grpcPort }: Servers): Promise<void> {
  for (const port of [rpcPort, grpcPort]) {
    await eventually(
      () => isListening(port),
      (listening) => !listening,
    )
  }
}

test('a drain waits for the running call, refuses new ones, closes connections', async () => {
  await using folder = await scratchFolder()
  const calls = createCalls()
  const servers = await serveCalls(calls, folder.path)
  const agent = new Agent({ keepAlive: true, maxSockets: 1 })
  const place = { port: servers.rpcPort, agent, keys: folder.path }
  expect((await post(place, 'fine')).statusCode).toBe(200)

  const running = post(place, 'held')
  await calls.arrived
  let drained = false
  const drain = servers[Symbol.asyncDispose]().then(() => {
    drained = true
  })
  await refusesNewConnections(servers)
  expect(drained).toBe(false)
  calls.release()
  const response = await running
  expect(response.statusCode).toBe(200)
  expect(response.headers.connection).toBe('close')
  await drain
  agent.destroy()
})

test('a process that is told to stop still serves, but is not ready', async () => {
  await using folder = await scratchFolder()
  const draining = new AbortController()
  const servers = await serveCalls(createCalls(), folder.path, { draining: draining.signal })
  const agent = new Agent({ keepAlive: true, maxSockets: 1 })
  const place = { port: servers.rpcPort, agent, keys: folder.path }
  const readiness = async () => (await fetch(`http://127.0.0.1:${servers.rpcPort}/readyz`)).status
  const before = await post(place, 'fine')
  expect([before.headers.connection, await readiness()]).toEqual(['keep-alive', 200])
  draining.abort()
  const told = await post(place, 'fine')
  expect(told).toMatchObject({ statusCode: 200, headers: { connection: 'close' } })
  expect(told.localPort).toBe(before.localPort)
  const after = await post(place, 'fine')
  expect(after).toMatchObject({ statusCode: 200, headers: { connection: 'close' } })
  expect(after.localPort).not.toBe(before.localPort)
  expect(await readiness()).toBe(503)
  await servers[Symbol.asyncDispose]()
  await expect(readiness()).rejects.toThrow()
})

test('a connection without requests does not delay a drain', async () => {
  await using folder = await scratchFolder()
  const servers = await serveCalls(createCalls(), folder.path)
  const unused = connect(servers.rpcPort, '127.0.0.1')
  await once(unused, 'connect')
  unused.on('error', () => undefined)
  const closed = once(unused, 'close')
  await servers[Symbol.asyncDispose]()
  await closed
})

test('a call that does not end is cut off after the drain timeout', async () => {
  await using folder = await scratchFolder()
  const calls = createCalls()
  const servers = await serveCalls(calls, folder.path, { drainMsMax: 20 })
  const agent = new Agent({ keepAlive: true })
  const running = post({ port: servers.rpcPort, agent, keys: folder.path }, 'held')
  const cut = expect(running).rejects.toMatchObject({ code: 'ECONNRESET' })
  await calls.arrived
  await servers[Symbol.asyncDispose]()
  await cut
  calls.release()
})

test('an idle gRPC connection, or one that watches health, does not delay a drain', async () => {
  await using folder = await scratchFolder()
  const servers = await serveCalls(createCalls(), folder.path)
  const session = connectHttp2(`http://127.0.0.1:${servers.grpcPort}`)
  const watch = session.request({
    ':method': 'POST',
    ':path': '/grpc.health.v1.Health/Watch',
    'content-type': 'application/grpc',
    te: 'trailers',
  })
  watch.end(Buffer.alloc(5))
  const messages: Buffer[] = []
  watch.on('data', (bytes: Buffer) => messages.push(bytes))
  await once(watch, 'data')
  const closed = once(session, 'close')
  await servers[Symbol.asyncDispose]()
  await closed
  // Each message has a 5-byte frame header; field 1 of HealthCheckResponse is 1 (SERVING) or 2
  // (NOT_SERVING).
  const frames = Buffer.concat(messages)
  expect([frames.at(6), frames.at(13)]).toEqual([1, 2])
})

test('when the second port is taken, the first is closed', async () => {
  await using folder = await scratchFolder()
  await using first = await serveCalls(createCalls(), folder.path)
  const ports = { rpcPort: 0, grpcPort: first.grpcPort }
  await expect(serveCalls(createCalls(), folder.path, ports)).rejects.toMatchObject({
    code: 'EADDRINUSE',
  })
})

test('the HTTP port serves liveness, readiness and metrics', async () => {
  await using folder = await scratchFolder()
  const reasons: string[] = []
  const servers = await serveCalls(createCalls(), folder.path, { blockers: async () => reasons })
  const get = async (page: string) =>
    (await fetch(`http://127.0.0.1:${servers.rpcPort}${page}`)).status
  expect(await get('/healthz')).toBe(200)
  expect(await get('/readyz')).toBe(200)
  expect(await get('/metrics')).toBe(200)
  expect(await get('/elsewhere')).toBe(404)
  reasons.push('ledger: its database does not answer')
  expect(await get('/healthz')).toBe(200)
  const ready = await fetch(`http://127.0.0.1:${servers.rpcPort}/readyz`)
  expect(ready.status).toBe(503)
  expect(await ready.text()).toBe('not ready\nledger: its database does not answer\n')
  await servers[Symbol.asyncDispose]()
})
