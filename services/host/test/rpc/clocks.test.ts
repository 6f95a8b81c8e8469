import { anonymousCaller, type Signer } from '@coffer/kit/rpc/caller'
import { asCaller } from '@coffer/kit/rpc/rpc'
import { ServiceHealthService } from '@coffer/proto/health/v1/service_health'
import { Code, ConnectError } from '@connectrpc/connect'
import { expect, test } from '@jest/globals'
import { callerVerifier } from '../../src/rpc/caller-verifier.ts'
import { intercepted } from '../../src/rpc/intercept.ts'
import { authorize } from '../../src/rpc/interceptors.ts'
import { createMesh } from '../../src/rpc/mesh.ts'
import { loadSigner, loadVerifiers } from '../../src/rpc/signing-key.ts'
import { serve } from '../../src/serve.ts'
import { scratchFolder } from '../../testing/fixture/scratch.ts'

/** Serves the ledger with a clock that differs by `aheadMs`; counts the calls that it accepts. */
async function serveLedger(
  keysFolder: string,
  aheadMs: number,
  verify = callerVerifier(loadVerifiers(keysFolder)),
) {
  const replica = { accepted: 0, url: '' }
  const clock = () => new Date(Date.now() + aheadMs)
  const servers = await serve({
    host: '127.0.0.1',
    rpcPort: 0,
    grpcPort: 0,
    routes: intercepted(
      (router) => {
        router.service(ServiceHealthService, {
          checkServiceHealth: async () => {
            replica.accepted += 1
            return { isDatabaseHealthy: true }
          },
        })
      },
      [authorize({ verify, clock, services: ['ledger'] })],
    ),
    blockers: async () => [],
  })
  replica.url = `http://127.0.0.1:${servers.rpcPort}`
  return Object.assign(replica, { [Symbol.asyncDispose]: servers[Symbol.asyncDispose] })
}

/** Starts two replicas with these clocks and a client of both. */
async function startTwo(aheadMs: [number, number]) {
  const stack = new AsyncDisposableStack()
  const folder = stack.use(await scratchFolder())
  const signer: Signer = loadSigner(folder.path, 'gateway')
  const first = stack.use(await serveLedger(folder.path, aheadMs[0]))
  const second = stack.use(await serveLedger(folder.path, aheadMs[1]))
  const urls = { ledger: `${first.url},${second.url}` }
  const mesh = stack.use(createMesh({ hosted: {}, urls, connectionMsMax: 0 }))
  const health = mesh.client('ledger', ServiceHealthService)
  const call = () => {
    return health.checkServiceHealth({}, asCaller(anonymousCaller(signer, new Date())))
  }
  return { first, second, call, [Symbol.asyncDispose]: () => stack.disposeAsync() }
}

test('a replica that refuses tokens by its clock is ejected, and calls go elsewhere', async () => {
  await using two = await startTwo([0, 91_000])
  for (let sent = 0; sent < 10; sent += 1) await two.call()
  expect([two.first.accepted, two.second.accepted]).toEqual([10, 0])
  await Promise.all(Array.from({ length: 10 }, two.call))
})

test('replicas with clocks 30 s apart get the same calls', async () => {
  await using two = await startTwo([-30_000, 30_000])
  for (let sent = 0; sent < 10; sent += 1) await two.call()
  expect([two.first.accepted, two.second.accepted]).toEqual([5, 5])
})

test('a call is repeated until one of the replicas accepts its token', async () => {
  await using folder = await scratchFolder()
  const signer = loadSigner(folder.path, 'gateway')
  await using stack = new AsyncDisposableStack()
  const replicas = []
  for (const aheadMs of [91_000, 91_000, 91_000, 0]) {
    replicas.push(stack.use(await serveLedger(folder.path, aheadMs)))
  }
  const urls = { ledger: replicas.map(({ url }) => url).join() }
  const mesh = stack.use(createMesh({ hosted: {}, urls }))
  const health = mesh.client('ledger', ServiceHealthService)
  await health.checkServiceHealth({}, asCaller(anonymousCaller(signer, new Date())))
  expect(replicas.map(({ accepted }) => accepted)).toEqual([0, 0, 0, 1])
})

/** Refuses the tokens of this version like 0.2.0, whose refusals have no header. */
const formerly = () =>
  Promise.reject(new ConnectError('caller token is not valid', Code.Unauthenticated))

test('calls beside replicas of 0.2.0 reach the one that knows their tokens', async () => {
  await using folder = await scratchFolder()
  const signer = loadSigner(folder.path, 'gateway')
  await using stack = new AsyncDisposableStack()
  const replicas = [
    stack.use(await serveLedger(folder.path, 0, formerly)),
    stack.use(await serveLedger(folder.path, 0, formerly)),
    stack.use(await serveLedger(folder.path, 0)),
  ]
  const urls = { ledger: replicas.map(({ url }) => url).join() }
  const mesh = stack.use(createMesh({ hosted: {}, urls }))
  const health = mesh.client('ledger', ServiceHealthService)
  for (let sent = 0; sent < 10; sent += 1) {
    await health.checkServiceHealth({}, asCaller(anonymousCaller(signer, new Date())))
  }
  expect(replicas.map(({ accepted }) => accepted)).toEqual([0, 0, 10])
})

test('tokens that every replica refuses are unavailable', async () => {
  await using two = await startTwo([91_000, 91_000])
  await expect(two.call()).rejects.toMatchObject({ code: Code.Unavailable })
})
