import { timestampFromDate } from '@bufbuild/protobuf/wkt'
import type { ItemSync } from '@coffer/aggregator-sync/syncs/item-sync'
import { eventually } from '@coffer/host/testing/boot'
import { started } from '@coffer/host/testing/started'
import { changeOf, emit } from '@coffer/kit/events/changes'
import { AccountSettingsChangedSchema } from '@coffer/proto/identity/v1/events'
import { beforeAll, expect, test } from '@jest/globals'
import fc from 'fast-check'
import { sql } from 'slonik'
import { plaidFaults } from '../providers/plaid/faults.ts'
import type { PlaidItem } from '../providers/plaid/item.ts'
import type { WebhookCode, WebhookDetails } from '../providers/plaid/webhooks.ts'
import { daysAgo } from './feed-world.ts'
import { linkItem, type PlaidHome, startPlaidWorld } from './plaid-world.ts'

const url = 'https://coffer.example/api/aggregator/webhook'
const consentEnd = new Date('2027-01-02T03:04:05Z')

const world = started(() =>
  startPlaidWorld({
    COFFER_AGGREGATOR_WEBHOOKS_ENABLED: 'true',
    COFFER_AGGREGATOR_WEBHOOKS_DOMAIN: 'coffer.example',
  }),
)

beforeAll(async () => {
  world.plaid.webhooks.origin = new URL(world.coffer.baseUrl).origin
})

/** Links an item whose first sync has ended. */
async function synced(): Promise<PlaidHome> {
  const home = await linkItem(world)
  await home.sync()
  // The first sync registers the URL.
  expect(home.item.webhook).toBe(url)
  return home
}

function send(item: PlaidItem, code: WebhookCode, details?: WebhookDetails): Promise<number> {
  const { webhooks } = world.plaid
  return webhooks.send(webhooks.create(item, code, details))
}

/** Sends a webhook with any body, signed some seconds ago. */
function sendBody(item: PlaidItem, body: object, secondsAgo = 0): Promise<number> {
  const { webhooks } = world.plaid
  const at = new Date(Date.now() - secondsAgo * 1_000)
  return webhooks.send(webhooks.sign(item, JSON.stringify(body), { at }))
}

const isIdle = ({ requestedAt, syncRunId }: ItemSync) => !requestedAt && !syncRunId
const database = () => world.coffer.booted.database('aggregator-sync')

async function noticesOf({ person }: PlaidHome): Promise<number> {
  const types = await world.coffer.booted.changes('aggregator-sync', person.accountId)
  return types.filter((type) => type.endsWith('.AggregatorLinkNeedsUser')).length
}

test('a webhook of changes starts a sync, which imports only them', async () => {
  const { item, bank, calls, list, state, until } = await synced()
  const { syncCount } = await state()
  const before = calls().length
  bank.post({ date: daysAgo(1), amount: '12.34', name: 'Bakery' })
  expect(await send(item, 'SYNC_UPDATES_AVAILABLE')).toBe(200)
  const [bakery] = await eventually(list, (all) => all.length === 1)
  expect(bakery).toMatchObject({ name: 'Bakery', amount: 1_234 })
  await until((sync) => sync.syncCount > syncCount)
  expect(calls().slice(before)).toEqual(['/accounts/get', '/transactions/sync'])
})

const fine = { status: 'setup', errorCode: null, newAccountsAvailable: false } as const

test.each<[WebhookCode, boolean, Partial<ItemSync>]>([
  ['SYNC_UPDATES_AVAILABLE', true, fine],
  ['INITIAL_UPDATE', true, fine],
  ['HISTORICAL_UPDATE', true, fine],
  ['DEFAULT_UPDATE', false, fine],
  ['TRANSACTIONS_REMOVED', false, fine],
  ['RECURRING_TRANSACTIONS_UPDATE', false, fine],
  ['ERROR', false, { ...fine, status: 'error', errorCode: 'ITEM_LOGIN_REQUIRED' }],
  ['LOGIN_REPAIRED', true, fine],
  ['PENDING_EXPIRATION', false, { status: 'pending_expiration', expirationDate: consentEnd }],
  ['PENDING_DISCONNECT', false, { status: 'pending_expiration', expirationDate: consentEnd }],
  [
    'USER_PERMISSION_REVOKED',
    false,
    { ...fine, status: 'revoked', errorCode: 'USER_PERMISSION_REVOKED' },
  ],
  ['WEBHOOK_UPDATE_ACKNOWLEDGED', true, fine],
  ['NEW_ACCOUNTS_AVAILABLE', false, { ...fine, newAccountsAvailable: true }],
])('the webhook %s requests a sync: %j; then the link is %j', async (code, syncs, expected) => {
  const { item, state, until } = await synced()
  const { syncCount } = await state()
  expect(await send(item, code, { at: consentEnd })).toBe(200)
  expect(await state()).toMatchObject(syncs ? { linkId: expect.anything() } : expected)
  const after = await until(isIdle)
  expect(after.syncCount - syncCount).toBe(syncs ? 1n : 0n)
  expect(after).toMatchObject(expected)
})

test('a revoked account is found out by a sync, a revoked item at once', async () => {
  const { item, ids, state, until } = await synced()
  const { syncCount } = await state()
  expect(await send(item, 'USER_ACCOUNT_REVOKED', { accountId: ids[0] ?? '' })).toBe(200)
  const { status } = await until((sync) => isIdle(sync) && sync.syncCount > syncCount)
  expect(status).toBe('setup')
  const about = { webhook_type: 'ITEM', item_id: item.itemId }
  expect(await sendBody(item, { ...about, webhook_code: 'USER_ACCOUNT_REVOKED' })).toBe(200)
  expect(await state()).toMatchObject({ status: 'revoked', errorCode: null })
})

test('an error without a code is an error', async () => {
  const { item, state } = await synced()
  const about = { webhook_type: 'ITEM', webhook_code: 'ERROR', item_id: item.itemId }
  expect(await sendBody(item, { ...about, error: null })).toBe(200)
  expect(await state()).toMatchObject({ status: 'error', errorCode: null })
})

test('a body is parsed only after its signature is verified', async () => {
  const { item, state } = await synced()
  const before = await state()
  const { webhooks } = world.plaid
  for (const body of ['[', '['.repeat(50_000), '{"item_id":1} x', '']) {
    const signed = webhooks.sign(item, body)
    const forged = { ...signed, verification: webhooks.keys.sign(`${body} `) }
    expect([await webhooks.send(forged), await webhooks.send(signed)]).toEqual([401, 400])
  }
  expect(await state()).toEqual(before)
})

test('unknown items, types and codes are accepted and change nothing', async () => {
  const { item, state } = await synced()
  const before = await state()
  const about = { webhook_type: 'ITEM', webhook_code: 'ERROR', item_id: item.itemId }
  for (const change of [
    { item_id: 'unknown' },
    { item_id: undefined },
    { webhook_code: 'NEW_CODE' },
    { webhook_type: 'HOLDINGS', webhook_code: 'DEFAULT_UPDATE' },
  ]) {
    expect(await sendBody(item, { ...about, ...change })).toBe(200)
  }
  expect(await state()).toEqual(before)
})

test('webhooks of statuses in any order leave the newest one', async () => {
  const { item, linkId, state } = await synced()
  // Not LOGIN_REPAIRED: its sync reads the status, which is a newer statement.
  const codes = ['ERROR', 'USER_PERMISSION_REVOKED', 'PENDING_EXPIRATION']
  const statuses = ['error', 'revoked', 'pending_expiration']
  const orders = fc.shuffledSubarray([0, 1, 2], { minLength: 3 })
  for (const order of fc.sample(fc.tuple(orders, orders), 8)) {
    const [ages, arrival] = order
    await database().pool.query(sql.unsafe`
      UPDATE aggregator_links SET status_as_of = NULL WHERE link_id = ${linkId}`)
    for (const n of arrival) {
      const about = { webhook_type: 'ITEM', webhook_code: codes[n], item_id: item.itemId }
      expect(await sendBody(item, about, (ages[n] ?? 0) * 10)).toBe(200)
    }
    const newest = ages.indexOf(0)
    expect({ order, status: (await state()).status }).toEqual({ order, status: statuses[newest] })
  }
})

test('a webhook of a link that is being created is 424, and is accepted afterwards', async () => {
  const { item, linkId, state } = await synced()
  const to = (status: string) =>
    database().pool.query(sql.unsafe`
      UPDATE aggregator_links SET status = ${status} WHERE link_id = ${linkId}`)
  await to('creating')
  const webhook = world.plaid.webhooks.create(item, 'NEW_ACCOUNTS_AVAILABLE')
  expect(await world.plaid.webhooks.send(webhook)).toBe(424)
  await to('pending')
  expect(await world.plaid.webhooks.send(webhook)).toBe(200)
  expect(await world.plaid.webhooks.send(webhook)).toBe(401)
  expect(await state()).toMatchObject({ newAccountsAvailable: true })
})

test('a key that Plaid sends too late is 424, and delays no webhook of another key', async () => {
  const { item, state } = await synced()
  const { calls, fault, webhooks } = world.plaid
  const known = webhooks.keys.current()
  expect(await send(item, 'DEFAULT_UPDATE')).toBe(200)
  const path = /webhook_verification_key/
  fault(path, plaidFaults.hang)
  const before = calls.length
  webhooks.keys.rotate()
  const ofNewKey = webhooks.create(item, 'ERROR')
  const answered: [string, number][] = []
  const late = webhooks.send(ofNewKey).then((status) => answered.push(['new key', status]))
  await eventually(async () => calls.slice(before).some((call) => path.test(call.path)), Boolean)
  const about = {
    webhook_type: 'ITEM',
    webhook_code: 'NEW_ACCOUNTS_AVAILABLE',
    item_id: item.itemId,
  }
  const ofKnownKey = webhooks.sign(item, JSON.stringify(about), { keyId: known })
  answered.push(['known key', await webhooks.send(ofKnownKey)])
  await late
  expect(answered).toEqual([
    ['known key', 200],
    ['new key', 424],
  ])
  fault(path, null)
  expect(await webhooks.send(ofNewKey)).toBe(200)
  expect(await state()).toMatchObject({ status: 'error', newAccountsAvailable: true })
})

test('a webhook that failed is accepted when it is repeated', async () => {
  const { item, linkId, state } = await synced()
  await database().pool.query(sql.unsafe`
    CREATE FUNCTION fail() RETURNS trigger LANGUAGE plpgsql AS $$BEGIN RAISE 'no'; END$$`)
  await database().pool.query(sql.unsafe`
    CREATE TRIGGER failing BEFORE UPDATE ON aggregator_links FOR EACH ROW
    WHEN (OLD.link_id = ${sql.literalValue(linkId)}) EXECUTE FUNCTION fail()`)
  const webhook = world.plaid.webhooks.create(item, 'ERROR')
  expect(await world.plaid.webhooks.send(webhook)).toBe(500)
  await database().pool.query(sql.unsafe`DROP FUNCTION fail() CASCADE`)
  expect(await world.plaid.webhooks.send(webhook)).toBe(200)
  expect(await state()).toMatchObject({ status: 'error' })
})

test('a webhook of a link that has ended changes nothing', async () => {
  const { item, linkId, state } = await synced()
  await database().pool.query(sql.unsafe`
    UPDATE aggregator_links SET status = 'deactivated', deleted_at = now(), next_sync_at = NULL
    WHERE link_id = ${linkId}`)
  const before = await state()
  for (const code of ['ERROR', 'LOGIN_REPAIRED', 'SYNC_UPDATES_AVAILABLE'] as const) {
    expect(await send(item, code)).toBe(200)
  }
  expect(await state()).toEqual(before)
})

test('a lapsed account gets the status, and no sync', async () => {
  const { person, item, state } = await synced()
  const { accountId } = person
  const settings = {
    accountId,
    timezone: 'UTC',
    locale: 'en_US',
    version: 1_000n,
    subscriptionActiveUntil: timestampFromDate(new Date(Date.now() - 1_000)),
  }
  const subject = { accountId, entityId: accountId, version: settings.version }
  const identity = world.coffer.booted.database('identity')
  await identity.transaction((tx) =>
    emit(tx, changeOf(AccountSettingsChangedSchema, subject, settings)),
  )
  const lapsed = sql.unsafe`
    SELECT FROM account_settings
    WHERE account_id = ${accountId} AND subscription_active_until IS NOT NULL`
  await eventually(() => database().pool.exists(lapsed), Boolean)
  expect(await send(item, 'ERROR')).toBe(200)
  expect(await send(item, 'LOGIN_REPAIRED')).toBe(200)
  expect(await state()).toMatchObject({ status: 'setup', requestedAt: null, syncRunId: null })
})

test('the user is told of an error once, by webhook and sync together', async () => {
  const home = await synced()
  const { item, sync } = home
  expect(await send(item, 'ERROR')).toBe(200)
  expect(await send(item, 'ERROR', { error: 'ITEM_LOCKED' })).toBe(200)
  item.error = { code: 'ITEM_LOGIN_REQUIRED', isRefused: true }
  await sync()
  expect(await noticesOf(home)).toBe(1)
  expect(await send(item, 'PENDING_EXPIRATION', { at: consentEnd })).toBe(200)
  expect(await noticesOf(home)).toBe(2)
})
