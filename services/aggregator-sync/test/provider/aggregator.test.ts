import { inspect } from 'node:util'
import { createDatabase } from '@coffer/host/database/pool'
import { createLog } from '@coffer/host/logger'
import { cloneDatabase } from '@coffer/host/testing/database'
import type { Database } from '@coffer/kit/database/database'
import { newId } from '@coffer/kit/values/id'
import { afterAll, beforeAll, beforeEach, expect, test } from '@jest/globals'
import { sql } from 'slonik'
import type { Aggregator, OpenItem } from '../../src/provider/aggregator.ts'
import { faultOf } from '../../src/provider/plaid-fault.ts'
import { startAggregator } from '../../src/provider/provider.service.ts'
import { aggregatorSync } from '../../src/service.ts'
import { answer, fail, type PlaidServer, startPlaidServer } from './plaid-server.ts'

const secret = 'plaid-secret-1'
const accessToken = 'access-sandbox-1'
const webhookUrl = 'https://coffer.example/hook'
const redirectUri = 'https://coffer.example/back'
const by = { signal: new AbortController().signal, timeoutMs: 30_000 }
const stack = new AsyncDisposableStack()
const lines: string[] = []
const to = { write: (line: string) => void lines.push(line) }
const log = createLog({ level: 'trace', name: 'test', to })
let database: Database
let plaid: PlaidServer
let aggregator: Aggregator
let item: OpenItem

beforeAll(async () => {
  const { url } = stack.use(await cloneDatabase([aggregatorSync]))
  const { schema } = aggregatorSync
  database = stack.use(
    await createDatabase({ url, schema, poolSizeMax: 5, statementTimeoutMs: 10_000 }),
  )
  plaid = stack.use(await startPlaidServer())
  const deps = { database, log }
  const started = stack.use(
    startAggregator(deps, {
      url: plaid.url,
      clientId: 'client-id-1',
      clientSecret: secret,
      countryCodes: ['US', 'CA'],
      redirectUri,
      itemCallsPerMinute: 50,
    }),
  )
  aggregator = await started.open()
})

afterAll(async () => {
  await stack.disposeAsync()
})

beforeEach(async () => {
  plaid.received.splice(0)
  item = { accountId: newId('acct'), linkId: newId('link'), accessToken }
  await database.pool.query(sql.unsafe`
    INSERT INTO aggregator_links (account_id, link_id, status, institution_name, products,
      created_at, created_by, updated_at)
    VALUES (${item.accountId}, ${item.linkId}, 'creating', 'Bank', '{}', now(), 'user_1', now())`)
  await database.pool.query(sql.unsafe`DELETE FROM endpoint_calls`)
})

function serve(status: number, body: unknown): void {
  plaid.serve = (response) => answer(response, status, body)
}

const row = {
  transaction_id: 't1',
  account_id: 'a1',
  amount: 1.5,
  iso_currency_code: 'USD',
  date: '2026-03-04',
  name: 'Shop',
}
const page = { added: [], modified: [], removed: [], next_cursor: 'c2', has_more: false }

const rowOptions = {
  include_original_description: true,
  include_personal_finance_category: true,
  include_logo_and_counterparty_beta: true,
}
const token = { access_token: accessToken }
const linkToken = { link_token: 'link-1', expiration: '2026-03-04T16:00:00Z' }

test.each<[string, (one: Aggregator) => Promise<unknown>, unknown, unknown]>([
  [
    '/link/token/create',
    (one) =>
      one.createLinkToken(
        {
          kind: 'new',
          userId: 'user_1',
          legalName: 'Ada Byron',
          email: 'ada@example.com',
          emailVerifiedAt: new Date('2026-01-01T00:00:00Z'),
          webhookUrl,
        },
        by,
      ),
    {
      client_name: 'Coffer',
      language: 'en',
      country_codes: ['US', 'CA'],
      user: {
        client_user_id: 'user_1',
        legal_name: 'Ada Byron',
        email_address: 'ada@example.com',
        email_address_verified_time: '2026-01-01T00:00:00.000Z',
      },
      products: ['transactions'],
      transactions: { days_requested: 730 },
      webhook: webhookUrl,
      redirect_uri: redirectUri,
    },
    linkToken,
  ],
  [
    '/link/token/create',
    (one) =>
      one.createLinkToken(
        {
          kind: 'update',
          item: { ...item, accountId: 'acct_1' },
          selectsAccounts: true,
          webhookUrl: null,
        },
        by,
      ),
    {
      client_name: 'Coffer',
      language: 'en',
      country_codes: ['US', 'CA'],
      user: { client_user_id: 'acct_1' },
      access_token: accessToken,
      update: { account_selection_enabled: true },
      redirect_uri: redirectUri,
    },
    linkToken,
  ],
  [
    '/item/public_token/exchange',
    (one) => one.exchange('public-1', by),
    { public_token: 'public-1' },
    { access_token: accessToken, item_id: 'i1' },
  ],
  ['/accounts/get', (one) => one.readItem(item, {}, by), token, { accounts: [], item: {} }],
  [
    '/accounts/get',
    (one) => one.readItem(item, { accountIds: ['a1'] }, by),
    { ...token, options: { account_ids: ['a1'] } },
    { accounts: [], item: {} },
  ],
  [
    '/transactions/sync',
    (one) => one.readChanges(item, null, by),
    { ...token, count: 500, options: rowOptions },
    page,
  ],
  [
    '/transactions/sync',
    (one) => one.readChanges(item, 'c1', by),
    { ...token, cursor: 'c1', count: 500, options: rowOptions },
    page,
  ],
  [
    '/transactions/get',
    (one) => one.readWindow(item, { from: '2026-03-01', to: '2026-03-14', offset: 500 }, by),
    {
      ...token,
      start_date: '2026-03-01',
      end_date: '2026-03-14',
      options: {
        include_original_description: true,
        include_personal_finance_category: true,
        count: 500,
        offset: 500,
      },
    },
    { transactions: [row], total_transactions: 501 },
  ],
  [
    '/item/webhook/update',
    (one) => one.setWebhook(item, webhookUrl, by),
    { ...token, webhook: webhookUrl },
    { item: {} },
  ],
  ['/item/remove', (one) => one.removeItem(item, by), token, { request_id: 'r1' }],
  ['/transactions/refresh', (one) => one.refresh(item, by), token, { request_id: 'r1' }],
  [
    '/institutions/get_by_id',
    (one) => one.readInstitution('ins_1', by),
    {
      institution_id: 'ins_1',
      country_codes: ['US', 'CA'],
      options: {
        include_optional_metadata: true,
        include_status: true,
        include_auth_metadata: false,
        include_payment_initiation_metadata: false,
      },
    },
    { institution: { institution_id: 'ins_1', name: 'Bank' } },
  ],
  [
    '/webhook_verification_key/get',
    (one) => one.readWebhookKey('k1', by).catch(() => null),
    { key_id: 'k1' },
    {},
  ],
])('%s gets its body', async (path, call, body, sent) => {
  serve(200, sent)
  await call(aggregator)
  expect(plaid.received.map((one) => [one.path, one.body])).toEqual([[path, body]])
})

test('a page of 500 transactions is read by the worker thread', async () => {
  const added = Array.from({ length: 500 }, (_, n) => {
    return { ...row, transaction_id: `t${n}`, name: 'x'.repeat(200) }
  })
  serve(200, { ...page, added })
  const read = await aggregator.readChanges(item, null, by)
  expect([read.added.length, read.unreadable]).toEqual([500, 0])
  expect(read.added.at(-1)).toMatchObject({ id: 't499', amount: '1.5', currency: 'USD' })
})

const faultIn = (call: Promise<unknown>) => call.then(() => null, faultOf)

test('a page that leads to itself cannot be read', async () => {
  serve(200, { ...page, next_cursor: 'c1', has_more: true })
  const fault = await faultIn(aggregator.readChanges(item, 'c1', by))
  expect(fault).toMatchObject({ code: 'unreadable', detail: '/transactions/sync' })
  serve(200, { ...page, next_cursor: 'c1' })
  expect(await aggregator.readChanges(item, 'c1', by)).toMatchObject({ nextCursor: 'c1' })
})

test('an item that is gone is removed; other faults of a removal are thrown', async () => {
  for (const code of ['ITEM_NOT_FOUND', 'INVALID_ACCESS_TOKEN']) {
    plaid.serve = (response) => fail(response, 400, { code })
    await aggregator.removeItem(item, by)
  }
  plaid.serve = (response) => fail(response, 500, { code: 'INTERNAL_SERVER_ERROR' })
  expect((await faultIn(aggregator.removeItem(item, by)))?.code).toBe('upstream')
})

test('an unknown institution, and an unknown key, are null', async () => {
  plaid.serve = (response) => fail(response, 400, { code: 'INVALID_INSTITUTION' })
  expect(await aggregator.readInstitution('ins_9', by)).toBeNull()
  expect((await faultIn(aggregator.readWebhookKey('k1', by)))?.code).toBe('refused')
  plaid.serve = (response) => fail(response, 400, { code: 'INVALID_WEBHOOK_VERIFICATION_KEY_ID' })
  expect(await aggregator.readWebhookKey('k1', by)).toBeNull()
})

const said = `${secret} ${accessToken} public-token-1`

test.each<[string, PlaidServer['serve']]>([
  ['refused', (response) => fail(response, 400, { code: 'SOMETHING', message: said })],
  ['keys-refused', (response) => fail(response, 400, { code: 'INVALID_API_KEYS', message: said })],
  ['item-gone', (response) => fail(response, 400, { code: 'INVALID_ACCESS_TOKEN', message: said })],
  ['refused', (response) => answer(response, 400, `{"error_code":"${said}"}`)],
  ['upstream', (response) => answer(response, 500, said)],
  ['upstream', (response) => answer(response, 302, said, { location: `/?${accessToken}` })],
  ['rate-limited', (response) => answer(response, 429, said)],
  ['unreadable', (response) => answer(response, 200, said)],
  ['too-large', (response) => answer(response, 200, said.padEnd(10 * 1024 * 1024 + 1))],
  ['no-answer', (response) => response.destroy()],
])('the error of the fault %s has neither the secret nor a token: %#', async (code, send) => {
  plaid.serve = send
  for (const call of [
    () => aggregator.readItem(item, {}, by),
    () => aggregator.exchange('public-token-1', by),
  ]) {
    const error = await call().catch((thrown: Error) => thrown)
    log.error({ err: error }, 'failed')
    expect(faultOf(error)?.code).toBe(code)
    expect(`${inspect(error, { depth: 10 })} ${lines}`).not.toMatch(
      /plaid-secret-1|access-sandbox-1|public-token-1/,
    )
  }
})

test('keys that Plaid refuses are an error in the log', async () => {
  lines.splice(0)
  plaid.serve = (response) => fail(response, 400, { code: 'INVALID_API_KEYS' })
  await faultIn(aggregator.readItem(item, {}, by))
  expect(lines.map((line) => JSON.parse(line))).toEqual([
    expect.objectContaining({ level: 50, msg: expect.stringContaining('refused the keys') }),
  ])
})

test('a server that is silent is no answer after the timeout', async () => {
  plaid.serve = () => {}
  const call = aggregator.readItem(item, {}, { ...by, timeoutMs: 200 })
  expect((await faultIn(call))?.code).toBe('no-answer')
})
