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

const clock = () => new Date()

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
    routes: intercepted(routes, [authorize({ verify, clock, services: ['ledger'] })]),
    blockers: async () => [],
  })
}

/** Returns the readiness of a process that calls the ledger and signs with a key of the folder. */
function watchLedger(options: {
  keysFolder: string
  port: number
  isEssential?: boolean
  isStarting?: () => boolean
}) {
  const { keysFolder, port, isEssential = true, isStarting = () => false } = options
  const stack = new DisposableStack()
  const urls = { ledger: `http://127.0.0.1:${port}` }
  const mesh = stack.use(createMesh({ hosted: {}, urls }))
  const signer = loadSigner(keysFolder, 'gateway')
  const { log, lines } = keepLogLines()
  const dependency = { name: 'ledger', isEssential, signer }
  const watched = { mesh, log, clock, isStarting, everyMs: 100 }
  const readiness = stack.use(watchReadiness([dependency], watched))
  return { readiness, lines, [Symbol.dispose]: () => stack.dispose() }
}

test('while a service is away the process is not ready; both changes are logged', async () => {
  await using folder = await scratchFolder()
  const keysFolder = folder.path
  loadSigner(keysFolder, 'gateway')
  const first = await serveLedger({ keysFolder })
  const { rpcPort } = first
  using watched = watchLedger({ keysFolder, port: rpcPort })
  const { readiness, lines } = watched
  expect([await readiness.blockers(), await readiness.isHealthy()]).toEqual([[], true])
  await first[Symbol.asyncDispose]()
  const away = await eventually(readiness.blockers, ({ length }) => length > 0)
  expect(away).toEqual([expect.stringMatching(/^ledger: does not answer \(/)])
  expect(await readiness.isHealthy()).toBe(false)
  await using _second = await serveLedger({ keysFolder, rpcPort })
  await eventually(readiness.blockers, ({ length }) => length === 0)
  expect(await eventually(readiness.isHealthy, Boolean)).toBe(true)
  expect(lines().filter(({ service }) => service === 'ledger')).toMatchObject([
    { level: 40, msg: 'service is away', reason: expect.stringContaining('does not answer') },
    { level: 30, msg: 'service is back', awayMs: expect.any(Number) },
  ])
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

test.each([
  [true, ['ledger: its database does not answer']],
  [false, []],
])(
  'a service whose database does not answer is not healthy (essential: %s)',
  async (isEssential, blockers) => {
    await using folder = await scratchFolder()
    const keysFolder = folder.path
    loadSigner(keysFolder, 'gateway')
    await using ledger = await serveLedger({ keysFolder, isHealthy: async () => false })
    using watched = watchLedger({ keysFolder, port: ledger.rpcPort, isEssential })
    expect(await watched.readiness.blockers()).toEqual(blockers)
    expect(await watched.readiness.isHealthy()).toBe(false)
  },
)

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
