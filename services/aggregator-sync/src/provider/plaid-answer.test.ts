import { expect, test } from '@jest/globals'
import type { PlaidMethod } from './call-limit.ts'
import { readAnswer } from './plaid-answer.ts'

function read<Method extends PlaidMethod>(method: Method, body: unknown) {
  const text = typeof body === 'string' ? body : JSON.stringify(body)
  const answer = readAnswer(new TextEncoder().encode(text), method)
  if (answer === 'too-large') throw new Error(answer)
  return answer
}

const noBalances = {
  available: null,
  current: null,
  limit: null,
  iso_currency_code: null,
  unofficial_currency_code: null,
}
const posted = `{"transaction_id":"t1","pending_transaction_id":"p1","account_id":"a1",
  "amount":-12.10,"iso_currency_code":"usd","unofficial_currency_code":null,"date":"2026-03-04",
  "authorized_date":"2026-03-03","name":"  COFFEE \\n SHOP","merchant_name":"Coffee",
  "original_description":"COFFEE*1","pending":false,"category":["Food",null,7," "],
  "personal_finance_category":{"primary":"FOOD","detailed":"FOOD_COFFEE"},
  "account_owner":"1234567","new_field":{"a":1}}`

const page = (rows: { added?: string; modified?: string; removed?: string }, more = '') =>
  `{"added":[${rows.added ?? ''}],"modified":[${rows.modified ?? ''}],"next_cursor":"c2",
    "removed":[${rows.removed ?? ''}],"has_more":false,"transactions_update_status":
    "HISTORICAL_UPDATE_COMPLETE"${more}}`

test('a transaction keeps its digits; its record has the known fields only', () => {
  const found = read(
    'transactionsSync',
    page({ added: posted, removed: '{"transaction_id":"t0"}' }),
  )
  const [transaction] = found?.added ?? []
  const { raw, ...fields } = transaction ?? { raw: null }
  expect(fields).toEqual({
    id: 't1',
    pendingId: 'p1',
    accountId: 'a1',
    amount: '-12.10',
    currency: 'USD',
    unofficialCurrency: null,
    date: '2026-03-04',
    authorizedDate: '2026-03-03',
    name: 'COFFEE SHOP',
    merchantName: 'Coffee',
    originalDescription: 'COFFEE*1',
    isPending: false,
    categories: ['Food', '7'],
    category: 'FOOD_COFFEE',
  })
  expect(raw).not.toMatch(/account_owner|1234567|new_field/)
  expect(JSON.parse(raw ?? '')).toMatchObject({ amount: '-12.10', transaction_id: 't1' })
  expect(found).toMatchObject({
    modified: [],
    removed: [{ id: 't0', accountId: '' }],
    nextCursor: 'c2',
    hasMore: false,
    readiness: 'historical',
    unreadable: 0,
    awaited: [],
  })
})

test('the order of the fields is no change of the record', () => {
  const { transaction_id, ...rest } = JSON.parse(posted)
  const turned = JSON.stringify({ ...rest, transaction_id })
  const raws = [JSON.stringify(JSON.parse(posted)), turned].map(
    (row) => read('transactionsSync', page({ added: row }))?.added[0]?.raw,
  )
  expect(raws[0]).toBe(raws[1])
})

test.each([
  ['no ID', { transaction_id: null }],
  ['an ID with a blank', { transaction_id: 'a b' }],
  ['an ID of 201 characters', { transaction_id: 'x'.repeat(201) }],
  ['no account', { account_id: undefined }],
  ['no amount', { amount: null }],
  ['an amount in words', { amount: 'much' }],
  ['no day', { date: null }],
  ['a day that is none', { date: '2026-02-30' }],
  ['an instant', { date: '2026-03-04T00:00:00Z' }],
])('a row with %s is left out and counted', (_kind, change) => {
  const row = JSON.stringify({ ...JSON.parse(posted), ...change })
  const found = read('transactionsSync', page({ added: `${posted},${row},7`, modified: row }))
  expect(found).toMatchObject({ added: [{ id: 't1' }], modified: [], unreadable: 3 })
  // Of the number, it is not known whether it replaces a pending one.
  expect(found?.awaited.toSorted()).toEqual(['', 'p1', 'p1'])
})

test.each([
  ['p1', ['p1']],
  [null, []],
  [undefined, []],
  [[7], ['']],
  ['a b', ['']],
])('an unreadable row whose pending ID is %j awaits %j', (pending_transaction_id, awaited) => {
  const row = JSON.stringify({ ...JSON.parse(posted), date: '', pending_transaction_id })
  expect(read('transactionsSync', page({ modified: row }))).toMatchObject({
    unreadable: 1,
    awaited,
  })
})

test.each([
  ['no cursor', { next_cursor: undefined }],
  ['a cursor of two lines', { next_cursor: 'a\nb' }],
  ['no has_more', { has_more: undefined }],
  ['more, and an empty cursor', { has_more: true, next_cursor: '' }],
  ['no list', { removed: null }],
])('a page with %s cannot be read', (_kind, change) => {
  const sent = { added: [], modified: [], removed: [], next_cursor: 'c', has_more: false }
  expect(read('transactionsSync', { ...sent, ...change })).toBeNull()
})

test.each([
  ['NOT_READY', 'not-ready'],
  ['INITIAL_UPDATE_COMPLETE', 'initial'],
  ['TRANSACTIONS_UPDATE_STATUS_UNKNOWN', 'unknown'],
  ['constructor', 'unknown'],
  [undefined, 'unknown'],
])('the status %s of a page is %s', (sent, readiness) => {
  const body = { added: [], modified: [], removed: [], next_cursor: '', has_more: false }
  const found = read('transactionsSync', { ...body, transactions_update_status: sent })
  expect(found?.readiness).toBe(readiness)
})

test('an item is read with its accounts', () => {
  const body = `{"accounts":[{"account_id":"a1","balances":{"available":null,"current":0.30,
      "limit":1e3,"iso_currency_code":null,"unofficial_currency_code":"btc"},"mask":"0000",
      "name":" ","official_name":"Gold","type":"depository","subtype":"checking",
      "persistent_account_id":"p1"},{"account_id":"a2","name":"Loan"}],
    "item":{"item_id":"i1","institution_id":"ins_1","institution_name":"Bank","webhook":null,
      "error":{"error_code":"ITEM_LOGIN_REQUIRED"},"products":["transactions"],
      "consent_expiration_time":"2026-05-01T00:00:00Z"}}`
  expect(read('accountsGet', body)).toEqual({
    accounts: [
      {
        accountId: 'a1',
        persistentId: 'p1',
        name: 'Gold',
        officialName: 'Gold',
        mask: '0000',
        type: 'depository',
        subtype: 'checking',
        currency: null,
        unofficialCurrency: 'BTC',
        available: null,
        current: '0.30',
        limit: '1e3',
        raw: expect.stringContaining('"current":"0.30"'),
      },
      expect.objectContaining({ accountId: 'a2', name: 'Loan', current: '', type: '' }),
    ],
    institutionId: 'ins_1',
    institutionName: 'Bank',
    errorCode: 'ITEM_LOGIN_REQUIRED',
    consentExpiresAt: new Date('2026-05-01T00:00:00Z'),
    webhookUrl: null,
    products: ['transactions'],
  })
})

test.each([
  ['no item', { accounts: [] }],
  ['an account without an ID', { accounts: [{ name: 'A', balances: noBalances }], item: {} }],
  ['an error without a code', { accounts: [], item: { error: { error_type: 'ITEM_ERROR' } } }],
])('an answer about %s cannot be read', (_kind, body) => {
  expect(read('accountsGet', body)).toBeNull()
})

test('tokens are read', () => {
  const expiration = '2026-03-04T12:00:00Z'
  expect(read('linkTokenCreate', { link_token: 'link-1', expiration })).toEqual({
    linkToken: 'link-1',
    expiresAt: new Date(expiration),
  })
  expect(read('linkTokenCreate', { link_token: 'link-1', expiration: 'soon' })).toBeNull()
  const exchange = { access_token: 'access-1', item_id: 'i1' }
  expect(read('itemPublicTokenExchange', exchange)).toEqual({
    accessToken: 'access-1',
    itemId: 'i1',
  })
  expect(read('itemPublicTokenExchange', { ...exchange, item_id: '' })).toBeNull()
})

test('an institution has the known products with a readable status', () => {
  const health = {
    status: 'HEALTHY',
    last_status_change: '2026-03-04T12:00:00Z',
    breakdown: { success: 0.9, error_plaid: 2, error_institution: 0.1, refresh_interval: 'NORMAL' },
  }
  const institution = {
    institution_id: 'ins_1',
    name: 'Bank\n1',
    products: ['transactions', 7],
    country_codes: ['US'],
    url: 'https://bank.example',
    primary_color: '#0a0b0c',
    logo: 'aGk=',
    status: { item_logins: health, auth: { status: 'HEALTHY' }, health_incidents: [], other: 1 },
  }
  const found = read('institutionsGetById', { institution })
  expect(found).toMatchObject({
    institutionId: 'ins_1',
    name: 'Bank 1',
    products: ['transactions', '7'],
    countryCodes: ['US'],
    url: 'https://bank.example',
    primaryColor: '#0a0b0c',
    logo: 'aGk=',
  })
  const { success, error_institution, refresh_interval } = health.breakdown
  const breakdown = { success, error_plaid: undefined, error_institution, refresh_interval }
  expect(found?.status).toStrictEqual({
    item_logins: { ...health, last_status_change: '2026-03-04T12:00:00.000Z', breakdown },
  })
  const bare = { institution_id: 'ins_1', name: 'Bank', logo: '<svg>', status: null }
  expect(read('institutionsGetById', { institution: bare })).toMatchObject({
    products: [],
    logo: null,
    status: {},
  })
})

const key = {
  alg: 'ES256',
  crv: 'P-256',
  kid: 'k1',
  kty: 'EC',
  use: 'sig',
  x: 'x'.repeat(43),
  y: 'y'.repeat(43),
  created_at: 1_772_625_600,
  expired_at: null,
}

test('a webhook key is read; keys of other algorithms and curves are not', () => {
  expect(read('webhookVerificationKeyGet', { key })).toEqual({
    keyId: 'k1',
    algorithm: 'ES256',
    curve: 'P-256',
    keyType: 'EC',
    x: key.x,
    y: key.y,
    expiredAt: null,
  })
  expect(read('webhookVerificationKeyGet', { key: { ...key, expired_at: 1_772_625_600 } })).toEqual(
    expect.objectContaining({ expiredAt: new Date('2026-03-04T12:00:00Z') }),
  )
  for (const change of [{ alg: 'HS256' }, { crv: 'P-384' }, { kty: 'oct' }, { x: 'x' }]) {
    expect(read('webhookVerificationKeyGet', { key: { ...key, ...change } })).toBeNull()
  }
})
