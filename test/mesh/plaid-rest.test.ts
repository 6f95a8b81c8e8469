import { requestByOperator } from '@coffer/aggregator-sync/syncs/operator.service'
import { eventually } from '@coffer/host/testing/boot'
import { started } from '@coffer/host/testing/started'
import { AggregatorSyncService } from '@coffer/proto/aggregatorsync/v1/aggregator_sync'
import { describe, expect, test } from '@jest/globals'
import { type Answer, call, type Json, type Person } from '../harness/person.ts'
import type { PlaidItem } from '../providers/plaid/item.ts'
import { daysAgo } from './feed-world.ts'
import { startPlaidWorld } from './plaid-world.ts'

const world = started(() => startPlaidWorld())

const asSession = true

function send(person: Person, method: string, path: string, body?: unknown): Promise<Answer> {
  return person.call(method, path, body === undefined ? { asSession } : { asSession, body })
}

/** Opens Plaid Link with a new link token. Returns the callback's body, and the item. */
async function completeLink(person: Person): Promise<{ body: Json; item: PlaidItem }> {
  const { body: token } = await send(person, 'GET', '/aggregator/token/new')
  const { publicToken, item } = world.plaid.completeLink(token.linkToken)
  item.bank(item.accounts()[0]?.account_id ?? '').post({ date: daysAgo(2), amount: '12.50' })
  const accountIds = item.accounts().map((one) => one.account_id)
  const { institutionId } = item
  const body = { publicToken, accountIds, institutionId, institutionName: 'First Platypus Bank' }
  return { body, item }
}

/** Links a new item, and waits until its first sync has ended. */
async function linkBank(person: Person): Promise<{ linkId: string; item: PlaidItem }> {
  const { body, item } = await completeLink(person)
  const linked = await send(person, 'POST', '/aggregator/token/callback', body)
  expect(linked).toMatchObject({ status: 200, body: { linkId: expect.any(String) } })
  const { linkId } = linked.body
  const waited = await send(person, 'GET', `/aggregator/link/setup/wait/${linkId}`)
  expect([waited.status, waited.body]).toEqual([200, null])
  return { linkId, item }
}

test('a user links a bank: from the link token to the transactions', async () => {
  const person = await world.coffer.person()
  expect((await person.get('/config')).aggregatorEnabled).toBe(true)
  const { linkId, item } = await linkBank(person)
  const links = await person.get('/links')
  expect(links).toMatchObject([
    {
      linkId,
      linkType: 'aggregator',
      institutionName: 'First Platypus Bank',
      aggregatorLink: {
        products: ['transactions'],
        status: 'setup',
        institutionId: 'ins_109508',
        lastManualSync: null,
        lastSuccessfulUpdate: expect.any(String),
        deletedAt: null,
      },
    },
  ])
  expect(await person.get(`/links/${linkId}`)).toEqual(links[0])
  const shown = JSON.stringify([links, await person.get('/bank_accounts')])
  for (const secret of [item.accessToken, item.itemId]) expect(shown).not.toContain(secret)
  const [account] = await person.get('/bank_accounts')
  const path = `/bank_accounts/${account.bankAccountId}/transactions`
  expect(await person.get(path)).toMatchObject([{ amount: 1_250, source: 'aggregator' }])
  const health = await person.get(`/links/${linkId}/health`)
  expect(health).toMatchObject({ linkId, linkType: 'aggregator', status: 'setup' })
  expect(health.calls.total).toBeGreaterThan(1)
  expect(health.bankAccounts).toHaveLength(2)
  const { booted } = world.coffer
  const syncs = booted.client('aggregator-sync', AggregatorSyncService)
  const former = await syncs.getAggregatorHealth({ linkId }, booted.as(person.accountId))
  const calls = { total: BigInt(health.calls.total) }
  expect(former.health).toMatchObject({ linkId, status: 'setup', calls })
})

test('a link token is used again on request, until the callback, even one that fails', async () => {
  const person = await world.coffer.person()
  const newToken = async (query = '') =>
    (await send(person, 'GET', `/aggregator/token/new${query}`)).body.linkToken
  const first = await newToken()
  expect(await newToken('?use_cache=true')).toBe(first)
  expect(await newToken()).not.toBe(first)
  const second = await newToken('?use_cache=true')
  const empty = { publicToken: ' ', accountIds: [] }
  const { status, body } = await send(person, 'POST', '/aggregator/token/callback', empty)
  expect([status, body.error]).toEqual([400, expect.stringMatching(/^must provide a public token/)])
  expect(await newToken('?use_cache=true')).not.toBe(second)
})

test('a public token that the aggregator refuses is 500, and leaves no link', async () => {
  const person = await world.coffer.person()
  const { body } = await completeLink(person)
  const wrong = { ...body, publicToken: 'public-sandbox-unknown' }
  const answer = await send(person, 'POST', '/aggregator/token/callback', wrong)
  expect(answer.status).toBe(500)
  expect(answer.body.error).toMatch(/^failed to exchange token/)
  expect(await person.get('/links')).toEqual([])
})

test('a repeated callback with its Idempotency-Key gets the first answer', async () => {
  const person = await world.coffer.person()
  const { body } = await completeLink(person)
  const headers = { 'idempotency-key': 'link-once' }
  const path = '/aggregator/token/callback'
  const first = await person.call('POST', path, { asSession, body, headers })
  const again = await person.call('POST', path, { asSession, body, headers })
  expect([again.status, again.body]).toEqual([200, first.body])
  expect(again.headers.get('idempotency-replayed')).toBe('true')
  expect(await person.get('/links')).toHaveLength(1)
})

test('a wait for a set-up that takes longer is 408, and one after the set-up 200', async () => {
  const person = await world.coffer.person()
  const { body, item } = await completeLink(person)
  item.readiness = 'NOT_READY'
  const { body: linked } = await send(person, 'POST', '/aggregator/token/callback', body)
  await using brief = await world.coffer.startGateway({
    progressTimes: { pollMs: 20, limitMs: 300 },
  })
  const path = `/aggregator/link/setup/wait/${linked.linkId}`
  const headers = { cookie: person.cookie }
  const waited = await call(brief.baseUrl, 'GET', path, { headers })
  expect([waited.status, waited.body]).toEqual([408, null])
  expect((await person.get(`/links/${linked.linkId}`)).aggregatorLink.status).toBe('pending')
  const waiting = send(person, 'GET', path)
  item.readiness = 'HISTORICAL_UPDATE_COMPLETE'
  const database = world.coffer.booted.database('aggregator-sync')
  await requestByOperator(database, linked.linkId, new Date())
  expect((await waiting).status).toBe(200)
})

test('a sync is started at most once in 30 minutes', async () => {
  const person = await world.coffer.person()
  const { linkId } = await linkBank(person)
  const started = await send(person, 'POST', '/aggregator/link/sync', { linkId })
  expect([started.status, started.body]).toEqual([202, null])
  const again = await send(person, 'POST', '/aggregator/link/sync', { linkId })
  const error = 'link has been manually synced too recently: repeat after Retry-After'
  expect([again.status, again.body]).toEqual([425, { error }])
  const seconds = Number(again.headers.get('retry-after'))
  expect(seconds).toBeGreaterThan(1_700)
  expect(seconds).toBeLessThanOrEqual(1_800)
  const { aggregatorLink } = await person.get(`/links/${linkId}`)
  expect(aggregatorLink.lastManualSync).toEqual(expect.any(String))
})

test('an update adds bank accounts to a link', async () => {
  const person = await world.coffer.person()
  const { linkId, item } = await linkBank(person)
  const path = `/aggregator/link/update/${linkId}?update_account_selection=true`
  const { status, body: token } = await send(person, 'PUT', path)
  expect(status).toBe(200)
  const { publicToken } = world.plaid.completeLink(token.linkToken)
  item.addAccount({ name: 'Plaid CD', mask: '2222', subtype: 'cd' })
  const accountIds = item.accounts().map((one) => one.account_id)
  const body = { linkId, publicToken, accountIds }
  const updated = await send(person, 'POST', '/aggregator/link/update/callback', body)
  expect(updated).toMatchObject({
    status: 200,
    body: { linkId, linkType: 'aggregator', aggregatorLink: { status: 'setup' } },
  })
  expect(await person.get('/bank_accounts')).toHaveLength(3)
})

test('a deleted link shows the end of its connection, and takes no request', async () => {
  const person = await world.coffer.person()
  const { linkId } = await linkBank(person)
  expect((await person.call('DELETE', `/links/${linkId}`)).status).toBe(200)
  const read = () => person.get(`/links/${linkId}`)
  const { aggregatorLink } = await eventually(read, (link) => link.aggregatorLink.deletedAt)
  expect(aggregatorLink.status).toBe('deactivated')
  const late = await send(person, 'GET', `/aggregator/link/setup/wait/${linkId}`)
  expect([late.status, late.body]).toEqual([404, { error: 'the link has been deleted' }])
})

describe('an institution', () => {
  test('is shown as the aggregator describes it', async () => {
    const person = await world.coffer.person()
    const { status, body } = await send(person, 'GET', '/institutions/ins_109508')
    expect(status).toBe(200)
    expect(body).toMatchObject({
      institutionId: 'ins_109508',
      name: 'First Platypus Bank',
      countryCodes: ['US'],
      url: 'https://bank.example',
      primaryColor: '#1f1f1f',
      logo: expect.any(String),
      status: { item_logins: { status: 'HEALTHY' } },
    })
  })

  test('is 404 if the aggregator does not know it', async () => {
    const person = await world.coffer.person()
    expect((await send(person, 'GET', '/institutions/ins_1')).status).toBe(404)
  })
})
