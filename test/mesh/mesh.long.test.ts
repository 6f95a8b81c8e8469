import { type ChildProcess, spawn } from 'node:child_process'
import { once } from 'node:events'
import { mkdtemp, rm } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { definitions } from '@coffer/cli/process/services'
import { serviceNames } from '@coffer/cli/settings/service-names'
import { eventually } from '@coffer/host/testing/boot'
import { cloneDatabase, requiredVariable } from '@coffer/host/testing/database'
import { silentLog } from '@coffer/host/testing/silent-log'
import { connectTemporal } from '@coffer/host/workflows/temporal'
import { newId } from '@coffer/kit/values/id'
import { freePorts } from '@coffer/local/ports'
import { afterAll, beforeAll, expect, test } from '@jest/globals'
import { newPerson } from '../harness/person.ts'

const command = join(import.meta.dirname, '../../deploy/cli/src/coffer.ts')
const parts = [...serviceNames, 'gateway']

const stack = new AsyncDisposableStack()
const prefix = newId('t')
const temporalAddress = requiredVariable('COFFER_TEST_TEMPORAL_ADDRESS')
let baseUrl = ''
const processes = new Map<string, ChildProcess>()
let startPart: (part: string) => Promise<void>

// Each service and the gateway run in a process of their own, and call each other over HTTP.
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
    COFFER_TEMPORAL_ADDRESS: temporalAddress,
    COFFER_PREFIX: prefix,
    COFFER_DATA_DIR: dataDir,
    COFFER_PORT: String(port),
    COFFER_LOG_LEVEL: 'warn',
    COFFER_ALLOW_SIGN_UP: 'true',
    ...Object.fromEntries(addresses),
  }
  startPart = async (part) => {
    const index = parts.indexOf(part)
    const own = {
      COFFER_RPC_PORT: String(ports[2 * index]),
      COFFER_GRPC_PORT: String(ports[2 * index + 1]),
    }
    const args = ['--disable-warning=ExperimentalWarning', command, 'serve', part]
    const env = { ...shared, ...own }
    const stdio: ['ignore', 'ignore', 'inherit'] = ['ignore', 'ignore', 'inherit']
    processes.set(part, spawn(process.execPath, args, { env, stdio }))
    const isReady = () =>
      fetch(`http://127.0.0.1:${rpcPorts.get(part)}/readyz`).then(
        ({ status }) => status === 200,
        () => false,
      )
    await eventually(isReady, Boolean, 100_000)
  }
  stack.defer(() => {
    for (const child of processes.values()) child.kill('SIGKILL')
  })
  await Promise.all(parts.map(startPart))
})

afterAll(async () => {
  await stack.disposeAsync()
})

test('a budget works across seven processes', async () => {
  const alice = await newPerson(baseUrl)
  const { path } = await alice.createBankAccount(100_000)
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

const names = [
  'advance',
  'compare-plans',
  'deletion-sweep',
  'identity-sweep',
  'ledger-sweep',
  'similar-waiting',
  'sweep-plans',
]

test('every background job has a schedule', async () => {
  const place = { address: temporalAddress, namespace: 'default', prefix, log: silentLog }
  await using temporal = connectTemporal(place)
  const schedules = async () => {
    const ids = []
    for await (const { scheduleId } of temporal.client.schedule.list()) ids.push(scheduleId)
    return ids.filter((id) => id.startsWith(`${prefix}/`)).sort()
  }
  const expected = names.map((name) => `${prefix}/workflows/${name}`)
  expect(await eventually(schedules, ({ length }) => length >= expected.length)).toEqual(expected)
})

test('while budgeting is stopped money moves, and the plans catch up', async () => {
  const alice = await newPerson(baseUrl)
  const { path } = await alice.createBankAccount(100_000)
  const { fundingScheduleId } = await alice.post(`${path}/funding_schedules`, {
    name: 'Pay',
    ruleset: 'DTSTART:20260115T060000Z\nRRULE:FREQ=MONTHLY;BYMONTHDAY=15,-1',
  })
  const goal = {
    spendingType: 'goal',
    name: 'Trip',
    fundingScheduleId,
    targetAmount: 50_000,
    nextRecurrence: `${new Date().getUTCFullYear() + 2}-01-01T06:00:00Z`,
  }
  const { spendingId, nextContributionAmount } = await alice.post(`${path}/spending`, goal)
  const stopped = processes.get('budgeting') as ChildProcess
  stopped.kill('SIGKILL')
  await once(stopped, 'exit')

  const transfer = { toSpendingId: spendingId, amount: 30_000 }
  const moved = await alice.call('POST', `${path}/spending/transfer`, { body: transfer })
  expect(moved).toMatchObject({ status: 200, body: { balance: { goals: 30_000 }, spending: [] } })
  expect(moved.headers.get('coffer-recalculation')).toBe('pending')
  const tickets = { name: 'Tickets', amount: 12_000, date: '2026-03-02T06:00:00Z', spendingId }
  const spent = await alice.call('POST', `${path}/transactions`, { body: tickets })
  expect(spent).toMatchObject({ status: 200, body: { balance: { goals: 18_000 } } })
  expect(spent.body).not.toHaveProperty('spending')
  expect(spent.headers.get('coffer-recalculation')).toBe('pending')
  for (const [method, url, body] of [
    ['GET', `${path}/spending`, undefined],
    ['GET', `${path}/forecast`, undefined],
    ['POST', `${path}/spending`, { ...goal, name: 'Other' }],
  ] as const) {
    const { status, headers } = await alice.call(method, url, { body })
    expect([status, Number(headers.get('retry-after'))]).toEqual([503, expect.any(Number)])
  }

  await startPart('budgeting')
  const plans = () => alice.call('GET', `${path}/spending`)
  const { body } = await eventually(plans, ({ status }) => status === 200, 60_000)
  expect(body).toMatchObject([{ spendingId, currentAmount: 18_000, usedAmount: 12_000 }])
  expect(body[0].nextContributionAmount).toBeLessThan(nextContributionAmount)
})

test('every process drains on SIGTERM and exits with 0', async () => {
  const codes = [...processes.values()].map(async (child) => {
    child.kill('SIGTERM')
    const [code] = await once(child, 'exit')
    return code
  })
  expect(await Promise.all(codes)).toEqual(parts.map(() => 0))
})
