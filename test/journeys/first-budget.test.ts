import { eventually } from '@coffer/host/testing/boot'
import { started } from '@coffer/host/testing/started'
import { beforeAll, expect, test } from '@jest/globals'
import { startCoffer } from '../harness/coffer.ts'
import type { Person } from '../harness/person.ts'
import { budgetAndSpend, payday } from './budget.ts'
import { createSubjects, refuseLostUpdates } from './lost-updates.ts'

let alice: Person

const coffer = started(() => startCoffer())

beforeAll(async () => {
  alice = await coffer.person()
})

test('a person registers, budgets and spends, and every answer agrees', async () => {
  await budgetAndSpend(alice)
})

const tea = { name: 'Tea', amount: 250, date: '2026-03-02T06:00:00Z', adjustsBalance: true }

test('twenty concurrent requests with one Idempotency-Key write one transaction', async () => {
  const { bank } = await alice.createBankAccount(10_000)
  const create = (body: typeof tea) =>
    alice.client.createTransaction({ ...bank, body, idempotencyKey: 'tea-1' })
  const answers = await Promise.all(Array.from({ length: 20 }, () => create(tea)))
  expect(new Set(answers.map(({ data }) => data.transaction.transactionId)).size).toBe(1)
  expect((await alice.client.getBalances(bank)).data).toMatchObject({ available: 9_750 })
  await expect(create({ ...tea, amount: 300 })).rejects.toMatchObject({ status: 422 })
})

test('a deleted transaction is found and restored with its money', async () => {
  const { client } = alice
  const { bank } = await alice.createBankAccount(10_000)
  const { data: made } = await client.createTransaction({ ...bank, body: tea })
  const { transactionId } = made.transaction
  const one = { path: { ...bank.path, transactionId } }
  const { data: gone } = await client.deleteTransaction({
    ...one,
    query: { adjusts_balance: true },
  })
  expect(gone.balance).toMatchObject({ available: 10_000 })
  const listDeleted = () => client.listTransactions({ ...bank, query: { deleted: true } })
  expect((await listDeleted()).data).toMatchObject([
    { transactionId, deletedAt: expect.any(String) },
  ])
  const { transaction, balance } = made
  expect((await client.restoreTransaction(one)).data).toEqual({
    transaction,
    balance,
    spending: [],
  })
  expect((await listDeleted()).data).toEqual([])
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
    await alice.post(`${path}/transactions`, tea)
    const after = await read(tag)
    // A transaction changes no spending object.
    expect([list, after.status]).toEqual([list, list === '/spending' ? 304 : 200])
  }
})

test('a session ends with its logout, and an API key manages no API keys', async () => {
  const { client, session } = await coffer.person()
  expect((await session.listApiKeys()).data).toHaveLength(1)
  await expect(client.listApiKeys()).rejects.toMatchObject({ status: 401 })
  await session.signOut()
  // Another gateway may accept the session for a second (docs/architecture.md#callers).
  await eventually(
    () => session.listLinks().catch((error) => error),
    ({ status }) => status === 401,
  )
  expect((await client.listLinks()).data).toEqual([])
})

test('objects of a deleted link are 404 at once; the link stays readable', async () => {
  const carol = await coffer.person()
  const { client } = carol
  const { linkId, bank } = await carol.createBankAccount()
  await client.createFundingSchedule({ ...bank, body: { name: 'Pay', ruleset: payday } })
  const link = { path: { linkId } }
  expect((await client.deleteLink(link)).data).toBeNull()
  const { getBankAccount, getBalances, listTransactions, listSpending } = client
  const reads = [getBankAccount, getBalances, listTransactions, listSpending]
  for (const read of [...reads, client.listFundingSchedules]) {
    await expect(read(bank)).rejects.toMatchObject({ status: 404 })
  }
  expect((await client.listLinks()).data).toEqual([])
  expect((await client.getLink(link)).data.deletedAt).toEqual(expect.any(String))
  await expect(client.deleteLink(link)).rejects.toMatchObject({ status: 400 })
})
