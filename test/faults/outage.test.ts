import { setTimeout as sleep } from 'node:timers/promises'
import { eventually } from '@coffer/host/testing/boot'
import { requiredVariable } from '@coffer/host/testing/database'
import { startProxy, type TcpProxy } from '@coffer/kit/testing/proxy'
import { afterAll, beforeAll, expect, test } from '@jest/globals'
import pg from 'pg'
import { call, newPerson, type Person } from '../harness/person.ts'
import { type Deployment, deploy } from '../harness/process.ts'

const stack = new AsyncDisposableStack()
let nats: TcpProxy
let deployment: Deployment
let alice: Person

beforeAll(async () => {
  nats = stack.use(await startProxy(requiredVariable('COFFER_TEST_NATS_URL')))
  deployment = stack.use(await deploy({ COFFER_NATS_URL: nats.url }))
  await deployment.start()
  alice = await newPerson(deployment.baseUrl)
})

afterAll(async () => {
  await stack.disposeAsync()
})

const tea = { name: 'Tea', amount: 100, date: '2026-03-02T06:00:00Z', adjustsBalance: true }
const health = () => call(deployment.baseUrl, 'GET', '/health')

test('writes whose commit was not confirmed are applied once, and answered', async () => {
  const { path } = await alice.createBankAccount(1_000)
  const body = { ...tea, amount: 1 }
  const send = () => alice.call('POST', `${path}/transactions`, { body })
  for (let round = 0; round < 3; round++) {
    // Group commit: the first write is saved by one statement, the other 29 by a second statement.
    // Each statement contains the name "Tea"; the answer to the second statement is lost.
    const isLost = deployment.database.loseAnswerTo('"Tea"', 1)
    const answers = await Promise.all(Array.from({ length: 30 }, send))
    expect(isLost()).toBe(true)
    expect(answers.filter(({ status }) => status !== 200)).toEqual([])
  }
  expect(await alice.get(`${path}/transactions?limit=100`)).toHaveLength(90)
  expect(await alice.get(`${path}/balances`)).toMatchObject({ available: 910 })
  expect(await deployment.run('audit')).toMatchObject({ code: 0 })
})

test('a write with an Idempotency-Key is applied once when its answer is lost', async () => {
  const { path } = await alice.createBankAccount(1_000)
  const body = { ...tea, amount: 1 }
  const headers = { 'idempotency-key': 'tea-after-all' }
  const isLost = deployment.database.loseAnswerTo('"Tea"', 0)
  const send = () => alice.call('POST', `${path}/transactions`, { body, headers })
  await send()
  expect(isLost()).toBe(true)
  expect(await send()).toMatchObject({ status: 200 })
  expect(await alice.get(`${path}/balances`)).toMatchObject({ available: 999 })
})

test('without its database Coffer answers 503 with Retry-After, and recovers', async () => {
  const { path } = await alice.createBankAccount(1_000)
  deployment.database.cut()
  await eventually(health, ({ status }) => status === 500)
  expect((await health()).body).toMatchObject({ dbHealthy: false, apiHealthy: true })
  const read = await alice.call('GET', `${path}/balances`)
  expect(read).toMatchObject({ status: 503, body: { error: expect.any(String) } })
  expect(Number(read.headers.get('retry-after'))).toBeGreaterThan(0)
  expect(await alice.call('POST', `${path}/transactions`, { body: tea })).toMatchObject({
    status: 503,
  })
  deployment.database.mend()
  await eventually(health, ({ status }) => status === 200)
  expect(await alice.get(`${path}/balances`)).toMatchObject({ available: 1_000 })
})

/** Makes new connections to the database read-only or writable, and closes the existing ones. */
async function setReadOnly(flag: 'on' | 'off'): Promise<void> {
  const client = new pg.Client({ connectionString: deployment.databaseUrl })
  await client.connect()
  await client.query('SET default_transaction_read_only = off')
  const name = client.escapeIdentifier(new URL(deployment.databaseUrl).pathname.slice(1))
  await client.query(`ALTER DATABASE ${name} SET default_transaction_read_only = ${flag}`)
  await client.end()
  deployment.database.cut()
  deployment.database.mend()
}

test('with a read-only database writes are 503 until it is writable again', async () => {
  const { path } = await alice.createBankAccount(1_000)
  const read = () => alice.call('GET', `${path}/balances`)
  const write = () => alice.call('POST', `${path}/transactions`, { body: tea })
  await setReadOnly('on')
  await eventually(read, ({ status }) => status === 200)
  // The gateway caches verified credentials for a second.
  await sleep(1_000)
  expect((await read()).status).toBe(200)
  expect((await alice.call('GET', `${path}/balances`, { asSession: true })).status).toBe(200)
  const refused = await eventually(write, ({ status }) => status !== 504)
  expect(refused).toMatchObject({ status: 503, body: { error: expect.any(String) } })
  expect(Number(refused.headers.get('retry-after'))).toBeGreaterThan(0)
  await setReadOnly('off')
  await eventually(write, ({ status }) => status === 200)
  expect((await read()).body).toMatchObject({ available: 900 })
})

test('without NATS writes succeed, and their changes are published once it is back', async () => {
  const { path, linkId } = await alice.createBankAccount(1_000)
  nats.cut()
  await alice.post(`${path}/transactions`, tea)
  expect(await alice.get(`${path}/balances`)).toMatchObject({ available: 900 })
  expect(await alice.call('DELETE', `/links/${linkId}`)).toMatchObject({ status: 200 })
  nats.mend()
  const audit = () => deployment.run('audit')
  await eventually(audit, ({ code }) => code === 0, 60_000)
})
