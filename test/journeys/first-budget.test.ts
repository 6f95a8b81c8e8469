import { eventually } from '@coffer/host/testing/boot'
import { afterAll, beforeAll, expect, test } from '@jest/globals'
import { type Coffer, startCoffer } from '../harness/coffer.ts'
import { call, type Person } from '../harness/person.ts'
import { budgetAndSpend, payday } from './budget.ts'
import { createSubjects, refuseLostUpdates } from './lost-updates.ts'

let coffer: Coffer
let alice: Person

beforeAll(async () => {
  coffer = await startCoffer()
  alice = await coffer.person()
})

afterAll(async () => {
  await coffer[Symbol.asyncDispose]()
})

test('a person registers, budgets and spends, and every answer agrees', async () => {
  await budgetAndSpend(alice)
})

test('twenty concurrent requests with one Idempotency-Key write one transaction', async () => {
  const { path } = await alice.createBankAccount(10_000)
  const body = { name: 'Tea', amount: 250, date: '2026-03-02T06:00:00Z', adjustsBalance: true }
  const headers = { 'idempotency-key': 'tea-1' }
  const answers = await Promise.all(
    Array.from({ length: 20 }, () => alice.call('POST', `${path}/transactions`, { body, headers })),
  )
  expect(answers.map(({ status }) => status)).toEqual(answers.map(() => 200))
  expect(new Set(answers.map(({ body }) => body.transaction.transactionId)).size).toBe(1)
  expect(await alice.get(`${path}/balances`)).toMatchObject({ available: 9_750 })
  const other = await alice.call('POST', `${path}/transactions`, {
    body: { ...body, amount: 300 },
    headers,
  })
  expect(other.status).toBe(422)
})

test('a deleted transaction is found and restored with its money', async () => {
  const { path } = await alice.createBankAccount(10_000)
  const tea = { name: 'Tea', amount: 250, date: '2026-03-02T06:00:00Z', adjustsBalance: true }
  const { transaction, balance } = await alice.post(`${path}/transactions`, tea)
  const one = `${path}/transactions/${transaction.transactionId}`
  const gone = await alice.call('DELETE', `${one}?adjusts_balance=true`)
  expect(gone.body.balance).toMatchObject({ available: 10_000 })
  expect(await alice.get(`${path}/transactions?deleted=true`)).toMatchObject([
    { transactionId: transaction.transactionId, deletedAt: expect.any(String) },
  ])
  const restored = await alice.post(`${one}/restore`, {})
  expect(restored).toEqual({ transaction, balance, spending: [] })
  expect(await alice.get(`${path}/transactions?deleted=true`)).toEqual([])
})

test('a change that another client has made is never overwritten with If-Match', async () => {
  for (const subject of Object.values(await createSubjects(alice))) {
    await refuseLostUpdates(alice, subject)
  }
})

test('balances and lists that have not changed are 304', async () => {
  const { path } = await alice.createBankAccount(10_000)
  for (const list of ['/balances', '/transactions', '/transactions?search=tea', '/spending']) {
    const read = (tag?: string) =>
      alice.call('GET', `${path}${list}`, { headers: tag ? { 'if-none-match': tag } : {} })
    const tag = (await read()).headers.get('etag') ?? 'no tag'
    expect([list, (await read(tag)).status, (await read(`"other", ${tag}`)).status]).toEqual([
      list,
      304,
      304,
    ])
    const body = { name: 'Tea', amount: 250, date: '2026-03-02T06:00:00Z', adjustsBalance: true }
    await alice.post(`${path}/transactions`, body)
    const after = await read(tag)
    // A transaction changes no spending object.
    expect([list, after.status]).toEqual([list, list === '/spending' ? 304 : 200])
  }
})

test('a session ends with its logout, and an API key manages no API keys', async () => {
  const bob = await coffer.person()
  expect(await bob.call('GET', '/keys', { asSession: true })).toMatchObject({ status: 200 })
  expect(await bob.call('GET', '/keys')).toMatchObject({ status: 401 })
  const { cookie } = bob
  await call(coffer.baseUrl, 'GET', '/authentication/logout', { headers: { cookie } })
  // Another gateway may accept the session for a second (docs/architecture.md#callers).
  await eventually(
    () => bob.call('GET', '/links', { asSession: true }),
    ({ status }) => status === 401,
  )
  expect(await bob.call('GET', '/links')).toMatchObject({ status: 200, body: [] })
})

test('objects of a deleted link are 404 at once; the link stays readable', async () => {
  const carol = await coffer.person()
  const { linkId, path } = await carol.createBankAccount()
  await carol.post(`${path}/funding_schedules`, { name: 'Pay', ruleset: payday })
  expect(await carol.call('DELETE', `/links/${linkId}`)).toMatchObject({ status: 200, body: null })
  for (const below of ['', '/balances', '/transactions', '/spending', '/funding_schedules']) {
    expect({ below, ...(await carol.call('GET', `${path}${below}`)) }).toMatchObject({
      below,
      status: 404,
    })
  }
  expect(await carol.get('/links')).toEqual([])
  expect((await carol.get(`/links/${linkId}`)).deletedAt).toEqual(expect.any(String))
  expect(await carol.call('DELETE', `/links/${linkId}`)).toMatchObject({ status: 400 })
})
