import { eventually } from '@coffer/host/testing/boot'
import { newId } from '@coffer/kit/values/id'
import { afterAll, beforeAll, describe, expect, test } from '@jest/globals'
import { type Coffer, startCoffer } from '../harness/coffer.ts'
import type { Json, Person } from '../harness/person.ts'
import {
  importBankAccount,
  insertCandidate,
  lunch,
  shownAccount,
  shownTransaction,
  text,
} from './synced-account.ts'

const feedURL = 'http://127.0.0.1:9/v1'
let coffer: Coffer

beforeAll(async () => {
  coffer = await startCoffer({
    COFFER_FEED_ENABLED: 'true',
    COFFER_FEED_ALLOWED_URLS: feedURL,
  })
})

afterAll(async () => {
  await coffer[Symbol.asyncDispose]()
})

describe('transactions of the aggregator', () => {
  const linkId = newId('link')
  let alice: Person
  let home: Awaited<ReturnType<typeof importBankAccount>>
  let ids: { transactionId: string; bankAccountId: string }

  beforeAll(async () => {
    alice = await coffer.person()
    home = await importBankAccount(coffer, alice, { service: 'aggregator-sync', linkId, known: {} })
    ids = { transactionId: home.transactionId, bankAccountId: home.bankAccountId }
  })

  test('are shown with their records', async () => {
    const { path, one, bankAccountId } = home
    const record = {
      name: 'Plain Checking',
      officialName: 'Plain Silver Checking',
      mask: '0042',
      currency: 'USD',
      availableBalance: 10_000,
      currentBalance: 10_500,
      limitBalance: 0,
      createdAt: text,
      createdBy: text,
    }
    const shown = { ...shownAccount({ linkId, bankAccountId }), aggregatorBankAccount: record }
    expect(await alice.get(path)).toEqual(shown)
    expect(await alice.get('/bank_accounts')).toEqual([shown])
    expect(await alice.get(`/links/${linkId}`)).toMatchObject({ linkType: 'aggregator' })
    const listed = { ...shownTransaction(ids), source: 'aggregator' }
    expect(await alice.get(`${path}/transactions`)).toEqual([listed])
    const aggregatorTransaction = {
      categories: lunch.categories,
      category: lunch.category,
      amount: 1200,
      date: '2026-03-04T06:00:00Z',
      authorizedDate: null,
      name: 'DELI',
      merchantName: 'Deli',
      currency: 'USD',
      isPending: false,
      createdAt: text,
      deletedAt: null,
    }
    expect(await alice.get(one)).toEqual({ ...listed, aggregatorTransaction })
  })

  test('can be renamed and assigned, all else is the bank’s', async () => {
    const { path, one } = home
    const change = (where: string, body: object) => alice.call('PATCH', where, { body })
    const renamed = await change(one, { name: 'Lunch', merchantName: 'Kim’s' })
    expect(renamed).toMatchObject({
      status: 200,
      body: {
        transaction: {
          name: 'Lunch',
          merchantName: 'Kim’s',
          aggregatorTransaction: { name: 'DELI' },
        },
      },
    })
    const bank = { amount: 5, date: '2026-03-01T06:00:00Z', isPending: true }
    expect(await change(one, bank)).toMatchObject({
      status: 400,
      body: {
        problems: {
          amount: 'key not expected',
          date: 'key not expected',
          isPending: 'key not expected',
        },
      },
    })
    const noted = await change(one, { notes: 'Split with Kim' })
    expect(noted.body.transaction).toMatchObject({ amount: 1200, notes: 'Split with Kim' })
    const named = await change(path, { name: 'Main' })
    expect(named.body).toMatchObject({ name: 'Main', aggregatorBankAccount: { mask: '0042' } })
    expect(await change(path, { mask: '1111', currentBalance: 1 })).toMatchObject({
      status: 400,
      body: { problems: { mask: 'key not expected', currentBalance: 'key not expected' } },
    })
    const made = { name: 'Mine', amount: 5, date: '2026-03-01T06:00:00Z' }
    const refused = [
      await alice.call('POST', `${path}/transactions`, { body: made }),
      await alice.call('DELETE', one),
      await alice.call('DELETE', path),
      await alice.call('POST', '/bank_accounts', { body: { linkId, name: 'Another' } }),
    ]
    expect(refused.map(({ status }) => status)).toEqual([400, 400, 400, 400])
  })

  test('keep their notes when the bank changes them', async () => {
    const { sync, by, bankAccountId, one } = home
    const more = { ...lunch, amount: 1300n, merchantName: 'Deli & Sons' }
    const request = { bankAccountId, providerAccountId: 'acc', transactions: [more] }
    await sync.importTransactions(request, by)
    expect(await alice.get(one)).toMatchObject({ amount: 1300, notes: 'Split with Kim' })
  })

  test('show their pending record once they are posted', async () => {
    const { sync, by, bankAccountId, path } = home
    const request = { bankAccountId, providerAccountId: 'acc' }
    const held = { ...lunch, providerTransactionId: 'b', isPending: true, categories: [] }
    const posted = { ...held, providerTransactionId: 'c', isPending: false }
    const named = { ...posted, pendingProviderTransactionId: 'b' }
    await sync.importTransactions({ ...request, transactions: [held] }, by)
    const [waiting] = await alice.get(`${path}/transactions?limit=1`)
    const one = `${path}/transactions/${waiting.transactionId}`
    expect(await alice.get(one)).toMatchObject({
      isPending: true,
      aggregatorTransaction: null,
      categories: null,
      pendingAggregatorTransaction: { isPending: true, deletedAt: null, categories: null },
    })
    await sync.importTransactions({ ...request, transactions: [named] }, by)
    expect(await alice.get(one)).toMatchObject({
      isPending: false,
      aggregatorTransaction: { isPending: false },
      pendingAggregatorTransaction: { isPending: true, deletedAt: text },
    })
    await sync.removeTransactions({ bankAccountId, providerTransactionIds: ['c'] }, by)
    expect(await alice.get(`${path}/transactions`)).toHaveLength(1)
    expect(await alice.get(one)).toMatchObject({ deletedAt: text })
  })
})

test('a transaction of the feed is shown with its record', async () => {
  const bob = await coffer.person()
  const body = { name: 'Home', feedURL, apiKey: 'abc' }
  const { feedLinkId } = await bob.post('/feed/link', body)
  const { linkId } = await bob.post('/links', { institutionName: 'Feed', feedLinkId })
  const feedBankAccountId = newId('lbac')
  const known = { feedBankAccountId }
  const home = await importBankAccount(coffer, bob, { service: 'feed-sync', linkId, known })
  const { path, one, bankAccountId, transactionId } = home
  const feedBankAccount = await insertCandidate(coffer, bob, { feedLinkId, feedBankAccountId })
  const shown = { ...shownAccount({ linkId, bankAccountId }), feedBankAccountId, feedBankAccount }
  expect(await bob.get(path)).toEqual(shown)
  expect(await bob.get('/bank_accounts')).toEqual([shown])
  const listed: Json = { ...shownTransaction({ transactionId, bankAccountId }), source: 'feed' }
  expect(await bob.get(`${path}/transactions`)).toEqual([listed])
  const feedTransaction = {
    feedTransactionId: expect.stringMatching(/^ltxn_/),
    merchant: 'Deli',
    description: 'DELI',
    date: '2026-03-04T06:00:00Z',
    currency: 'USD',
    amount: 1200,
    isPending: false,
    createdAt: text,
  }
  expect(await bob.get(one)).toEqual({ ...listed, feedTransaction })
  const change = { body: { mask: '1111', name: 'Fed' } }
  expect((await bob.call('PATCH', path, change)).body).toMatchObject({ mask: '1111', name: 'Fed' })
  expect((await bob.patch(one, { notes: 'Fed' })).transaction).toMatchObject({ notes: 'Fed' })
  const balance = await bob.call('PATCH', path, { body: { currentBalance: 1 } })
  expect(balance.body.problems).toEqual({ currentBalance: 'key not expected' })
})

describe('notes', () => {
  const bill = { amount: 500, date: '2026-03-02T06:00:00Z', adjustsBalance: true }
  let carol: Person
  let path: string

  beforeAll(async () => {
    carol = await coffer.person()
    path = (await carol.createBankAccount(0)).path
  })

  const list = (query: string) => carol.get(`${path}/transactions?limit=100${query}`)

  async function imports(...rows: string[]): Promise<Json> {
    const form = new FormData()
    form.set('data', new File(['!Type:Bank\n', ...rows.map((row) => `${row}\n^\n`)], 'bank.qif'))
    const { body } = await carol.call('POST', `${path}/transactions/upload`, { form })
    return eventually(
      () => carol.get(`${path}/transactions/upload/${body.transactionUploadId}`),
      ({ status }) => status === 'complete',
    )
  }

  test('of a transaction are found, changed and cleared', async () => {
    const { transaction } = await carol.post(`${path}/transactions`, {
      ...bill,
      name: 'Fuel',
      notes: ' Trip to\nMaine ',
    })
    const bulk = { transactions: [{ ...bill, name: 'Inn', notes: 'Maine, two nights' }] }
    const { results } = await carol.post(`${path}/transactions/bulk`, bulk)
    const written = ['Trip to\nMaine', 'Maine, two nights']
    expect([transaction.notes, results[0].transaction.notes]).toEqual(written)
    expect(await list('&search=maine')).toHaveLength(2)
    const { entries } = await carol.get(`${path}/history?limit=1`)
    expect(entries[0].transaction).toMatchObject({ name: 'Inn', notes: written[1] })
    const { body } = await carol.call('GET', '/users/me/export', { asSession: true })
    expect(body.services.ledger.transactions.map(({ notes }: Json) => notes)).toEqual(
      expect.arrayContaining(written),
    )
    const one = `${path}/transactions/${transaction.transactionId}`
    expect((await carol.patch(one, { notes: null })).transaction.notes).toBeNull()
    expect((await list('&search=maine')).map(({ name }: Json) => name)).toEqual(['Inn'])
  })

  test('outlast an import, and its undoing', async () => {
    const first = "D3/1'26\nT-7.00\nPBakery"
    await imports(first)
    const [bakery] = await list('&search=Bakery')
    const one = `${path}/transactions/${bakery.transactionId}`
    await carol.patch(one, { notes: 'Rolls' })
    const second = await imports(first, "D3/2'26\nT-9.00\nPButcher")
    expect(second).toMatchObject({ importedCount: 1, skippedCount: 1 })
    expect(await carol.get(one)).toMatchObject({ notes: 'Rolls' })
    await carol.call('DELETE', `${path}/transactions/upload/${second.transactionUploadId}`)
    expect(await list('&search=Butcher')).toEqual([])
    expect(await carol.get(one)).toMatchObject({ notes: 'Rolls', deletedAt: null })
  })
})
