import type { Upload } from '@coffer/client/types'
import { eventually } from '@coffer/host/testing/boot'
import { started } from '@coffer/host/testing/started'
import { newId } from '@coffer/kit/values/id'
import { beforeAll, describe, expect, test } from '@jest/globals'
import { startCoffer } from '../harness/coffer.ts'
import { type Bank, type Json, type Person, statusOf } from '../harness/person.ts'
import {
  importBankAccount,
  insertCandidate,
  lunch,
  shownAccount,
  shownTransaction,
  text,
} from './synced-account.ts'

const feedURL = 'http://127.0.0.1:9/v1'

const coffer = started(() =>
  startCoffer({
    COFFER_FEED_ENABLED: 'true',
    COFFER_FEED_ALLOWED_URLS: feedURL,
  }),
)

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
    const { bank, one, bankAccountId } = home
    const { client } = alice
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
    expect((await client.getBankAccount(bank)).data).toEqual(shown)
    expect((await client.listBankAccounts()).data).toEqual([shown])
    const { data: link } = await client.getLink({ path: { linkId } })
    expect(link).toMatchObject({ linkType: 'aggregator' })
    const listed = { ...shownTransaction(ids), source: 'aggregator' }
    expect((await client.listTransactions(bank)).data).toEqual([listed])
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
    const { data: whole } = await client.getTransaction(one)
    expect(whole).toEqual({ ...listed, aggregatorTransaction })
  })

  test('can be renamed and assigned, all else is the bank’s', async () => {
    const { bank, one } = home
    const { client } = alice
    const names = { name: 'Lunch', merchantName: 'Kim’s' }
    const { data: renamed } = await client.updateTransaction({ ...one, body: names })
    const kept = { aggregatorTransaction: { name: 'DELI' } }
    expect(renamed.transaction).toMatchObject({ ...names, ...kept })
    const notExpected = 'key not expected'
    const states = { amount: 5, date: '2026-03-01T06:00:00Z', isPending: true }
    await expect(client.updateTransaction({ ...one, body: states })).rejects.toMatchObject({
      status: 400,
      problems: { amount: notExpected, date: notExpected, isPending: notExpected },
    })
    const notes = 'Split with Kim'
    const { data: noted } = await client.updateTransaction({ ...one, body: { notes } })
    expect(noted.transaction).toMatchObject({ amount: 1200, notes })
    const { data: named } = await client.updateBankAccount({ ...bank, body: { name: 'Main' } })
    expect(named).toMatchObject({ name: 'Main', aggregatorBankAccount: { mask: '0042' } })
    const numbers = { mask: '1111', currentBalance: 1 }
    await expect(client.updateBankAccount({ ...bank, body: numbers })).rejects.toMatchObject({
      status: 400,
      problems: { mask: notExpected, currentBalance: notExpected },
    })
    const made = { name: 'Mine', amount: 5, date: '2026-03-01T06:00:00Z' }
    const refused = [
      statusOf(client.createTransaction({ ...bank, body: made })),
      statusOf(client.deleteTransaction(one)),
      statusOf(client.archiveBankAccount(bank)),
      statusOf(client.createBankAccount({ body: { linkId, name: 'Another' } })),
    ]
    expect(await Promise.all(refused)).toEqual([400, 400, 400, 400])
  })

  test('keep their notes when the bank changes them', async () => {
    const { sync, by, bankAccountId, one } = home
    const more = { ...lunch, amount: 1300n, merchantName: 'Deli & Sons' }
    const request = { bankAccountId, providerAccountId: 'acc', transactions: [more] }
    await sync.importTransactions(request, by)
    const { data: changed } = await alice.client.getTransaction(one)
    expect(changed).toMatchObject({ amount: 1300, notes: 'Split with Kim' })
  })

  test('show their pending record once they are posted', async () => {
    const { sync, by, bankAccountId, bank } = home
    const { client } = alice
    const request = { bankAccountId, providerAccountId: 'acc' }
    const held = { ...lunch, providerTransactionId: 'b', isPending: true, categories: [] }
    const posted = { ...held, providerTransactionId: 'c', isPending: false }
    const named = { ...posted, pendingProviderTransactionId: 'b' }
    await sync.importTransactions({ ...request, transactions: [held] }, by)
    const [waiting] = (await client.listTransactions({ ...bank, query: { limit: 1 } })).data
    const transactionId = waiting?.transactionId ?? ''
    const read = async () =>
      (await client.getTransaction({ path: { ...bank.path, transactionId } })).data
    expect(await read()).toMatchObject({
      isPending: true,
      aggregatorTransaction: null,
      categories: null,
      pendingAggregatorTransaction: { isPending: true, deletedAt: null, categories: null },
    })
    await sync.importTransactions({ ...request, transactions: [named] }, by)
    expect(await read()).toMatchObject({
      isPending: false,
      aggregatorTransaction: { isPending: false },
      pendingAggregatorTransaction: { isPending: true, deletedAt: text },
    })
    await sync.removeTransactions({ bankAccountId, providerTransactionIds: ['c'] }, by)
    expect((await client.listTransactions(bank)).data).toHaveLength(1)
    expect(await read()).toMatchObject({ deletedAt: text })
  })
})

test('a transaction of the feed is shown with its record', async () => {
  const bob = await coffer.person()
  const { client } = bob
  const stated = { name: 'Home', feedURL, apiKey: 'abc' }
  const { feedLinkId } = (await client.createFeedLink({ body: stated })).data
  const body = { institutionName: 'Feed', feedLinkId }
  const { linkId } = (await client.createLink({ body })).data
  const feedBankAccountId = newId('lbac')
  const known = { feedBankAccountId }
  const home = await importBankAccount(coffer, bob, { service: 'feed-sync', linkId, known })
  const { bank, one, bankAccountId, transactionId } = home
  const feedBankAccount = await insertCandidate(coffer, bob, { feedLinkId, feedBankAccountId })
  const shown = { ...shownAccount({ linkId, bankAccountId }), feedBankAccountId, feedBankAccount }
  expect((await client.getBankAccount(bank)).data).toEqual(shown)
  expect((await client.listBankAccounts()).data).toEqual([shown])
  const listed = { ...shownTransaction({ transactionId, bankAccountId }), source: 'feed' }
  expect((await client.listTransactions(bank)).data).toEqual([listed])
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
  expect((await client.getTransaction(one)).data).toEqual({ ...listed, feedTransaction })
  const names = { mask: '1111', name: 'Fed' }
  expect((await client.updateBankAccount({ ...bank, body: names })).data).toMatchObject(names)
  const { data: noted } = await client.updateTransaction({ ...one, body: { notes: 'Fed' } })
  expect(noted.transaction).toMatchObject({ notes: 'Fed' })
  const balance = client.updateBankAccount({ ...bank, body: { currentBalance: 1 } })
  await expect(balance).rejects.toMatchObject({ problems: { currentBalance: 'key not expected' } })
})

describe('notes', () => {
  const bill = { amount: 500, date: '2026-03-02T06:00:00Z', adjustsBalance: true }
  let client: Person['client']
  let session: Person['session']
  let bank: Bank

  beforeAll(async () => {
    const carol = await coffer.person()
    client = carol.client
    session = carol.session
    bank = (await carol.createBankAccount(0)).bank
  })

  const search = async (text: string) =>
    (await client.listTransactions({ ...bank, query: { limit: 100, search: text } })).data

  /** Imports a QIF file of these rows. Returns the upload. */
  async function imports(...rows: string[]): Promise<Upload> {
    const content = ['!Type:Bank\n', ...rows.map((row) => `${row}\n^\n`)]
    const data = new File(content, 'bank.qif')
    const { transactionUploadId } = (await client.createUpload({ ...bank, body: { data } })).data
    const one = { path: { ...bank.path, transactionUploadId } }
    const read = async () => (await client.getUpload(one)).data
    return eventually(read, ({ status }) => status === 'complete')
  }

  test('of a transaction are found, changed and cleared', async () => {
    const fuel = { ...bill, name: 'Fuel', notes: ' Trip to\nMaine ' }
    const { transaction } = (await client.createTransaction({ ...bank, body: fuel })).data
    const inn = { ...bill, name: 'Inn', notes: 'Maine, two nights' }
    const { data: bulk } = await client.createTransactions({
      ...bank,
      body: { transactions: [inn] },
    })
    const written = ['Trip to\nMaine', 'Maine, two nights']
    expect([transaction.notes, bulk.results[0]?.transaction?.notes]).toEqual(written)
    expect(await search('maine')).toHaveLength(2)
    const { entries } = (await client.listHistory({ ...bank, query: { limit: 1 } })).data
    expect(entries[0]?.transaction).toMatchObject({ name: 'Inn', notes: written[1] })
    const exported: Json = (await session.exportAccount()).data
    expect(exported.services.ledger.transactions.map(({ notes }: Json) => notes)).toEqual(
      expect.arrayContaining(written),
    )
    const one = { path: { ...bank.path, transactionId: transaction.transactionId } }
    const { data: cleared } = await client.updateTransaction({ ...one, body: { notes: null } })
    expect(cleared.transaction.notes).toBeNull()
    expect(await search('maine')).toMatchObject([{ name: 'Inn' }])
  })

  test('outlast an import, and its undoing', async () => {
    const first = "D3/21'26\nT-7.00\nPBakery"
    await imports(first)
    const [bakery] = await search('Bakery')
    const one = { path: { ...bank.path, transactionId: bakery?.transactionId ?? '' } }
    await client.updateTransaction({ ...one, body: { notes: 'Rolls' } })
    const second = await imports(first, "D3/22'26\nT-9.00\nPButcher")
    expect(second).toMatchObject({ importedCount: 1, skippedCount: 1 })
    expect((await client.getTransaction(one)).data).toMatchObject({ notes: 'Rolls' })
    const { transactionUploadId } = second
    await client.undoUpload({ path: { ...bank.path, transactionUploadId } })
    expect(await search('Butcher')).toEqual([])
    const { data: bakeryLater } = await client.getTransaction(one)
    expect(bakeryLater).toMatchObject({ notes: 'Rolls', deletedAt: null })
  })
})
