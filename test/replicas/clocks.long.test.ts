import { newId } from '@coffer/kit/values/id'
import { afterAll, beforeAll, expect, test } from '@jest/globals'
import { newPerson, type Person } from '../harness/person.ts'
import { type Deployment, deploy, type Part } from '../harness/process.ts'

// Two replicas of the ledger, one of them with a wrong clock, and one process with the rest.
const stack = new AsyncDisposableStack()
let deployment: Deployment
let ahead: Part
let person: Person
let urls: Record<string, string>

beforeAll(async () => {
  deployment = stack.use(await deploy())
  const others = ['gateway', 'identity', 'budgeting', 'aggregator-sync', 'feed-sync', 'notices']
  const [right, wrong, rest] = await Promise.all([
    deployment.part('ledger'),
    deployment.part('ledger'),
    deployment.part(...others),
  ])
  ahead = wrong
  const { url } = rest
  urls = {
    COFFER_IDENTITY_URL: url,
    COFFER_BUDGETING_URL: url,
    COFFER_AGGREGATOR_SYNC_URL: url,
    COFFER_FEED_SYNC_URL: url,
    COFFER_NOTICES_URL: url,
    COFFER_LEDGER_URL: `${right.url},${wrong.url}`,
  }
  await right.start(urls)
  await wrong.start({ ...urls, COFFER_TEST_CLOCK_MS: '28000' })
  await rest.start({ ...urls, COFFER_PORT: new URL(deployment.baseUrl).port })
  person = await newPerson(deployment.baseUrl)
}, 120_000)

afterAll(() => stack.disposeAsync())

const requests = 400
const atOnce = 8

/** Sends reads and writes, with and without a key; returns how often each status was answered. */
async function statuses(path: string): Promise<Record<number, number>> {
  const { authorization } = person
  const body = { name: 'Tea', amount: 1, date: '2026-03-02T06:00:00Z', adjustsBalance: true }
  const counts: Record<number, number> = {}
  let sent = 0
  const line = async () => {
    while (sent < requests) {
      sent += 1
      const key: Record<string, string> = sent % 4 === 0 ? { 'idempotency-key': newId('key') } : {}
      const headers = { authorization, ...key }
      const { status } =
        sent % 2 === 0
          ? await person.call('POST', `${path}/transactions`, { body, headers })
          : await person.call('GET', `${path}/balances`)
      counts[status] = (counts[status] ?? 0) + 1
    }
  }
  await Promise.all(Array.from({ length: atOnce }, line))
  return counts
}

test('a replica 28 s ahead serves; one 90 s off is not ready, and no call fails', async () => {
  const { path } = await person.createBankAccount(1_000_000)
  expect(await statuses(path)).toEqual({ 200: requests })

  for (const clockMs of ['90000', '-90000']) {
    await ahead.kill()
    await ahead.start({ ...urls, COFFER_TEST_CLOCK_MS: clockMs }, { isReady: false })
    const readiness = await fetch(`${ahead.url}/readyz`)
    expect(readiness.status).toBe(503)
    expect(await readiness.text()).toContain('ledger: the clock of this process is over 30 s')
    expect(await statuses(path)).toEqual({ 200: requests })
  }
  expect((await deployment.run('audit')).code).toBe(0)
}, 120_000)
