import { loadSigner, systemCaller } from '@coffer/kit/caller'
import { newId } from '@coffer/kit/id'
import { headers } from '@coffer/kit/rpc'
import { eventually } from '@coffer/kit/testing/boot'
import { SyncImportService } from '@coffer/proto/ledger/v1/sync_import'
import { afterAll, beforeAll, describe, expect, test } from '@jest/globals'
import { sql } from 'slonik'
import { type Coffer, startCoffer } from '../harness/coffer.ts'
import type { Json, Person } from '../harness/person.ts'

const feedURL = 'http://127.0.0.1:9/v1'
const text = expect.any(String)
const account = {
  ...{ providerAccountId: 'acc', name: 'Plain Checking', officialName: 'Plain Silver Checking' },
  ...{ mask: '0042', currency: 'USD', accountType: 'depository', accountSubType: 'checking' },
  ...{ availableBalance: 10_000n, currentBalance: 10_500n },
}
const lunch = {
  ...{ providerTransactionId: 'a', amount: 1200n, currency: 'USD', date: '2026-03-04' },
  ...{ displayName: 'Deli', originalName: 'DELI 0042', name: 'DELI', merchantName: 'Deli' },
  ...{ categories: ['Food', 'Restaurants'], category: 'FOOD_AND_DRINK_RESTAURANT' },
}

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

/** What a sync service has brought in for somebody: a bank account with one transaction. */
async function synced(person: Person, service: string, of: { linkId: string; known: object }) {
  const { booted } = coffer
  const signer = loadSigner(booted.keysFolder, service)
  const token = systemCaller(signer, person.accountId, new Date())
  const by = { headers: { [headers.caller]: token } }
  const sync = booted.client('ledger', SyncImportService)
  const { linkId, known } = of
  if (service === 'aggregator-sync') {
    await sync.upsertLink({ linkId, institutionName: 'First Bank' }, by)
  }
  const { accounts } = await sync.upsertBankAccounts(
    { linkId, accounts: [{ ...account, ...known }] },
    by,
  )
  const bankAccountId = accounts[0]?.bankAccountId ?? ''
  const request = { bankAccountId, providerAccountId: 'acc', transactions: [lunch] }
  // The account's timezone comes by an event of identity.
  const imported = await eventually(
    () => sync.importTransactions(request, by).catch(() => null),
    (reply) => reply !== null,
  )
  const transactionId = imported?.transactions[0]?.transactionId ?? ''
  const path = `/bank_accounts/${bankAccountId}`
  return {
    bankAccountId,
    transactionId,
    path,
    one: `${path}/transactions/${transactionId}`,
    sync,
    by,
  }
}

/** A candidate that the connection offers, as it is shown. */
async function offers(
  { accountId }: Person,
  { feedLinkId, feedBankAccountId }: { feedLinkId: string; feedBankAccountId: string },
): Promise<Json> {
  await coffer.booted.database('feed-sync').pool.query(sql.unsafe`
    INSERT INTO feed_bank_accounts (account_id, feed_bank_account_id, feed_link_id, feed_id,
      feed_status, name, institution_name, provider, currency, status, current_balance,
      created_at, created_by, updated_at)
    VALUES (${accountId}, ${feedBankAccountId}, ${feedLinkId}, '42', 'ACTIVE', 'Checking',
      'First Bank', 'gocardless', 'USD', 'active', 1234, now(), 'user_1', now())`)
  return {
    ...{ feedBankAccountId, feedLinkId, feedId: '42', feedStatus: 'ACTIVE', name: 'Checking' },
    ...{ institutionName: 'First Bank', provider: 'gocardless', currency: 'USD' },
    ...{ status: 'active', currentBalance: 1234, createdAt: text, createdBy: 'user_1' },
    updatedAt: text,
  }
}

const shownAccount = (of: { linkId: string; bankAccountId: string }) => ({
  ...of,
  ...{ feedBankAccountId: null, currency: 'USD', mask: '0042', status: 'active' },
  ...{ availableBalance: 10_000, currentBalance: 10_500, limitBalance: 0 },
  ...{ name: 'Plain Checking', originalName: 'Plain Checking' },
  ...{ accountType: 'depository', accountSubType: 'checking' },
  ...{ lastUpdated: text, createdAt: text, updatedAt: text },
})

const shownTransaction = (of: { transactionId: string; bankAccountId: string }) => ({
  ...of,
  ...{ aggregatorTransaction: null, pendingAggregatorTransaction: null, amount: 1200 },
  ...{ spendingId: null, createdBySpendingId: null, createdByFundingScheduleId: null },
  ...{ categories: lunch.categories, category: lunch.category, date: '2026-03-04T06:00:00Z' },
  ...{ name: 'Deli', originalName: 'DELI 0042', merchantName: 'Deli' },
  ...{ originalMerchantName: 'Deli', isPending: false, uploadIdentifier: null },
  ...{ createdAt: text, deletedAt: null },
})

describe('what the aggregator found', () => {
  const linkId = newId('link')
  let alice: Person
  let home: Awaited<ReturnType<typeof synced>>
  let ids: { transactionId: string; bankAccountId: string }

  beforeAll(async () => {
    alice = await coffer.person()
    home = await synced(alice, 'aggregator-sync', { linkId, known: {} })
    ids = { transactionId: home.transactionId, bankAccountId: home.bankAccountId }
  })

  test('is shown with its records', async () => {
    const { path, one, bankAccountId } = home
    const record = {
      ...{ name: 'Plain Checking', officialName: 'Plain Silver Checking', mask: '0042' },
      ...{ currency: 'USD', availableBalance: 10_000, currentBalance: 10_500, limitBalance: 0 },
      ...{ createdAt: text, createdBy: text },
    }
    const shown = { ...shownAccount({ linkId, bankAccountId }), aggregatorBankAccount: record }
    expect(await alice.get(path)).toEqual(shown)
    expect(await alice.get('/bank_accounts')).toEqual([shown])
    expect(await alice.get(`/links/${linkId}`)).toMatchObject({ linkType: 'aggregator' })
    const listed = { ...shownTransaction(ids), source: 'aggregator' }
    expect(await alice.get(`${path}/transactions`)).toEqual([listed])
    const aggregatorTransaction = {
      ...{ categories: lunch.categories, category: lunch.category, amount: 1200 },
      ...{ date: '2026-03-04T06:00:00Z', authorizedDate: null, name: 'DELI' },
      ...{ merchantName: 'Deli', currency: 'USD', isPending: false },
      ...{ createdAt: text, deletedAt: null },
    }
    expect(await alice.get(one)).toEqual({ ...listed, aggregatorTransaction })
  })

  test('can be named and assigned, and is the bank’s otherwise', async () => {
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
          ...{ amount: 'key not expected', date: 'key not expected' },
          isPending: 'key not expected',
        },
      },
    })
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

  test('shows what was pending once it is posted', async () => {
    const { sync, by, bankAccountId, path } = home
    const request = { bankAccountId, providerAccountId: 'acc' }
    const held = { ...lunch, providerTransactionId: 'b', isPending: true, categories: [] }
    const posted = { ...held, providerTransactionId: 'c', isPending: false }
    const named = { ...posted, pendingProviderTransactionId: 'b' }
    await sync.importTransactions({ ...request, transactions: [held] }, by)
    const [waiting] = await alice.get(`${path}/transactions?limit=1`)
    const one = `${path}/transactions/${waiting.transactionId}`
    expect(await alice.get(one)).toMatchObject({
      ...{ isPending: true, aggregatorTransaction: null, categories: null },
      pendingAggregatorTransaction: { isPending: true, deletedAt: null, categories: null },
    })
    await sync.importTransactions({ ...request, transactions: [named] }, by)
    expect(await alice.get(one)).toMatchObject({
      ...{ isPending: false, aggregatorTransaction: { isPending: false } },
      pendingAggregatorTransaction: { isPending: true, deletedAt: text },
    })
    await sync.removeTransactions({ bankAccountId, providerTransactionIds: ['c'] }, by)
    expect(await alice.get(`${path}/transactions`)).toHaveLength(1)
    expect(await alice.get(one)).toMatchObject({ deletedAt: text })
  })
})

test('what the feed found is shown with its record', async () => {
  const bob = await coffer.person()
  const body = { name: 'Home', feedURL, apiKey: 'abc' }
  const { feedLinkId } = await bob.post('/feed/link', body)
  const { linkId } = await bob.post('/links', { institutionName: 'Feed', feedLinkId })
  const feedBankAccountId = newId('lbac')
  const known = { feedBankAccountId }
  const home = await synced(bob, 'feed-sync', { linkId, known })
  const { path, one, bankAccountId, transactionId } = home
  const feedBankAccount = await offers(bob, { feedLinkId, feedBankAccountId })
  const shown = { ...shownAccount({ linkId, bankAccountId }), feedBankAccountId, feedBankAccount }
  expect(await bob.get(path)).toEqual(shown)
  expect(await bob.get('/bank_accounts')).toEqual([shown])
  const listed: Json = { ...shownTransaction({ transactionId, bankAccountId }), source: 'feed' }
  expect(await bob.get(`${path}/transactions`)).toEqual([listed])
  const feedTransaction = {
    ...{ feedTransactionId: expect.stringMatching(/^ltxn_/), merchant: 'Deli' },
    ...{ description: 'DELI', date: '2026-03-04T06:00:00Z', currency: 'USD', amount: 1200 },
    ...{ isPending: false, createdAt: text },
  }
  expect(await bob.get(one)).toEqual({ ...listed, feedTransaction })
  const change = { body: { mask: '1111', name: 'Fed' } }
  expect((await bob.call('PATCH', path, change)).body).toMatchObject({ mask: '1111', name: 'Fed' })
  const balance = await bob.call('PATCH', path, { body: { currentBalance: 1 } })
  expect(balance.body.problems).toEqual({ currentBalance: 'key not expected' })
})
