import { newId } from '@coffer/kit/values/id'
import { afterAll, beforeAll, expect, test } from '@jest/globals'
import { newPerson, type Person } from '../harness/person.ts'
import { type Deployment, deploy, type Part } from '../harness/process.ts'

// Two replicas of the ledger, and one process with all other services and the gateway.
const stack = new AsyncDisposableStack()
let deployment: Deployment
let hung: Part
let person: Person

beforeAll(async () => {
  deployment = stack.use(await deploy())
  const others = ['gateway', 'identity', 'budgeting', 'aggregator-sync', 'feed-sync']
  const [first, second, rest] = await Promise.all([
    deployment.part('ledger'),
    deployment.part('ledger'),
    deployment.part(...others),
  ])
  hung = second
  const { url } = rest
  const urls = {
    COFFER_IDENTITY_URL: url,
    COFFER_BUDGETING_URL: url,
    COFFER_AGGREGATOR_SYNC_URL: url,
    COFFER_FEED_SYNC_URL: url,
    COFFER_LEDGER_URL: `${first.url},${second.url}`,
  }
  await Promise.all([first.start(urls), second.start(urls)])
  await rest.start({ ...urls, COFFER_PORT: new URL(deployment.baseUrl).port })
  person = await newPerson(deployment.baseUrl)
})

afterAll(() => stack.disposeAsync())

const count = 20

/** Sends requests at once; returns their statuses without repetitions. */
async function statusesOf(send: () => Promise<{ status: number }>): Promise<number[]> {
  const answers = await Promise.all(Array.from({ length: count }, send))
  return [...new Set(answers.map(({ status }) => status))]
}

test('a replica that hangs fails no read and no keyed write, then gets no calls', async () => {
  const { path } = await person.createBankAccount(100_000)
  const { authorization } = person
  const body = { name: 'Tea', amount: 1, date: '2026-03-02T06:00:00Z', adjustsBalance: true }
  const read = () => person.call('GET', `${path}/balances`)
  const write = (headers: Record<string, string> = {}) =>
    person.call('POST', `${path}/transactions`, { body, headers: { authorization, ...headers } })
  const writeKeyed = () => write({ 'idempotency-key': newId('key') })
  // Both replicas have idle connections afterwards.
  expect(await statusesOf(read)).toEqual([200])

  hung.pause()
  expect(await Promise.all([statusesOf(read), statusesOf(writeKeyed)])).toEqual([[200], [200]])
  expect(await statusesOf(write)).toEqual([200])

  // The replica then reads the calls that it has been sent before its ejection.
  hung.resume()
  expect(await statusesOf(writeKeyed)).toEqual([200])
  const { available } = await person.get(`${path}/balances`)
  expect(available).toBe(100_000 - 3 * count)
  expect((await deployment.run('audit')).code).toBe(0)
}, 60_000)
