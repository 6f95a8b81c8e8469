import { randomUUID } from 'node:crypto'
import { eventually } from '@coffer/host/testing/boot'
import { freePorts } from '@coffer/local/ports'
import { afterAll, beforeAll, expect, test } from '@jest/globals'
import pg from 'pg'
import { redeliver } from '../harness/messages.ts'
import { type Answer, call, type Json, newPerson, type Person } from '../harness/person.ts'
import { type Deployment, deploy } from '../harness/process.ts'
import { daysAgo } from '../mesh/feed-world.ts'
import { aggregatorSettings } from '../providers/linked-aggregator.ts'
import { plaidFaults } from '../providers/plaid/faults.ts'
import type { PlaidItem } from '../providers/plaid/item.ts'
import { productionLimits } from '../providers/plaid/limits.ts'
import { type Plaid, startPlaid } from '../providers/plaid/plaid.ts'
import type { PlaidWebhook } from '../providers/plaid/webhooks.ts'
import { shuffled } from '../providers/shuffled.ts'
import { seed } from '../seed.ts'
import { untilRow } from './edited-account.ts'
import { expectLedger } from './plaid-ledger.ts'
import { announceAndSync, linkAndSync } from './plaid-work.ts'

// Two replicas of aggregator-sync, each with a gateway, on one database.
const stack = new AsyncDisposableStack()
let plaid: Plaid
let deployment: Deployment
let reader: pg.Pool
let replicas: [string, string]
let person: Person

beforeAll(async () => {
  plaid = stack.use(await startPlaid())
  for (const [path, limit] of productionLimits) plaid.limits.set(path, limit)
  deployment = stack.use(await deploy(aggregatorSettings(plaid)))
  plaid.webhooks.origin = deployment.baseUrl
  reader = new pg.Pool({ connectionString: deployment.databaseUrl })
  stack.defer(() => reader.end())
  const [port] = await freePorts(1)
  replicas = [deployment.baseUrl, `http://127.0.0.1:${port}`]
  const others = await deployment.part('identity', 'ledger', 'budgeting', 'feed-sync')
  const startReplica = async (url: string) => {
    const part = await deployment.part('aggregator-sync', 'gateway')
    const urls = ['IDENTITY', 'LEDGER', 'BUDGETING', 'FEED_SYNC'].map((name) => {
      return [`COFFER_${name}_URL`, others.url]
    })
    await part.start({ ...Object.fromEntries(urls), COFFER_PORT: new URL(url).port })
  }
  await others.start({})
  // One after the other: the first one makes the keys and the bundle of workflows.
  for (const url of replicas) await startReplica(url)
  person = await newPerson(deployment.baseUrl)
})

afterAll(async () => {
  await stack.disposeAsync()
})

/** Sends a request of the person to both replicas at once; returns both answers. */
function callBoth(
  method: string,
  path: string,
  { body, headers = {} }: { body: unknown; headers?: Record<string, string> },
): Promise<Answer[]> {
  const options = { body, headers: { cookie: person.cookie, ...headers } }
  return Promise.all(replicas.map((baseUrl) => call(baseUrl, method, path, options)))
}

const statusesOf = (answers: Answer[]) => answers.map(({ status }) => status).toSorted()

/** Sends a webhook to both replicas at once; returns the statuses of both answers. */
async function announceToBoth(webhook: PlaidWebhook): Promise<number[]> {
  const path = new URL(webhook.url).pathname
  const statuses = replicas.map(async (baseUrl) => {
    const headers = {
      'content-type': 'application/json',
      'plaid-verification': webhook.verification,
    }
    const answer = await fetch(baseUrl + path, { method: 'POST', headers, body: webhook.body })
    return answer.status
  })
  return (await Promise.all(statuses)).toSorted()
}

/** Returns the paths of an item's calls since an earlier number of calls. */
function callsOf({ accessToken }: PlaidItem, since: number): string[] {
  const own = plaid.calls
    .slice(since)
    .filter(({ request }) => request?.access_token === accessToken)
  return own.map(({ path }) => path)
}

const refused = () => plaid.calls.filter(({ status }) => status === 429)

const callback = '/aggregator/token/callback'

/** Completes Plaid Link for a new item. Returns it with the body of the callback. */
async function completeLink(): Promise<{ item: PlaidItem; body: Json }> {
  const token = await person.call('GET', '/aggregator/token/new', { asSession: true })
  const { publicToken, item } = plaid.completeLink(token.body.linkToken)
  item.bank(item.accounts()[0]?.account_id ?? '').post({ date: daysAgo(1), amount: '1.25' })
  const accountIds = item.accounts().map(({ account_id }) => account_id)
  const institutionName = `Bank ${item.itemId}`
  return { item, body: { publicToken, accountIds, institutionName } }
}

/** Checks that an item has one link, with its two bank accounts and their transactions. */
async function expectOneLink(item: PlaidItem, linkId: string, name: string): Promise<void> {
  const links: Json[] = await person.get('/links')
  const own = links.filter(({ institutionName }) => institutionName === name)
  expect(own.map((one) => one.linkId)).toEqual([linkId])
  expect(await person.get(`/bank_accounts?link_id=${linkId}`)).toHaveLength(2)
  const text = `
    SELECT status, item_id FROM aggregator_sync.aggregator_links
    WHERE institution_name = $1 AND deleted_at IS NULL`
  const { rows } = await reader.query(text, [name])
  expect(rows).toEqual([{ status: 'pending', item_id: item.itemId }])
  expect(item.isRemoved).toBe(false)
  await announceAndSync({ plaid, reader }, { linkId, item })
  const accountIds = item.accounts().map(({ account_id }) => account_id)
  await expectLedger(reader, { accountId: person.accountId, linkId, item, accountIds })
  expect(item.overlaps).toEqual([])
}

test('requests, webhooks and events to both replicas: one call at a time, all once', async () => {
  const { linkId, item, accountIds } = await linkAndSync({
    plaid,
    reader,
    person,
    finishLinks: async () => undefined,
  })
  const bank = item.bank(accountIds[0])
  for (const amount of ['1.10', '2.20', '3.30']) bank.post({ date: daysAgo(2), amount })
  const update = `/aggregator/link/update/${linkId}?update_account_selection=true`
  const token = await person.call('PUT', update, { asSession: true })
  const added = item.addAccount({ name: 'Plaid CD', mask: '2222', subtype: 'cd' })
  item.bank(added).post({ date: daysAgo(1), amount: '4.40' })
  const { publicToken } = plaid.completeLink(token.body.linkToken)
  const { promise, resolve: answer } = Promise.withResolvers<void>()
  item.fault(/accounts\/get/, plaidFaults.hold(promise), 1)
  const from = plaid.calls.length
  const body = { linkId }
  const asked = await callBoth('POST', '/aggregator/link/sync', { body })
  expect(statusesOf(asked)).toEqual([202, 425])
  await eventually(async () => callsOf(item, from).length, Boolean)
  const webhooks = (
    ['SYNC_UPDATES_AVAILABLE', 'DEFAULT_UPDATE', 'LOGIN_REPAIRED'] as const
  ).flatMap((code) => [plaid.webhooks.create(item, code), plaid.webhooks.create(item, code)])
  for (const webhook of shuffled([...webhooks, ...webhooks], seed)) {
    expect((await announceToBoth(webhook)).at(-1)).toBe(401)
  }
  const { prefix } = deployment
  const ends = ['aggregator-sync-requested', 'aggregator-link-setting-up']
  expect(await redeliver(prefix, ...ends)).toBeGreaterThan(2)
  expect(callsOf(item, from)).toEqual(['/accounts/get'])

  const all = [...accountIds, added]
  const updating = callBoth('POST', '/aggregator/link/update/callback', {
    body: { linkId, publicToken, accountIds: all },
  })
  answer()
  const updated = await updating
  expect(updated.filter(({ status }) => status === 200)).toHaveLength(1)
  expect(await person.get(`/bank_accounts?link_id=${linkId}`)).toHaveLength(3)
  const { status, fault_code } = await announceAndSync({ plaid, reader }, { linkId, item })
  expect([status, fault_code]).toEqual(['setup', null])
  await expectLedger(reader, { accountId: person.accountId, linkId, item, accountIds: all })
  expect(item.overlaps).toEqual([])
  expect(refused()).toEqual([])
})

test('the callback of one public token to both replicas at once creates one link', async () => {
  const { item, body } = await completeLink()
  const answers = await callBoth('POST', callback, { body })
  const created = answers.filter(({ status }) => status === 200)
  expect(created).toHaveLength(1)
  await expectOneLink(item, created[0]?.body.linkId, body.institutionName)
})

test('the same, with an Idempotency-Key: a repetition gets the same link', async () => {
  const { item, body } = await completeLink()
  const headers = { 'idempotency-key': randomUUID() }
  const answers = await callBoth('POST', callback, { body, headers })
  const again = await callBoth('POST', callback, { body, headers })
  expect(statusesOf(again)).toEqual([200, 200])
  const created = [...answers, ...again].filter(({ status }) => status === 200)
  const linkIds = new Set(created.map((one) => one.body.linkId))
  expect(linkIds.size).toBe(1)
  await expectOneLink(item, [...linkIds][0], body.institutionName)
})

test('two public tokens of one item at once give one link', async () => {
  const { item, body } = await completeLink()
  const tokens = [body.publicToken, plaid.createPublicToken(item)]
  const answers = await Promise.all(
    replicas.map((baseUrl, index) => {
      const options = {
        body: { ...body, publicToken: tokens[index] },
        headers: { cookie: person.cookie },
      }
      return call(baseUrl, 'POST', callback, options)
    }),
  )
  expect(statusesOf(answers)).toEqual([200, 200])
  const linkIds = new Set(answers.map((one) => one.body.linkId))
  expect(linkIds.size).toBe(1)
  await expectOneLink(item, [...linkIds][0], body.institutionName)
})

test('webhooks with unknown keys to both replicas share the limit of calls for keys', async () => {
  const { item } = await completeLink()
  const minute = () => Math.floor(Date.now() / 60_000)
  const [from, begun] = [plaid.calls.length, minute()]
  const { body } = plaid.webhooks.create(item, 'DEFAULT_UPDATE')
  const forged = Array.from({ length: 25 }, () =>
    plaid.webhooks.sign(item, body, { header: { kid: randomUUID() } }),
  )
  const statuses = (await Promise.all(forged.map(announceToBoth))).flat()
  expect(new Set(statuses)).toEqual(new Set([401, 424]))
  const path = '/webhook_verification_key/get'
  const sent = plaid.calls.slice(from).filter((one) => one.path === path)
  expect(sent.length).toBeLessThanOrEqual(20 * (minute() - begun + 1))
})

test('after 429 no replica calls the item until the pause ends', async () => {
  const place = { plaid, reader, person, finishLinks: async () => undefined }
  const { linkId, item, accountIds } = await linkAndSync(place)
  item.bank(accountIds[0]).post({ date: daysAgo(1), amount: '6.60' })
  item.fault(/transactions\/sync$/, plaidFaults.code('TRANSACTIONS_SYNC_LIMIT'), 1)
  const from = plaid.calls.length
  expect(await plaid.webhooks.send(plaid.webhooks.create(item, 'SYNC_UPDATES_AVAILABLE'))).toBe(200)
  const text = 'SELECT * FROM aggregator_sync.item_calls WHERE link_id = $1'
  const limited = { text, values: [linkId] }
  await untilRow(reader, limited, (row) => row?.limited_until)
  const calls = callsOf(item, from)
  const update = await person.call('PUT', `/aggregator/link/update/${linkId}`, { asSession: true })
  const { publicToken } = plaid.completeLink(update.body.linkToken)
  const added = item.addAccount({ name: 'Plaid CD', mask: '2222', subtype: 'cd' })
  const body = { linkId, publicToken, accountIds: [...accountIds, added] }
  const answers = await callBoth('POST', '/aggregator/link/update/callback', { body })
  expect(statusesOf(answers)).toEqual([500, 500])
  expect(
    await person.call('POST', '/aggregator/link/sync', { body: { linkId }, asSession: true }),
  ).toMatchObject({ status: 202 })
  const { rows } = await reader.query(limited)
  const isPaused = rows[0].limited_until > new Date()
  expect([isPaused, callsOf(item, from)]).toEqual([true, [...calls, '/link/token/create']])
})
