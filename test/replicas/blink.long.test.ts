import { setTimeout as sleep } from 'node:timers/promises'
import { eventually } from '@coffer/host/testing/boot'
import { requiredVariable } from '@coffer/host/testing/database'
import { startProxy, type TcpProxy } from '@coffer/kit/testing/proxy'
import { afterAll, beforeAll, expect, test } from '@jest/globals'
import type { OwnPostgres } from '../harness/own-postgres.ts'
import { newPerson, type Person } from '../harness/person.ts'
import {
  keepAsking,
  readinessOf,
  restart,
  startPostgresWithTables,
  summaryOfBlink,
  watchRotation,
} from './blink.ts'
import { type Member, type Replicas, startReplicas } from './replicas.ts'

// Two gateways and two processes with all services. The second gateway reaches everything through
// proxies. Nothing else runs in the processes: the load is eight requests at a time.
const stack = new AsyncDisposableStack()
let postgres: OwnPostgres
let replicas: Replicas
let person: Person
const proxies: TcpProxy[] = []

/** Number of requests after the return of Postgres, over both gateways. */
const requestsMin = 100
/** Time in ms until a gateway that is cut off must have left rotation. */
const leaveMsMax = 5_000
/** Time in ms for the load of workers and consumers, which takes all processor time at first. */
const settleMs = 10_000

async function throughProxy(url: string): Promise<string> {
  const proxy = stack.use(await startProxy(url))
  proxies.push(proxy)
  return proxy.url
}

beforeAll(async () => {
  postgres = stack.use(await startPostgresWithTables())
  const environment = { COFFER_DATABASE_URL: postgres.url }
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
  await sleep(settleMs)
  person = await newPerson(replicas.baseUrl)
}, 300_000)

afterAll(() => stack.disposeAsync())

const gateways = () => replicas.members.filter(({ name }) => name.startsWith('gateway'))

test.each(['SIGINT', 'SIGKILL'] as const)(
  'Postgres ends by %s for 8 s: all stay in rotation, and answer 0.1 s after its return',
  async (signal) => {
    const { path } = await person.createBankAccount(1_000_000)
    const rotation = watchRotation(replicas)
    const lines = gateways().flatMap((gateway) =>
      [true, true, false, false].map((writes) => {
        return { person, path, gateway, writes, pause: () => sleep(10) }
      }),
    )
    const { answers, end } = keepAsking(lines)
    await sleep(2_000)
    await postgres.stop(signal)
    await sleep(8_000)
    const backAt = await restart(postgres)
    await eventually(
      async () => answers.filter(({ begunAt }) => begunAt > backAt).length,
      (count) => count > requestsMin,
      60_000,
    )
    await end()
    const summary = summaryOfBlink(answers, backAt)
    console.log(JSON.stringify({ fault: `Postgres: ${signal} for 8 s`, ...summary }))
    expect(summary).toMatchObject({ late: [], unexplained: [] })
    expect(await rotation.end()).toEqual([])
    expect((await replicas.deployment.run('audit')).code).toBe(0)
  },
  180_000,
)

test.each(['cut', 'fallSilent'] as const)(
  'a gateway that reaches nothing (%s) leaves within 5 s, and returns',
  async (fault) => {
    const [first, second] = gateways() as [Member, Member]
    const cutAt = performance.now()
    for (const proxy of proxies) proxy[fault]()
    const status = () => readinessOf(second)
    await eventually(status, (one) => one === 503, leaveMsMax)
    console.log(JSON.stringify({ fault, leftAfterMs: Math.round(performance.now() - cutAt) }))
    expect(await readinessOf(first)).toBe(200)
    for (const proxy of proxies) proxy.mend()
    await eventually(status, (one) => one === 200)
  },
  60_000,
)
