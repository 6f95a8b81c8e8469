import { type ChildProcess, spawn } from 'node:child_process'
import { once } from 'node:events'
import { mkdtemp, rm } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { definitions } from '@coffer/cli/services'
import { newId } from '@coffer/kit/id'
import { eventually } from '@coffer/kit/testing/boot'
import { cloneDatabase, requiredVariable } from '@coffer/kit/testing/database'
import { freePorts } from '@coffer/local/ports'
import { afterAll, beforeAll, expect, test } from '@jest/globals'
import { newPerson } from '../harness/person.ts'

const command = join(import.meta.dirname, '../../deploy/cli/src/coffer.ts')
const parts = ['identity', 'ledger', 'budgeting', 'aggregator-sync', 'feed-sync', 'gateway']

const stack = new AsyncDisposableStack()
let baseUrl = ''
const processes: ChildProcess[] = []

/** Every part in a process of its own, found by the others over HTTP. */
beforeAll(async () => {
  const { url } = stack.use(await cloneDatabase(definitions))
  const dataDir = await mkdtemp(join(tmpdir(), 'coffer-mesh-'))
  stack.defer(() => rm(dataDir, { recursive: true, force: true }))
  const ports = await freePorts(parts.length * 2 + 1)
  const rpcPorts = new Map(parts.map((part, index) => [part, ports[2 * index] ?? 0]))
  const port = ports.at(-1)
  baseUrl = `http://127.0.0.1:${port}`
  const addresses = [...rpcPorts]
    .filter(([part]) => part !== 'gateway')
    .map(([part, rpcPort]) => {
      const variable = part.replaceAll('-', '_').toUpperCase()
      return [`COFFER_${variable}_URL`, `http://127.0.0.1:${rpcPort}`]
    })
  const shared = {
    PATH: process.env.PATH,
    HOME: process.env.HOME,
    COFFER_DATABASE_URL: url,
    COFFER_NATS_URL: requiredVariable('COFFER_TEST_NATS_URL'),
    COFFER_TEMPORAL_ADDRESS: requiredVariable('COFFER_TEST_TEMPORAL_ADDRESS'),
    COFFER_PREFIX: newId('t'),
    COFFER_DATA_DIR: dataDir,
    COFFER_PORT: String(port),
    COFFER_LOG_LEVEL: 'warn',
    COFFER_ALLOW_SIGN_UP: 'true',
    ...Object.fromEntries(addresses),
  }
  for (const [index, part] of parts.entries()) {
    const own = {
      COFFER_RPC_PORT: String(ports[2 * index]),
      COFFER_GRPC_PORT: String(ports[2 * index + 1]),
    }
    const args = ['--disable-warning=ExperimentalWarning', command, 'serve', part]
    const env = { ...shared, ...own }
    processes.push(spawn(process.execPath, args, { env, stdio: ['ignore', 'ignore', 'inherit'] }))
  }
  stack.defer(() => {
    for (const child of processes) child.kill('SIGKILL')
  })
  for (const rpcPort of rpcPorts.values()) {
    const isReady = () =>
      fetch(`http://127.0.0.1:${rpcPort}/readyz`).then(
        ({ status }) => status === 200,
        () => false,
      )
    await eventually(isReady, Boolean, 60_000)
  }
})

afterAll(async () => {
  await stack.disposeAsync()
})

test('a budget works across six processes', async () => {
  const alice = await newPerson(baseUrl)
  const { path } = await alice.opensAccount(100_000)
  const pay = await alice.post(`${path}/funding_schedules`, {
    name: 'Pay',
    ruleset: 'DTSTART:20260115T060000Z\nRRULE:FREQ=MONTHLY;INTERVAL=1;BYMONTHDAY=15,-1',
  })
  const trip = await alice.post(`${path}/spending`, {
    spendingType: 'goal',
    name: 'Trip',
    fundingScheduleId: pay.fundingScheduleId,
    targetAmount: 50_000,
    nextRecurrence: `${new Date().getUTCFullYear() + 2}-01-01T06:00:00Z`,
  })
  const { spendingId } = trip
  const transfer = { fromSpendingId: null, toSpendingId: spendingId, amount: 30_000 }
  await alice.post(`${path}/spending/transfer`, transfer)
  await alice.post(`${path}/transactions`, {
    name: 'Tickets',
    amount: 12_000,
    date: '2026-03-02T06:00:00Z',
    spendingId,
    adjustsBalance: true,
  })
  expect(await alice.get(`${path}/balances`)).toMatchObject({
    available: 88_000,
    goals: 18_000,
    free: 70_000,
  })
  expect(await alice.get(`${path}/spending`)).toMatchObject([
    { spendingId, currentAmount: 18_000, usedAmount: 12_000 },
  ])
})

test('every process drains on SIGTERM and exits with 0', async () => {
  const codes = processes.map(async (child) => {
    child.kill('SIGTERM')
    const [code] = await once(child, 'exit')
    return code
  })
  expect(await Promise.all(codes)).toEqual(parts.map(() => 0))
})
