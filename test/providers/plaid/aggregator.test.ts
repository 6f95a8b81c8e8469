import type { Aggregator, OpenItem } from '@coffer/aggregator-sync/provider/aggregator'
import { faultOf } from '@coffer/aggregator-sync/provider/plaid-fault'
import { startAggregator } from '@coffer/aggregator-sync/provider/provider.service'
import { aggregatorSync } from '@coffer/aggregator-sync/service'
import { createDatabase } from '@coffer/host/database/pool'
import { cloneDatabase } from '@coffer/host/testing/database'
import { silentLog } from '@coffer/host/testing/silent-log'
import type { Database } from '@coffer/kit/database/database'
import { newId } from '@coffer/kit/values/id'
import { afterAll, beforeAll, expect, test } from '@jest/globals'
import { sql } from 'slonik'
import { errorCodes } from './errors.ts'
import { plaidFaults } from './faults.ts'
import type { PlaidItem } from './item.ts'
import { type Plaid, startPlaid } from './plaid.ts'

const by = { signal: new AbortController().signal, timeoutMs: 30_000 }
const stack = new AsyncDisposableStack()
let plaid: Plaid
let database: Database
/** The clients of two replicas. */
let replicas: [Aggregator, Aggregator]

beforeAll(async () => {
  plaid = stack.use(await startPlaid())
  const { url } = stack.use(await cloneDatabase([aggregatorSync]))
  const { schema } = aggregatorSync
  const open = async () => {
    const options = { url, schema, poolSizeMax: 5, statementTimeoutMs: 10_000 }
    database = stack.use(await createDatabase(options))
    const { clientId, secret: clientSecret } = plaid
    const rest = { countryCodes: ['US'], redirectUri: null, itemCallsPerMinute: 600 }
    const deps = { database, clock: () => new Date(), log: silentLog }
    const started = startAggregator(deps, { url: plaid.url, clientId, clientSecret, ...rest })
    return stack.use(started).open()
  }
  replicas = [await open(), await open()]
})

afterAll(async () => {
  await stack.disposeAsync()
})

async function openItem(accessToken: string): Promise<OpenItem> {
  const item = { accountId: newId('acct'), linkId: newId('link'), accessToken }
  await database.pool.query(sql.unsafe`
    INSERT INTO aggregator_links (account_id, link_id, status, institution_name, products,
      created_at, created_by, updated_at)
    VALUES (${item.accountId}, ${item.linkId}, 'creating', 'Bank', '{}', now(), 'user_1', now())`)
  return item
}

const faultIn = (call: Promise<unknown>) => call.then(() => null, faultOf)

test('a link is created, read, updated and removed', async () => {
  const [aggregator] = replicas
  const webhookUrl = 'https://coffer.example/api/aggregator/webhook'
  const user = { userId: 'user_1', legalName: '', email: 'a@example.com', emailVerifiedAt: null }
  const { linkToken, expiresAt } = await aggregator.createLinkToken(
    { kind: 'new', ...user, webhookUrl },
    by,
  )
  expect(expiresAt > new Date()).toBe(true)
  const completed = plaid.completeLink(linkToken)
  const { accessToken, itemId } = await aggregator.exchange(completed.publicToken, by)
  const item = await openItem(accessToken)
  const read = await aggregator.readItem(item, {}, by)
  expect(read).toMatchObject({ errorCode: null, webhookUrl, institutionId: 'ins_109508' })
  const [first, second] = read.accounts
  expect(second).toMatchObject({ name: 'Plaid Saving', mask: '1111', currency: 'USD' })
  const accountIds = [second?.accountId ?? '']
  expect((await aggregator.readItem(item, { accountIds }, by)).accounts).toEqual([second])
  plaid
    .item(itemId)
    .bank(first?.accountId ?? '')
    .post({ date: '2026-03-04', amount: '12.34', name: 'Coffee' })
  const page = await aggregator.readChanges(item, null, by)
  const coffee = { accountId: first?.accountId, amount: '12.34', name: 'Coffee' }
  expect(page).toMatchObject({ added: [coffee], hasMore: false, unreadable: 0 })
  expect(await aggregator.readChanges(item, page.nextCursor, by)).toMatchObject({ added: [] })
  const days = { from: '2000-01-01', to: '2100-01-01', offset: 0 }
  expect(await aggregator.readWindow(item, days, by)).toMatchObject({ total: 1 })
  await aggregator.setWebhook(item, `${webhookUrl}/2`, by)
  expect(plaid.item(itemId).webhook).toBe(`${webhookUrl}/2`)
  await aggregator.refresh(item, by)
  await aggregator.createLinkToken({ kind: 'update', item, selectsAccounts: true, webhookUrl }, by)
  await aggregator.removeItem(item, by)
  expect(plaid.item(itemId).isRemoved).toBe(true)
  await aggregator.removeItem(item, by)
  expect((await faultIn(aggregator.readItem(item, {}, by)))?.code).toBe('item-gone')
})

test('institutions and webhook keys are read; unknown ones are null', async () => {
  const [aggregator] = replicas
  expect(await aggregator.readInstitution('ins_109508', by)).toMatchObject({
    institutionId: 'ins_109508',
    status: expect.objectContaining({ item_logins: expect.anything() }),
  })
  expect(await aggregator.readInstitution('ins_9', by)).toBeNull()
  expect(await aggregator.readWebhookKey('unknown', by)).toBeNull()
})

test('two replicas never have two calls of an item in flight', async () => {
  const upstream: PlaidItem = plaid.createItem({ accounts: [{}] })
  const item = await openItem(upstream.accessToken)
  const calls = Array.from({ length: 8 }, (_, n) => {
    const aggregator = replicas[n % 2] as Aggregator
    return n % 3 === 0 ? aggregator.readItem(item, {}, by) : aggregator.readChanges(item, null, by)
  })
  await Promise.all(calls)
  expect(upstream.overlaps).toEqual([])
})

test.each(errorCodes)('the error %s is a fault with this code, never a crash', async (code) => {
  const upstream = plaid.createItem({ accounts: [{}] })
  upstream.fault(/sync/, plaidFaults.code(code))
  const item = await openItem(upstream.accessToken)
  const fault = await faultIn(replicas[0].readChanges(item, null, by))
  expect(fault?.detail).toBe(code)
  expect(/_LIMIT$/.test(code)).toBe(fault?.code === 'rate-limited')
})

test('an unknown cursor is refused', async () => {
  const upstream = plaid.createItem({ accounts: [{}] })
  const item = await openItem(upstream.accessToken)
  const { nextCursor } = await replicas[0].readChanges(item, null, by)
  upstream.refuseCursors()
  const fault = await faultIn(replicas[0].readChanges(item, nextCursor, by))
  expect(fault).toMatchObject({ code: 'cursor-refused' })
})
