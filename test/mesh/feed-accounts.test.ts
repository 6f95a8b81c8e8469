import { createLunchFlow } from '@coffer/feed-sync/provider/lunch-flow.client'
import { eventually } from '@coffer/host/testing/boot'
import { started } from '@coffer/host/testing/started'
import { newId } from '@coffer/kit/values/id'
import { BankAccountService } from '@coffer/proto/ledger/v1/bank_account'
import { beforeAll, beforeEach, describe, expect, test } from '@jest/globals'
import { startCoffer } from '../harness/coffer.ts'
import type { Json, Person } from '../harness/person.ts'
import { feedAccount, type Misbehaviour, startLunchFlow } from '../providers/lunch-flow.ts'

let alice: Person

const provider = started(() => startLunchFlow())
const coffer = started(() =>
  startCoffer({
    COFFER_FEED_ENABLED: 'true',
    COFFER_FEED_ALLOWED_URLS: provider.url,
  }),
)

beforeAll(async () => {
  alice = await coffer.person()
})

beforeEach(() => {
  provider.accounts.splice(0)
})

/** Creates a feed connection of the person, and a link that uses it. */
async function createConnection(person: Person, apiKey = provider.apiKey) {
  const connection = { name: 'Home', feedURL: provider.url, apiKey }
  const { feedLinkId } = await person.post('/feed/link', connection)
  const { linkId } = await person.post('/links', { institutionName: 'Feed', feedLinkId })
  const candidates = `/feed/link/${feedLinkId}/bank_accounts`
  const refresh = () => person.call('POST', `${candidates}/refresh`)
  const list = (): Promise<Json[]> => person.get(candidates)
  return { feedLinkId, linkId, refresh, list }
}

const use = (person: Person, linkId: string, feedBankAccountId: string) =>
  person.call('POST', '/bank_accounts', { body: { linkId, name: 'Mine', feedBankAccountId } })

test('a candidate of the provider is listed, used, archived and used again', async () => {
  const { feedLinkId, linkId, refresh, list } = await createConnection(alice)
  expect(await list()).toEqual([])
  provider.accounts.push(feedAccount(1), feedAccount('2', { currency: 'JPY', balance: '-50' }))
  const refreshed = await refresh()
  expect([refreshed.status, refreshed.body]).toEqual([204, null])
  const [second, first] = await list()
  expect(second).toMatchObject({ feedId: '2', currency: 'JPY', currentBalance: -50 })
  expect(first).toEqual({
    feedBankAccountId: expect.stringMatching(/^lbac_/),
    feedLinkId,
    feedId: '1',
    feedStatus: 'ACTIVE',
    name: 'Account 1',
    institutionName: 'First Bank',
    provider: 'gocardless',
    currency: 'USD',
    status: 'inactive',
    currentBalance: 1234,
    createdAt: expect.any(String),
    updatedAt: expect.any(String),
    createdBy: expect.stringMatching(/^user_/),
  })

  const { feedBankAccountId } = first
  const { status, body: account } = await use(alice, linkId, feedBankAccountId)
  expect(status).toBe(200)
  expect(account).toMatchObject({
    linkId,
    feedBankAccountId,
    name: 'Mine',
    originalName: 'Account 1',
    feedBankAccount: { feedBankAccountId, status: 'active' },
  })
  expect(await alice.get(`/bank_accounts/${account.bankAccountId}`)).toEqual(account)
  const again = await use(alice, linkId, feedBankAccountId)
  expect([again.status, again.body]).toEqual([
    400,
    {
      error: 'bank account: a similar object already exists',
      problems: { feedBankAccountId: 'is taken by another bank account' },
    },
  ])

  await alice.call('DELETE', `/bank_accounts/${account.bankAccountId}`)
  // The event of the creation may arrive after the request, and that of the archiving after it.
  await eventually(list, (all) => all[1].status === 'inactive')
  const restored = await alice.post(`/bank_accounts/${account.bankAccountId}/restore`, {})
  expect(restored).toMatchObject({ bankAccountId: account.bankAccountId, status: 'active' })
  await eventually(list, (all) => all[1].status === 'active')
  await alice.call('DELETE', `/bank_accounts/${account.bankAccountId}`)
  const readded = await use(alice, linkId, feedBankAccountId)
  expect([readded.status, readded.body.feedBankAccount.status]).toEqual([200, 'active'])
  expect((await refresh()).status).toBe(204)
  expect(await list()).toHaveLength(2)
})

test('a refresh adds new candidates and keeps known ones, also ten at once', async () => {
  const { refresh, list } = await createConnection(alice)
  provider.accounts.push(feedAccount(1))
  await refresh()
  const [known] = await list()
  provider.accounts.splice(0, 1, feedAccount(1, { name: 'Renamed', balance: '99' }))
  provider.accounts.push(feedAccount(2), feedAccount(2), feedAccount(3))
  const answers = await Promise.all(Array.from({ length: 10 }, refresh))
  expect(answers.map(({ status }) => status)).toEqual(Array(10).fill(204))
  const candidates = await list()
  expect(candidates.map(({ feedId }) => feedId)).toEqual(['3', '2', '1'])
  expect(candidates[2]).toEqual(known)
  provider.accounts.splice(0)
  await refresh()
  expect(await list()).toEqual(candidates)
})

test('an account without a readable balance is a candidate with 0', async () => {
  const { refresh, list } = await createConnection(alice)
  provider.accounts.push(feedAccount(1), feedAccount(2, { balance: '7' }))
  provider.misbehave('/1/balance', { status: 404 })
  expect((await refresh()).status).toBe(204)
  provider.misbehave('/1/balance', null)
  expect((await list()).map(({ currentBalance }) => currentBalance)).toEqual([700, 0])
})

const elsewhere = 'http://127.0.0.1:1/api/v1/accounts'

describe('a refresh reports the fault of the provider:', () => {
  test.each<[Misbehaviour, string, number]>([
    [{ status: 503, body: 'try later' }, 'answered with status 503: try later', 2],
    [{ status: 429, body: '' }, 'answered with status 429', 1],
    [{ status: 200, body: '<html>' }, 'did not send a list of accounts', 1],
    [{ status: 200, body: '{"accounts":7}' }, 'did not send a list of accounts', 1],
    [{ status: 302, location: elsewhere }, 'answered with status 302', 1],
    [{ status: 302, location: '/other/accounts' }, 'answered with status 302', 1],
    [{ status: 302, location: '/api/v1/../accounts' }, 'answered with status 302', 1],
    [{ status: 302, location: '/api/v1/accounts' }, 'answered with status 302', 4],
  ])('%j', async (how, text, requests) => {
    const { refresh, list } = await createConnection(alice)
    provider.misbehave('/accounts', how)
    const before = provider.requests.length
    const answer = await refresh()
    provider.misbehave('/accounts', null)
    expect([answer.status, answer.body.error]).toEqual([500, `the feed provider ${text}`])
    expect(provider.requests.length - before).toBe(requests)
    expect(await list()).toEqual([])
  })

  test('a refused key, without showing it', async () => {
    const { refresh } = await createConnection(alice, 'aWrongKey')
    const { status, body } = await refresh()
    expect([status, body.error]).toEqual([
      500,
      'the feed provider refused the API key: {"error":"Forbidden","message":"no such key: ***"}',
    ])
  })

  test('no connection, or no answer', async () => {
    await using silent = await startLunchFlow()
    silent.misbehave('/accounts', 'silence')
    const feed = createLunchFlow({ apiUrl: silent.url, apiKey: silent.apiKey, attemptMs: 50 })
    const patient = new AbortController().signal
    await expect(feed.listAccounts(patient)).rejects.toThrow('the feed provider did not answer')
    expect(silent.requests).toEqual(['/accounts', '/accounts'])
    await silent[Symbol.asyncDispose]()
    await expect(feed.listAccounts(patient)).rejects.toThrow('the feed provider did not answer')
  })
})

test('of ten concurrent requests for one candidate one succeeds', async () => {
  const { linkId, refresh, list } = await createConnection(alice)
  provider.accounts.push(feedAccount(1))
  await refresh()
  const [{ feedBankAccountId }] = await list()
  const answers = await Promise.all(
    Array.from({ length: 10 }, () => use(alice, linkId, feedBankAccountId)),
  )
  const made = answers.filter(({ status }) => status === 200)
  expect(made).toHaveLength(1)
  expect(new Set(answers.map(({ status }) => status))).toEqual(new Set([200, 400]))
  expect((await list())[0]).toMatchObject({ status: 'active' })
})

test('a candidate belongs to the link of its connection, and to its account', async () => {
  const [one, other] = [await createConnection(alice), await createConnection(alice)]
  provider.accounts.push(feedAccount(1))
  await one.refresh()
  const [{ feedBankAccountId }] = await one.list()
  const manual = await alice.createBankAccount()
  const bob = await coffer.person()
  const bobs = await createConnection(bob)
  const refused = {
    feedBankAccountId: 'is not an account of this link: list or refresh its candidates',
  }
  for (const [person, linkId] of [
    [alice, other.linkId],
    [alice, manual.linkId],
    [bob, bobs.linkId],
  ] as const) {
    const answer = await use(person, linkId, feedBankAccountId)
    expect([answer.status, answer.body.problems]).toEqual([400, refused])
  }
  expect((await use(bob, one.linkId, feedBankAccountId)).status).toBe(404)
  const without = { body: { linkId: one.linkId, name: 'Mine' } }
  expect((await alice.call('POST', '/bank_accounts', without)).body.problems).toEqual({
    feedBankAccountId: 'is required on a feed link',
  })
  for (const [method, path] of [
    ['GET', ''],
    ['POST', '/refresh'],
  ] as const) {
    const answer = await bob.call(method, `/feed/link/${one.feedLinkId}/bank_accounts${path}`)
    expect(answer.status).toBe(404)
  }
})

test('events of the ledger update candidates without another call', async () => {
  const { linkId, refresh, list } = await createConnection(alice)
  provider.accounts.push(feedAccount(1))
  await refresh()
  const [{ feedBankAccountId }] = await list()
  const ledger = coffer.booted.client('ledger', BankAccountService)
  const caller = coffer.booted.as(alice.accountId)
  const request = { linkId, name: 'Mine', feedBankAccountId }
  const { bankAccount } = await ledger.createBankAccount(request, caller)
  await eventually(list, ([{ status }]) => status === 'active')
  const bankAccountId = bankAccount?.bankAccountId ?? newId('bac')
  await ledger.archiveBankAccount({ bankAccountId }, caller)
  await eventually(list, ([{ status }]) => status === 'inactive')
})

test('a connection whose link is deleted loses its candidates and sends no requests', async () => {
  const { linkId, refresh, list } = await createConnection(alice)
  provider.accounts.push(feedAccount(1))
  await refresh()
  await alice.call('DELETE', `/links/${linkId}`)
  await eventually(list, ({ length }) => length === 0)
  const before = provider.requests.length
  const answer = await refresh()
  expect([answer.status, answer.body.error]).toEqual([
    400,
    'the feed link is deactivated: create a new connection',
  ])
  expect(provider.requests.length).toBe(before)
})

test('one Idempotency-Key creates one connection', async () => {
  const options = {
    body: { name: 'Home', feedURL: provider.url, apiKey: provider.apiKey },
    headers: { 'idempotency-key': newId('key') },
  }
  const answers = [
    await alice.call('POST', '/feed/link', options),
    await alice.call('POST', '/feed/link', options),
  ]
  expect(answers[1]?.body).toEqual(answers[0]?.body)
  expect(answers[1]?.headers.get('idempotency-replayed')).toBe('true')
})
