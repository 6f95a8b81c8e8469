import type { Broker } from '@coffer/kit/events/broker'
import { newId } from '@coffer/kit/values/id'
import { expect, test } from '@jest/globals'
import { serviceHealthRoutes } from '../src/health.ts'
import { watchReadiness } from '../src/readiness.ts'
import { callerVerifier } from '../src/rpc/caller-verifier.ts'
import { intercepted } from '../src/rpc/intercept.ts'
import { authorize } from '../src/rpc/interceptors.ts'
import { createMesh } from '../src/rpc/mesh.ts'
import { loadSigner, loadVerifiers } from '../src/rpc/signing-key.ts'
import { serve } from '../src/serve.ts'
import { eventually } from '../testing/boot.ts'
import { scratchFolder } from '../testing/fixture/scratch.ts'
import { keepLogLines } from '../testing/log-lines.ts'
import { metricValue } from '../testing/metrics.ts'

/** Serves the ledger on a port; it accepts callers whose public keys are in the keys folder. */
function serveLedger(options: {
  keysFolder: string
  isHealthy?: () => Promise<boolean>
  now?: () => Promise<Date>
  rpcPort?: number
}) {
  const { keysFolder, isHealthy = async () => true, rpcPort = 0 } = options
  const { now = async () => new Date() } = options
  const verify = callerVerifier(loadVerifiers(keysFolder))
  const routes = serviceHealthRoutes({ ledger: { isHealthy, now } })
  return serve({
    host: '127.0.0.1',
    rpcPort,
    grpcPort: 0,
    routes: intercepted(routes, [
      authorize({ verify, clock: () => new Date(), services: ['ledger'] }),
    ]),
    blockers: async () => [],
  })
}

/** Nothing is sent while NATS is away. */
const noPeers = {
  broker: { isConnected: () => false } as Pick<Broker, 'connection' | 'isConnected'>,
  subject: newId('t'),
}

/** Returns the readiness of a process that calls the ledger and signs with a key of the folder. */
function watchLedger(options: {
  keysFolder: string
  port: number
  isEssential?: boolean
  isStarting?: () => boolean
}) {
  const { keysFolder, port, isEssential = true, isStarting = () => false } = options
  const clock = () => new Date()
  const stack = new DisposableStack()
  const urls = { ledger: `http://127.0.0.1:${port}` }
  const mesh = stack.use(createMesh({ hosted: {}, urls }))
  const signer = loadSigner(keysFolder, 'gateway')
  const { log, lines } = keepLogLines()
  const dependency = { name: 'ledger', isEssential, isHosted: false, signer }
  const { answeredAt } = mesh
  const of = { mesh, log, clock, isStarting, answeredAt, everyMs: 100, ...noPeers }
  const readiness = stack.use(watchReadiness([dependency], of))
  return { readiness, lines, [Symbol.dispose]: () => stack.dispose() }
}

test('a new process is ready once a service that it needs has accepted its token', async () => {
  await using folder = await scratchFolder()
  const keysFolder = folder.path
  loadSigner(keysFolder, 'gateway')
  const first = await serveLedger({ keysFolder })
  const { rpcPort } = first
  await first[Symbol.asyncDispose]()
  using watched = watchLedger({ keysFolder, port: rpcPort })
  const { readiness, lines } = watched
  const away = expect.stringMatching(/^ledger: does not answer \(/)
  expect(await readiness.blockers()).toEqual([away])
  const second = await serveLedger({ keysFolder, rpcPort })
  await eventually(readiness.blockers, ({ length }) => length === 0)
  await second[Symbol.asyncDispose]()
  await eventually(
    async () => readiness.away(),
    ({ length }) => length > 0,
  )
  expect([readiness.away(), await readiness.blockers()]).toEqual([[away], []])
  expect(await awayOf('service')).toBe(1)
  await using _third = await serveLedger({ keysFolder, rpcPort })
  expect(await eventually(readiness.isHealthy, Boolean)).toBe(true)
  expect([readiness.away(), await awayOf('service')]).toEqual([[], 0])
  const isAway = { level: 40, msg: 'service is away', reason: expect.stringMatching('not answer') }
  const isBack = { level: 30, msg: 'service is back', awayMs: expect.any(Number) }
  const said = lines().filter(({ service }) => service === 'ledger')
  expect(said).toMatchObject([isAway, isBack, isAway, isBack])
})

test('a fault during the start is answered, and logged once it outlasts the start', async () => {
  await using folder = await scratchFolder()
  let starts = true
  const isStarting = () => starts
  using watched = watchLedger({ keysFolder: folder.path, port: 1, isStarting })
  expect(await watched.readiness.blockers()).toHaveLength(1)
  expect(watched.lines()).toEqual([])
  starts = false
  const logged = await eventually(
    async () => watched.lines(),
    ({ length }) => length > 0,
  )
  expect(logged).toMatchObject([{ level: 40, msg: 'service is away' }])
})

test('a service that is not essential leaves the process ready, but not healthy', async () => {
  await using folder = await scratchFolder()
  using watched = watchLedger({ keysFolder: folder.path, port: 1, isEssential: false })
  expect(await watched.readiness.blockers()).toEqual([])
  expect(await watched.readiness.isHealthy()).toBe(false)
})

test('a process whose keys another service refuses is not ready', async () => {
  await using ours = await scratchFolder()
  await using theirs = await scratchFolder()
  loadSigner(theirs.path, 'gateway')
  await using ledger = await serveLedger({ keysFolder: theirs.path })
  const keysFolder = ours.path
  using watched = watchLedger({ keysFolder, port: ledger.rpcPort, isEssential: false })
  const reason = 'refuses the keys of this process (caller token is not valid)'
  expect(await watched.readiness.blockers()).toEqual([
    `ledger: ${reason}: is COFFER_KEYS_DIR the same?`,
  ])
  expect(watched.lines()[0].reason).toContain(reason)
})

test('a database that does not answer leaves callers ready, but not healthy', async () => {
  await using folder = await scratchFolder()
  const keysFolder = folder.path
  loadSigner(keysFolder, 'gateway')
  await using ledger = await serveLedger({ keysFolder, isHealthy: async () => false })
  using watched = watchLedger({ keysFolder, port: ledger.rpcPort })
  const { readiness } = watched
  expect([await readiness.blockers(), await readiness.isHealthy()]).toEqual([[], false])
  expect(readiness.away()).toEqual(['ledger: its database does not answer'])
  expect([await awayOf('postgres'), await awayOf('service')]).toEqual([1, 0])
})

const differs = 'the clock of this process is over'

test.each([
  { aheadMs: 14_000, blockers: [], logged: [] },
  { aheadMs: 29_000, blockers: [], logged: [`${differs} 15 s behind that of its database`] },
  {
    aheadMs: -32_000,
    blockers: [`ledger: ${differs} 30 s ahead of that of its database`],
    logged: [`${differs} 30 s ahead of that of its database`],
  },
])(
  'a database whose clock is ahead by $aheadMs ms is told of above 15 s, and blocks above 30 s',
  async ({ aheadMs, blockers, logged }) => {
    await using folder = await scratchFolder()
    const keysFolder = folder.path
    loadSigner(keysFolder, 'gateway')
    const now = async () => new Date(Date.now() + aheadMs)
    await using ledger = await serveLedger({ keysFolder, now })
    using watched = watchLedger({ keysFolder, port: ledger.rpcPort })
    expect(await watched.readiness.blockers()).toEqual(blockers)
    expect(await watched.readiness.isHealthy()).toBe(true)
    expect(watched.lines().map(({ reason }) => reason)).toEqual(logged)
    const seconds = (await skewOfLedger()) ?? Number.NaN
    expect(Math.abs(seconds + aheadMs / 1000)).toBeLessThan(2)
  },
)

const skewOfLedger = () => metricValue('coffer_clock_skew_seconds', { service: 'ledger' })

const awayOf = (server: string) => metricValue('coffer_away', { server, service: 'ledger' })
