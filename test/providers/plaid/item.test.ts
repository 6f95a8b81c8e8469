import { describe, expect, test } from '@jest/globals'
import type { Json } from '../../harness/person.ts'
import type { Fault } from '../faults.ts'
import { callPlaid } from './call.ts'
import { plaidFaults } from './faults.ts'
import { moveIn } from './household.ts'
import type { PlaidItem } from './item.ts'
import { productionLimits } from './limits.ts'
import { startPlaid } from './plaid.ts'

const one = { date: '2026-03-01', amount: '4.80' }

/** Starts a server with an item, and a client that reads its changes. */
async function startWithItem() {
  const plaid = await startPlaid()
  const item = plaid.createItem({ accounts: [{ id: 'a' }, { id: 'b' }] })
  const call = (path: string, body: object = {}): Promise<Json> =>
    callPlaid(plaid, path, { access_token: item.accessToken, ...body })
  let cursor = ''
  const sync = async () => {
    const page = await call('/transactions/sync', { cursor, count: 500 })
    cursor = page.next_cursor
    const lists = [page.added, page.modified, page.removed]
    return lists.map((rows) => rows.map((row: Json) => row.transaction_id))
  }
  return Object.assign(plaid, { item, call, sync, bank: item.bank('a') })
}

describe('a pending transaction', () => {
  test('is replaced in one page, under another ID', async () => {
    await using plaid = await startWithItem()
    const pending = plaid.bank.pend({ ...one, id: 'p', merchant: 'Café' })
    expect(await plaid.sync()).toEqual([['p'], [], []])
    plaid.bank.settle(pending, { id: 'q', amount: '5.00' })
    const answer = await plaid.call('/transactions/sync', { count: 1 })
    expect(answer.added[0]).toMatchObject({
      transaction_id: 'q',
      pending_transaction_id: 'p',
      pending: false,
      amount: 5,
      date: '2026-03-01',
      merchant_name: 'Café',
    })
    expect(await plaid.sync()).toEqual([['q'], [], ['p']])
    expect(() => plaid.bank.settle('q')).toThrow('is posted already')
  })

  test('is replaced across two reads, in both orders', async () => {
    await using plaid = await startWithItem()
    const { bank, sync } = plaid
    for (const id of ['p', 'r']) bank.pend({ ...one, id })
    await sync()
    bank.remove('p')
    bank.post({ ...one, id: 's', pendingId: 'r' })
    expect(await sync()).toEqual([['s'], [], ['p']])
    bank.post({ ...one, id: 'q', pendingId: 'p' })
    bank.remove('r')
    expect(await sync()).toEqual([['q'], [], ['r']])
  })
})

describe('a bank account', () => {
  test('disappears and comes back with the changes since', async () => {
    await using plaid = await startWithItem()
    const { item, sync, bank } = plaid
    for (const id of ['kept', 'gone', 'changed']) bank.post({ ...one, id })
    await sync()
    bank.post({ ...one, id: 'unread' })
    item.hide('a')
    bank.remove('gone')
    bank.change('changed', { amount: '9' })
    item.bank('b').post({ ...one, id: 'other' })
    expect(await sync()).toEqual([['other'], [], []])
    const { accounts } = await plaid.call('/accounts/get')
    expect(accounts.map(({ account_id }: Json) => account_id)).toEqual(['b'])
    item.show('a')
    expect(await sync()).toEqual([['unread'], ['changed'], ['gone']])
    expect(await plaid.call('/accounts/get', { options: { account_ids: ['c'] } })).toMatchObject({
      error_code: 'INVALID_ACCOUNT_ID',
    })
  })

  test.each([
    ['kept', [[], ['x'], []]],
    ['new', [[expect.any(String)], [], ['x']]],
  ] as const)('comes back under another ID, with %s transaction IDs', async (ids, expected) => {
    await using plaid = await startWithItem()
    const { item } = plaid
    const first = item.addAccount({ persistentId: 'same' })
    item.bank(first).post({ ...one, id: 'x' })
    await plaid.sync()
    const second = item.renewAccount(first, ids)
    expect(second).not.toBe(first)
    expect(await plaid.sync()).toEqual(expected)
    expect(item.accounts().at(-1)).toMatchObject({
      account_id: second,
      persistent_account_id: 'same',
    })
    expect(item.bank(second).listed()).toMatchObject([{ account_id: second }])
    expect(() => item.bank(first).listed()).toThrow('has no bank account')
  })

  test('has balances and amounts with the digits of its script, in any currency', async () => {
    await using plaid = await startWithItem()
    const { item, bank } = plaid
    bank.setBalances({ available: null, current: '1234567890123456.780' })
    const coins = item.addAccount({ balances: { currency: null, unofficialCurrency: 'BTC' } })
    item.bank(coins).post({ ...one, amount: '0.00000001' })
    item.bank('b').post({ ...one, amount: '0.300', currency: 'BHD' })
    const bodies: string[] = []
    const keep = (body: string) => {
      bodies.push(body)
      return body
    }
    plaid.fault(/./, { kind: 'body', change: keep })
    await plaid.call('/accounts/get')
    await plaid.call('/transactions/sync')
    expect(bodies[0]).toContain('"available":null,"current":1234567890123456.780,"limit":null')
    expect(bodies[1]).toContain('"amount":0.00000001')
    expect(bodies[1]).toContain('"iso_currency_code":null')
    expect(bodies[1]).toContain('"amount":0.300')
    expect(bodies[1]).toContain('"iso_currency_code":"BHD"')
    const funds = item.addAccount({ type: 'investment', subtype: 'ira' })
    expect(() => item.bank(funds).post(one)).toThrow('no transactions of investment accounts')
    expect(() => bank.post({ ...one, amount: '1,5' })).toThrow('is no JSON number')
  })
})

test('changes that are not ready are none, and a window of days is read by offset', async () => {
  await using plaid = await startWithItem()
  const { item, bank, call } = plaid
  for (const day of [1, 2, 3, 4]) bank.post({ ...one, id: `${day}`, date: `2026-03-0${day}` })
  item.readiness = 'NOT_READY'
  const status = { transactions_update_status: 'NOT_READY', next_cursor: '', added: [] }
  expect(await call('/transactions/sync')).toMatchObject(status)
  const window = { start_date: '2026-03-02', end_date: '2026-03-04' }
  const notReady = { error_code: 'PRODUCT_NOT_READY' }
  expect(await call('/transactions/get', window)).toMatchObject(notReady)
  item.readiness = 'INITIAL_UPDATE_COMPLETE'
  const answer = await call('/transactions/get', { ...window, options: { count: 2, offset: 1 } })
  expect(answer.total_transactions).toBe(3)
  expect(answer.transactions.map((row: Json) => row.transaction_id)).toEqual(['3', '2'])
})

test('a limit refuses requests of an item and of the client for a minute', async () => {
  let now = new Date('2026-03-01T00:00:00Z')
  await using plaid = await startPlaid({ now: () => now })
  const [one, other] = [plaid.createItem(), plaid.createItem()]
  plaid.limits.set('/transactions/sync', { item: 2, client: 3 })
  const sync = async ({ accessToken: access_token }: PlaidItem) =>
    (await callPlaid(plaid, '/transactions/sync', { access_token })).error_code ?? 'none'
  const codes: unknown[] = []
  for (const item of [one, one, one, other, other]) codes.push(await sync(item))
  const limited = 'TRANSACTIONS_SYNC_LIMIT'
  expect(codes).toEqual(['none', 'none', limited, 'none', limited])
  now = new Date('2026-03-01T00:01:00Z')
  expect(await sync(one)).toBe('none')
  expect(productionLimits.map(([path]) => path)).toContain('/transactions/sync')
})

test.each<[string, Fault, (body: string) => unknown, unknown]>([
  ['invalid JSON', plaidFaults.invalidJson, (body) => body.endsWith('}'), false],
  ['wrong types', plaidFaults.wrongTypes, (body) => JSON.parse(body).added[0].amount, [1]],
  ['a huge body', plaidFaults.huge(1_000), (body) => JSON.parse(body).padding.length, 1_000],
  [
    'missing fields',
    plaidFaults.without('next_cursor', 'amount'),
    (body) => [JSON.parse(body).next_cursor, 'amount' in JSON.parse(body).added[0]],
    [undefined, false],
  ],
])('a fault is an answer with %s', async (_, fault, read, expected) => {
  await using plaid = await startWithItem()
  plaid.bank.post(one)
  plaid.item.fault(/sync/, fault)
  const { url, clientId: client_id, secret, item } = plaid
  const body = JSON.stringify({ client_id, secret, access_token: item.accessToken })
  const answer = await fetch(`${url}/transactions/sync`, { method: 'POST', body })
  expect(read(await answer.text())).toEqual(expected)
})

test('the household has half a year, the same after a restart, and buys', async () => {
  await using plaid = await startPlaid()
  const start = new Date('2027-03-01T08:00:00Z')
  const [item, again] = [1, 2].map(() => {
    const made = plaid.createItem({ itemId: 'home' })
    return Object.assign(made, moveIn(made, start))
  })
  expect(again?.accounts()).toEqual(item?.accounts())
  const checking = item?.bank('home-checking')
  expect(again?.bank('home-checking').listed()).toEqual(checking?.listed())
  expect(checking?.listed()).toHaveLength(316)
  const read = () => JSON.parse(JSON.stringify(item?.accounts().map(({ balances }) => balances)))
  expect(read()).toMatchObject([
    { available: 11738.82, current: 11738.82 },
    { current: 5620 },
    { available: null, current: 187250.4 },
    { available: null, current: 23631.98 },
  ])
  for (const minute of ['01', '02']) item?.shop(new Date(`2027-03-01T08:${minute}:00Z`))
  expect(JSON.parse(JSON.stringify(checking?.listed().slice(316)))).toMatchObject([
    { amount: 4.8, pending: false, pending_transaction_id: 'home-pending-1' },
    { amount: 2.25, pending: true, transaction_id: 'home-pending-2' },
  ])
  expect(read()[0].current).toBe(11731.77)
})
