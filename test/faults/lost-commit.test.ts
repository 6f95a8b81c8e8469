import { afterAll, beforeAll, expect, test } from '@jest/globals'
import { newPerson, type Person } from '../harness/person.ts'
import { type Deployment, deploy } from '../harness/process.ts'

const stack = new AsyncDisposableStack()
let deployment: Deployment
let alice: Person

beforeAll(async () => {
  deployment = stack.use(await deploy())
  await deployment.start()
  alice = await newPerson(deployment.baseUrl)
})

afterAll(async () => {
  await stack.disposeAsync()
})

test('writes whose commit was not confirmed are applied once, and answered', async () => {
  const { path } = await alice.createBankAccount(1_000)
  const body = { name: 'Tea', amount: 1, date: '2026-03-02T06:00:00Z', adjustsBalance: true }
  const send = () => alice.call('POST', `${path}/transactions`, { body })
  for (let round = 0; round < 3; round++) {
    // Group commit: the first write is saved alone, the others share the second save, whose
    // parameters contain the name.
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
  const body = { name: 'Tea', amount: 1, date: '2026-03-02T06:00:00Z', adjustsBalance: true }
  const headers = { 'idempotency-key': 'tea-after-all' }
  const isLost = deployment.database.loseAnswerTo('"Tea"', 0)
  const send = () => alice.call('POST', `${path}/transactions`, { body, headers })
  await send()
  expect(isLost()).toBe(true)
  expect(await send()).toMatchObject({ status: 200 })
  expect(await alice.get(`${path}/balances`)).toMatchObject({ available: 999 })
})
