import { eventually } from '@coffer/host/testing/boot'
import { describe, expect, test } from '@jest/globals'
import { decodeProtectedHeader, importJWK, jwtVerify } from 'jose'
import {
  Configuration,
  CountryCode,
  PlaidApi,
  Products,
  type TransactionsSyncResponse,
} from 'plaid'
import { listen } from '../http-server.ts'
import { plaidFaults } from './faults.ts'
import { type Plaid, startPlaid } from './plaid.ts'

/** Returns the official client of the simulated server. */
function clientOf({ url, clientId, secret }: Plaid): PlaidApi {
  const headers = { 'PLAID-CLIENT-ID': clientId, 'PLAID-SECRET': secret }
  const baseOptions = { headers, proxy: false, timeout: 10_000 }
  return new PlaidApi(new Configuration({ basePath: url, baseOptions }))
}

/** Reads changes to the end. Returns the pages. */
async function readAll(client: PlaidApi, accessToken: string, from = '', count = 2) {
  const pages: TransactionsSyncResponse[] = []
  for (let cursor = from; pages.at(-1)?.has_more !== false; ) {
    const request = { access_token: accessToken, cursor, count }
    const { data } = await client.transactionsSync(request)
    cursor = data.next_cursor
    pages.push(data)
  }
  return pages
}

/** Returns the status and code with which a call is refused. */
async function refusal(call: Promise<unknown>): Promise<unknown[]> {
  const error = await call.then(
    () => ({ response: { status: 200, data: {} } }),
    (thrown) => thrown,
  )
  const { status, data, headers } = error.response
  return [status, data.error_type, data.error_code, headers?.['retry-after']]
}

test('a person links a bank, reads it, is told of changes, and removes it', async () => {
  await using plaid = await startPlaid()
  const client = clientOf(plaid)
  const webhook = 'https://coffer.example/api/aggregator/webhook'
  const { data: token } = await client.linkTokenCreate({
    client_name: 'Coffer',
    language: 'en',
    country_codes: [CountryCode.Us],
    user: { client_user_id: 'user_1' },
    products: [Products.Transactions],
    transactions: { days_requested: 730 },
    webhook,
  })
  expect(token.link_token).toMatch(/^link-sandbox-/)
  const { publicToken, item } = plaid.completeLink(token.link_token)
  const exchange = { public_token: publicToken }
  const { data: linked } = await client.itemPublicTokenExchange(exchange)
  expect(linked).toMatchObject({ item_id: item.itemId, access_token: item.accessToken })
  expect((await refusal(client.itemPublicTokenExchange(exchange)))[2]).toBe('INVALID_PUBLIC_TOKEN')

  const access_token = linked.access_token
  const { data: listed } = await client.accountsGet({ access_token })
  expect(listed.item).toMatchObject({ webhook, error: null, institution_id: 'ins_109508' })
  expect(listed.accounts.map(({ name }) => name)).toEqual(['Plaid Checking', 'Plaid Saving'])

  const bank = item.bank(listed.accounts[0]?.account_id ?? '')
  for (const day of [1, 2, 3]) bank.post({ id: `${day}`, date: `2026-03-0${day}`, amount: '12.30' })
  const first = await client.transactionsSync({ access_token, count: 2 })
  bank.post({ id: '4', date: '2026-03-04', amount: '-1' })
  const next = { access_token, cursor: first.data.next_cursor, count: 2 }
  const mutated = [400, 'TRANSACTIONS_ERROR', 'TRANSACTIONS_SYNC_MUTATION_DURING_PAGINATION']
  expect(await refusal(client.transactionsSync(next))).toEqual([...mutated, undefined])
  const pages = await readAll(client, access_token)
  expect(pages.map(({ added }) => added.map((one) => one.transaction_id))).toEqual([
    ['1', '2'],
    ['3', '4'],
  ])
  expect(pages[1]?.added[1]).toMatchObject({ amount: -1, iso_currency_code: 'USD' })

  await client.itemRemove({ access_token })
  expect((await refusal(client.accountsGet({ access_token })))[2]).toBe('ITEM_NOT_FOUND')
  expect(plaid.item(item.itemId).isRemoved).toBe(true)
})

test('an item is created by one call, and updated with a link token of its own', async () => {
  await using plaid = await startPlaid()
  const client = clientOf(plaid)
  const institution_id = 'ins_109508'
  const { data } = await client.sandboxPublicTokenCreate({
    institution_id,
    initial_products: [Products.Transactions],
  })
  const { data: linked } = await client.itemPublicTokenExchange({
    public_token: data.public_token,
  })
  const item = plaid.item(linked.item_id)
  item.error = { code: 'ITEM_LOGIN_REQUIRED', isRefused: true }
  const { access_token } = linked
  expect(await refusal(client.accountsGet({ access_token }))).toEqual([
    400,
    'ITEM_ERROR',
    'ITEM_LOGIN_REQUIRED',
    undefined,
  ])
  const { data: token } = await client.linkTokenCreate({
    client_name: 'Coffer',
    language: 'en',
    country_codes: [CountryCode.Us],
    user: { client_user_id: 'acct_1' },
    access_token,
    update: { account_selection_enabled: true },
  })
  const { publicToken } = plaid.completeLink(token.link_token, { renews: true })
  const { data: renewed } = await client.itemPublicTokenExchange({ public_token: publicToken })
  expect(renewed.item_id).toBe(linked.item_id)
  expect(renewed.access_token).not.toBe(access_token)
  expect((await client.accountsGet({ access_token: renewed.access_token })).status).toBe(200)
  const refused = await refusal(client.accountsGet({ access_token }))
  expect(refused[2]).toBe('INVALID_ACCESS_TOKEN')
  const read = await client.institutionsGetById({
    institution_id,
    country_codes: [CountryCode.Us],
    options: { include_status: true },
  })
  expect(read.data.institution.status?.item_logins?.status).toBe('HEALTHY')
  expect(read.data.institution.logo).toBeUndefined()
})

test('a public token ends after 30 minutes', async () => {
  let now = new Date('2026-03-01T00:00:00Z')
  await using plaid = await startPlaid({ now: () => now })
  const client = clientOf(plaid)
  const item = plaid.createItem()
  const [one, other] = [plaid.createPublicToken(item), plaid.createPublicToken(item)]
  now = new Date('2026-03-01T00:29:59Z')
  const { data } = await client.itemPublicTokenExchange({ public_token: one })
  expect(data.item_id).toBe(item.itemId)
  now = new Date('2026-03-01T00:30:00Z')
  const late = client.itemPublicTokenExchange({ public_token: other })
  expect((await refusal(late))[2]).toBe('INVALID_PUBLIC_TOKEN')
})

test('webhooks verify with the key of their ID, also after a rotation', async () => {
  await using plaid = await startPlaid()
  const client = clientOf(plaid)
  const received: { body: string; verification: string }[] = []
  await using receiver = await listen(async (request, response) => {
    const chunks = await request.toArray()
    const verification = String(request.headers['plaid-verification'])
    received.push({ body: Buffer.concat(chunks).toString(), verification })
    response.end()
  })
  plaid.webhooks.origin = receiver.origin
  const item = plaid.createItem({ webhook: 'https://coffer.example/api/aggregator/webhook' })
  const { create, keys } = plaid.webhooks
  const before = create(item, 'SYNC_UPDATES_AVAILABLE')
  keys.rotate()
  const after = create(item, 'ERROR', { error: 'ITEM_LOCKED' })
  expect(await plaid.webhooks.send(before)).toBe(200)
  expect(await plaid.webhooks.sendReordered([before, after], 1)).toEqual([200, 200])
  expect(received).toHaveLength(3)
  for (const { body, verification } of received) {
    const { kid = '', alg } = decodeProtectedHeader(verification)
    const { data } = await client.webhookVerificationKeyGet({ key_id: kid })
    const key = await importJWK({ ...data.key }, alg)
    const { payload } = await jwtVerify(verification, key, { algorithms: ['ES256'] })
    const digest = await crypto.subtle.digest('SHA-256', Buffer.from(body))
    expect(payload.request_body_sha256).toBe(Buffer.from(digest).toString('hex'))
    expect(JSON.parse(body).item_id).toBe(item.itemId)
  }
  keys.expire(keys.current(), new Date('2026-03-01T00:00:00Z'))
  expect(keys.find(keys.current())?.expired_at).toBe(1_772_323_200)
  keys.forget(keys.current())
  const forgotten = client.webhookVerificationKeyGet({ key_id: keys.current() })
  expect((await refusal(forgotten))[2]).toBe('INVALID_WEBHOOK_VERIFICATION_KEY_ID')
})

describe('a request is refused', () => {
  test('with wrong keys, an unknown path, or a body that is none', async () => {
    await using plaid = await startPlaid()
    const stranger = clientOf({ ...plaid, secret: 'other' })
    const access_token = plaid.createItem().accessToken
    expect((await refusal(stranger.accountsGet({ access_token })))[2]).toBe('INVALID_API_KEYS')
    const client = clientOf(plaid)
    expect((await refusal(client.itemGet({ access_token })))[0]).toBe(404)
    const untyped = client as unknown as Record<string, (body: object) => Promise<unknown>>
    const code = async (call: string, body: object) =>
      (await refusal(untyped[call]?.(body) ?? Promise.resolve()))[2]
    expect(await code('accountsGet', {})).toBe('MISSING_FIELDS')
    expect(await code('accountsGet', { access_token, more: 1 })).toBe('UNKNOWN_FIELDS')
    expect(await code('transactionsSync', { access_token, count: 501 })).toBe('INVALID_FIELD')
    expect(await code('transactionsSync', { access_token, cursor: 'x' })).toBe('INVALID_FIELD')
    expect(await code('accountsGet', { access_token: 'x' })).toBe('INVALID_ACCESS_TOKEN')
    expect(await code('accountsGet', { access_token: 'access-sandbox-x' })).toBe(
      'INVALID_ACCESS_TOKEN',
    )
    expect(plaid.calls[0]).toMatchObject({ path: '/accounts/get', version: '2020-09-14' })
  })

  test('by a fault of an item or of all, without Retry-After', async () => {
    await using plaid = await startPlaid()
    const client = clientOf(plaid)
    const [one, other] = [plaid.createItem(), plaid.createItem()]
    one.fault(/sync$/, plaidFaults.code('TRANSACTIONS_SYNC_LIMIT'), 1)
    const sync = (access_token: string) => refusal(client.transactionsSync({ access_token }))
    expect((await sync(other.accessToken))[0]).toBe(200)
    const limited = [429, 'RATE_LIMIT_EXCEEDED', 'TRANSACTIONS_SYNC_LIMIT', undefined]
    expect(await sync(one.accessToken)).toEqual(limited)
    expect((await sync(one.accessToken))[0]).toBe(200)
    plaid.fault(/./, plaidFaults.code('INTERNAL_SERVER_ERROR'))
    expect((await sync(one.accessToken))[0]).toBe(500)
    expect(plaid.calls.map(({ status }) => status)).toEqual([200, 0, 200, 0])
  })
})

test('requests of an item that overlap are noted', async () => {
  await using plaid = await startPlaid()
  const client = clientOf(plaid)
  const [{ accessToken: access_token, overlaps }, other] = [plaid.createItem(), plaid.createItem()]
  const held = Promise.withResolvers<void>()
  plaid.fault(/accounts/, plaidFaults.hold(held.promise), 1)
  const answer = client.accountsGet({ access_token })
  await eventually(async () => plaid.calls.length, Boolean)
  await client.accountsGet({ access_token: other.accessToken })
  expect(overlaps).toEqual([])
  await client.transactionsSync({ access_token })
  expect(overlaps).toEqual(['/transactions/sync'])
  held.resolve()
  expect((await answer).status).toBe(200)
})
