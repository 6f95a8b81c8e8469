import { newId } from '@coffer/kit/values/id'
import { afterAll, beforeAll, expect, test } from '@jest/globals'
import fc from 'fast-check'
import { type CuttingProxy, startCuttingProxy } from '../harness/cutting-proxy.ts'
import { createGoal } from '../harness/goal.ts'
import { newPerson, type Person } from '../harness/person.ts'
import { type Deployment, deploy } from '../harness/process.ts'
import '../seed.ts'

// A gateway, the ledger and the other services in three processes; proxies can cut calls between
// the gateway and budgeting, and calls to the ledger.
const stack = new AsyncDisposableStack()
let deployment: Deployment
let proxies: Record<'ledger' | 'budgeting', CuttingProxy>
let person: Person

beforeAll(async () => {
  deployment = stack.use(await deploy())
  const money = await deployment.part('ledger')
  const others = await deployment.part('identity', 'budgeting', 'aggregator-sync', 'feed-sync')
  const gateway = await deployment.part('gateway')
  proxies = {
    ledger: stack.use(await startCuttingProxy(money.url)),
    budgeting: stack.use(await startCuttingProxy(others.url)),
  }
  const urls = {
    COFFER_IDENTITY_URL: others.url,
    COFFER_AGGREGATOR_SYNC_URL: others.url,
    COFFER_FEED_SYNC_URL: others.url,
    COFFER_BUDGETING_URL: proxies.budgeting.url,
    COFFER_LEDGER_URL: proxies.ledger.url,
  }
  const port = new URL(deployment.baseUrl).port
  await Promise.all([
    money.start(urls),
    others.start({ COFFER_LEDGER_URL: proxies.ledger.url }),
    gateway.start({ ...urls, COFFER_PORT: port }),
  ])
  person = await newPerson(deployment.baseUrl)
})

afterAll(() => stack.disposeAsync())

/** Sends a POST with an Idempotency-Key; returns the status of the answer. */
async function postKeyed(path: string, body: unknown): Promise<number> {
  const headers = { 'idempotency-key': newId('key') }
  const { authorization } = person
  const sent = { body, headers: { ...headers, authorization } }
  return (await person.call('POST', path, sent)).status
}

const date = '2026-03-02T06:00:00Z'

test('keyed writes exist once, wherever the connection to the owner is cut', async () => {
  const { path } = await createGoal(person, 50_000)
  const before = await person.get(`${path}/balances`)
  let sent = 0
  const cut = fc.asyncProperty(fc.nat(2_500), async (bytes) => {
    sent += 1
    proxies.ledger.cutAfter(bytes)
    const body = { name: `Tea ${sent}`, amount: 1, date, adjustsBalance: true }
    expect(await postKeyed(`${path}/transactions`, body)).toBe(200)
  })
  await fc.assert(cut, { numRuns: 60, endOnFailure: true })
  expect(proxies.ledger.cuts()).toBeGreaterThan(20)
  const { available } = await person.get(`${path}/balances`)
  expect(available).toBe(before.available - sent)
  const listed = await person.get(`${path}/transactions?limit=100`)
  expect(listed).toHaveLength(sent)
})

test('a creation of several calls exists once, wherever one of them is cut', async () => {
  const { path } = await createGoal(person, 50_000)
  const { fundingScheduleId } = (await person.get(`${path}/funding_schedules`))[0]
  const already = (await person.get(`${path}/spending`)).length
  const names: string[] = []
  const leg = fc.constantFrom('ledger' as const, 'budgeting' as const)
  const cut = fc.asyncProperty(leg, fc.nat(4_000), async (between, bytes) => {
    names.push(`Trip ${names.length}`)
    proxies[between].cutAfter(bytes)
    const status = await postKeyed(`${path}/spending`, {
      spendingType: 'goal',
      name: names.at(-1),
      fundingScheduleId,
      targetAmount: 1_000,
      nextRecurrence: `${new Date().getUTCFullYear() + 2}-01-01T06:00:00Z`,
    })
    expect(status).toBe(200)
  })
  await fc.assert(cut, { numRuns: 40, endOnFailure: true })
  const plans = await person.get(`${path}/spending`)
  expect(plans).toHaveLength(already + names.length)
  expect((await deployment.run('audit')).code).toBe(0)
})
