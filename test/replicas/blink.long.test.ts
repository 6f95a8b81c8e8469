import { setTimeout as sleep } from 'node:timers/promises'
import { eventually } from '@coffer/host/testing/boot'
import { requiredVariable } from '@coffer/host/testing/database'
import { startProxy, type TcpProxy } from '@coffer/kit/testing/proxy'
import { newId } from '@coffer/kit/values/id'
import { afterAll, beforeAll, expect, test } from '@jest/globals'
import { type OwnPostgres, startOwnPostgres } from '../harness/own-postgres.ts'
import { call, newPerson, type Person } from '../harness/person.ts'
import { deploy } from '../harness/process.ts'
import { type Member, type Replicas, startReplicas } from './replicas.ts'

// Two gateways and two processes with all services. The second gateway reaches everything through
// proxies. Nothing else runs in the processes: the load is eight requests at a time.
const stack = new AsyncDisposableStack()
let postgres: OwnPostgres
let replicas: Replicas
let person: Person
const proxies: TcpProxy[] = []

/** Time in ms after the return of Postgres from which every request must succeed. */
const returnMsMax = 100
/** Number of requests after that return, over both gateways. */
const requestsMin = 100
/** Time in ms until a gateway that is cut off must have left rotation. */
const leaveMsMax = 5_000

async function throughProxy(url: string): Promise<string> {
  const proxy = stack.use(await startProxy(url))
  proxies.push(proxy)
  return proxy.url
}

beforeAll(async () => {
  postgres = stack.use(await startOwnPostgres())
  const environment = { COFFER_DATABASE_URL: postgres.url }
  const tables = stack.use(await deploy(environment))
  const migrated = await tables.run('migrate')
  if (migrated.code !== 0) throw new Error(migrated.output)
  const route = async (name: string, settings: Record<string, string>) => {
    if (name !== 'gateway-2') return settings
    const given = { ...settings, COFFER_NATS_URL: requiredVariable('COFFER_TEST_NATS_URL') }
    const routed = Object.entries(given).map(async ([setting, urls]) => {
      const proxied = await Promise.all(urls.split(',').map(throughProxy))
      return [setting, proxied.join(',')]
    })
    return Object.fromEntries(await Promise.all(routed))
  }
  replicas = stack.use(await startReplicas({ environment, route }))
  // The load of workers and consumers takes all processor time at first.
  await eventually(
    () => call(replicas.baseUrl, 'GET', '/health'),
    ({ status }) => status === 200,
    60_000,
  )
  await sleep(10_000)
  person = await newPerson(replicas.baseUrl)
}, 300_000)

afterAll(() => stack.disposeAsync())

const gateways = () => replicas.members.filter(({ name }) => name.startsWith('gateway'))

async function readinessOf({ url }: Member): Promise<number> {
  return (await fetch(`${url}/readyz`)).status
}

/** Asks all processes ten times a second whether they are ready; keeps every other answer. */
function watchRotation() {
  const left: string[] = []
  let isOver = false
  const watch = async (member: Member) => {
    while (!isOver) {
      const status = await readinessOf(member)
      if (status !== 200) left.push(`${member.name}: ${status}`)
      await sleep(100)
    }
  }
  const watching = replicas.members.map(watch)
  return {
    left,
    end: async () => {
      isOver = true
      await Promise.all(watching)
    },
  }
}

interface Answer {
  gateway: string
  begunAt: number
  ms: number
  status: number
  retryAfter: string | null
}

/** Reads and writes at each gateway, four requests at a time, until it is ended. */
function keepAsking(path: string) {
  const answers: Answer[] = []
  let isOver = false
  const body = { name: 'Tea', amount: 1, date: '2026-03-02T06:00:00Z', adjustsBalance: true }
  const line = async ({ baseUrl, name: gateway }: Member, writes: boolean) => {
    const { authorization } = person
    while (!isOver) {
      const begunAt = performance.now()
      const { status, headers } = writes
        ? await call(baseUrl, 'POST', `${path}/transactions`, {
            body,
            headers: { authorization, 'idempotency-key': newId('key') },
          })
        : await call(baseUrl, 'GET', `${path}/balances`, { headers: { authorization } })
      const ms = Math.round(performance.now() - begunAt)
      answers.push({ gateway, begunAt, ms, status, retryAfter: headers.get('retry-after') })
      await sleep(10)
    }
  }
  const running = gateways().flatMap((one) => [0, 1, 2, 3].map((index) => line(one, index < 2)))
  return {
    answers,
    end: async () => {
      isOver = true
      await Promise.all(running)
    },
  }
}

/** Starts Postgres again; returns the time at which it first answered a new connection. */
async function restart(): Promise<number> {
  const starting = postgres.start()
  for (;;) {
    const isBack = await postgres.query('SELECT 1').then(
      () => true,
      () => false,
    )
    if (isBack) {
      const backAt = performance.now()
      await starting
      return backAt
    }
    await sleep(2)
  }
}

test.each(['SIGINT', 'SIGKILL'] as const)(
  'Postgres ends by %s for 8 s: all stay in rotation, and answer 0.1 s after its return',
  async (signal) => {
    const { path } = await person.createBankAccount(1_000_000)
    const rotation = watchRotation()
    const load = keepAsking(path)
    await sleep(2_000)
    await postgres.stop(signal)
    await sleep(8_000)
    const backAt = await restart()
    const { answers } = load
    const later = () => answers.filter(({ begunAt }) => begunAt > backAt).length
    await eventually(
      async () => later(),
      (count) => count > requestsMin,
      60_000,
    )
    await Promise.all([rotation.end(), load.end()])
    const failed = answers.filter(({ status }) => status !== 200)
    const slowestMs = Math.max(...failed.map(({ ms }) => ms))
    const lastAt = Math.max(...failed.map(({ begunAt }) => begunAt))
    const gapMs = Math.round(lastAt - backAt)
    const counts = { requests: answers.length, failed: failed.length, slowestMs, gapMs }
    console.log(JSON.stringify({ fault: `Postgres: ${signal} for 8 s`, ...counts }))
    expect(rotation.left).toEqual([])
    // A write whose connection broke may be booked: 504, and the client repeats it with its key.
    const others = failed.filter(({ status, retryAfter }) => status !== 504 && !retryAfter)
    expect(others).toEqual([])
    expect(failed.filter(({ begunAt }) => begunAt > backAt + returnMsMax)).toEqual([])
    expect((await replicas.deployment.run('audit')).code).toBe(0)
  },
  120_000,
)

test.each(['cut', 'fallSilent'] as const)(
  'a gateway that reaches nothing (%s) leaves within 5 s, and returns',
  async (fault) => {
    const [first, second] = gateways() as [Member, Member]
    const cutAt = performance.now()
    for (const proxy of proxies) proxy[fault]()
    await eventually(
      () => readinessOf(second),
      (status) => status === 503,
      leaveMsMax,
    )
    console.log(JSON.stringify({ fault, leftAfterMs: Math.round(performance.now() - cutAt) }))
    expect(await readinessOf(first)).toBe(200)
    for (const proxy of proxies) proxy.mend()
    const ready = (status: number) => status === 200
    await eventually(() => readinessOf(second), ready)
  },
  60_000,
)
