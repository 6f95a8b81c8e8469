import { eventually } from '@coffer/kit/testing/boot'
import { requiredVariable } from '@coffer/kit/testing/database'
import { openProxy, type TcpProxy } from '@coffer/kit/testing/proxy'
import { afterAll, beforeAll, expect, test } from '@jest/globals'
import { call, newPerson, type Person } from '../harness/person.ts'
import { type Deployment, deploy } from '../harness/process.ts'

const stack = new AsyncDisposableStack()
let nats: TcpProxy
let deployment: Deployment
let alice: Person

beforeAll(async () => {
  nats = stack.use(await openProxy(requiredVariable('COFFER_TEST_NATS_URL')))
  deployment = stack.use(await deploy({ COFFER_NATS_URL: nats.url }))
  await deployment.start()
  alice = await newPerson(deployment.baseUrl)
})

afterAll(async () => {
  await stack.disposeAsync()
})

test('without its database it answers 503 with Retry-After, and comes back', async () => {
  const { path } = await alice.opensAccount(1_000)
  deployment.database.cut()
  const health = () => call(deployment.baseUrl, 'GET', '/health')
  await eventually(health, ({ status }) => status === 500)
  expect((await health()).body).toMatchObject({ dbHealthy: false, apiHealthy: true })
  const read = await alice.call('GET', `${path}/balances`)
  expect(read).toMatchObject({ status: 503, body: { error: expect.any(String) } })
  expect(Number(read.headers.get('retry-after'))).toBeGreaterThan(0)
  const body = { name: 'Tea', amount: 100, date: '2026-03-02T06:00:00Z', adjustsBalance: true }
  expect(await alice.call('POST', `${path}/transactions`, { body })).toMatchObject({ status: 503 })
  deployment.database.mend()
  await eventually(health, ({ status }) => status === 200)
  expect(await alice.get(`${path}/balances`)).toMatchObject({ available: 1_000 })
})

test('without NATS writes go on, and what they changed is published once it is back', async () => {
  const { path, linkId } = await alice.opensAccount(1_000)
  nats.cut()
  const body = { name: 'Tea', amount: 100, date: '2026-03-02T06:00:00Z', adjustsBalance: true }
  await alice.post(`${path}/transactions`, body)
  expect(await alice.get(`${path}/balances`)).toMatchObject({ available: 900 })
  expect(await alice.call('DELETE', `/links/${linkId}`)).toMatchObject({ status: 200 })
  nats.mend()
  const audit = () => deployment.run('audit')
  await eventually(audit, ({ code }) => code === 0, 60_000)
})
