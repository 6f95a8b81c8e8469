import { expect, test } from '@jest/globals'
import type { Json } from '../../harness/person.ts'
import { callPlaid } from './call.ts'
import { errorBody, errorCodes } from './errors.ts'
import type { PlaidItem } from './item.ts'
import { type Plaid, startPlaid } from './plaid.ts'
import { readShapes } from './shapes.ts'
import { webhookCodes } from './webhooks.ts'

const faultsOf = readShapes()

/** Returns the name of a request type without its ending: of /item/remove, ItemRemove. */
function typeOf(path: string): string {
  return path.replaceAll(/[/_]([a-z])/g, (_, letter: string) => letter.toUpperCase())
}

/** Returns the name of a webhook type. */
function webhookTypeOf(code: string): string {
  const full = /^(ERROR|LOGIN_REPAIRED)$/.test(code) ? `ITEM_${code}` : code
  return `${typeOf(`/${full.toLowerCase()}`)}Webhook`
}

/** Calls every endpoint, with every field of requests that the simulator knows. */
async function callAll(plaid: Plaid): Promise<void> {
  const { item, access_token } = await link(plaid)
  const webhook = 'https://coffer.example/webhook'
  const account_ids = [fill(item)]
  await callPlaid(plaid, '/accounts/get', { access_token, options: { account_ids } })
  const options = {
    include_original_description: true,
    include_personal_finance_category: true,
    include_logo_and_counterparty_beta: true,
  }
  const first = await callPlaid(plaid, '/transactions/sync', { access_token, count: 1, options })
  const page = { access_token, cursor: first.next_cursor, count: 500 }
  const { next_cursor: cursor } = await callPlaid(plaid, '/transactions/sync', page)
  const bank = item.bank(account_ids[0] ?? '')
  const [one, other] = bank.listed()
  bank.change(one?.transaction_id ?? '', { amount: '0.01' })
  bank.remove(other?.transaction_id ?? '')
  // The former cursor is refused, the last one has a change and a removal.
  await callPlaid(plaid, '/transactions/sync', page)
  await callPlaid(plaid, '/transactions/sync', { access_token, cursor })
  item.error = { code: 'ITEM_LOGIN_REQUIRED', isRefused: false }
  const [start_date, end_date] = ['2026-01-01', '2026-12-31']
  const window = { count: 500, offset: 0, account_ids }
  await callPlaid(plaid, '/transactions/get', {
    access_token,
    start_date,
    end_date,
    options: window,
  })
  await callPlaid(plaid, '/transactions/refresh', { access_token })
  await callPlaid(plaid, '/item/webhook/update', { access_token, webhook })
  const metadata = { include_optional_metadata: true, include_status: true }
  const about = { institution_id: 'ins_109508', country_codes: ['US'] }
  await callPlaid(plaid, '/institutions/get_by_id', { ...about, options: metadata })
  const key_id = plaid.webhooks.keys.current()
  await callPlaid(plaid, '/webhook_verification_key/get', { key_id })
  item.readiness = 'NOT_READY'
  await callPlaid(plaid, '/transactions/sync', { access_token })
  await callPlaid(plaid, '/transactions/get', { access_token, start_date, end_date })
  await callPlaid(plaid, '/item/remove', { access_token })
  await callPlaid(plaid, '/item/remove', { access_token })
}

/** Links an item with all three kinds of tokens. */
async function link(plaid: Plaid) {
  const { public_token } = await callPlaid(plaid, '/sandbox/public_token/create', {
    institution_id: 'ins_109508',
    initial_products: ['transactions'],
    options: { webhook: 'https://coffer.example/webhook', override_username: 'user_good' },
  })
  const linked = await callPlaid(plaid, '/item/public_token/exchange', { public_token })
  const { access_token, item_id } = linked
  await callPlaid(plaid, '/item/public_token/create', { access_token })
  const token = { client_name: 'Coffer', language: 'en', country_codes: ['US'] }
  await callPlaid(plaid, '/link/token/create', {
    ...token,
    user: { client_user_id: 'user_1', legal_name: '', email_address_verified_time: null },
    products: ['transactions'],
    transactions: { days_requested: 730 },
    access_token: null,
    redirect_uri: 'https://coffer.example/aggregator/oauth-return',
  })
  await callPlaid(plaid, '/link/token/create', {
    ...token,
    user: { client_user_id: 'acct_1' },
    access_token,
    update: { account_selection_enabled: true },
  })
  return { item: plaid.item(item_id), access_token }
}

/** Gives an item bank accounts of each type, and transactions. Returns the ID of the account. */
function fill(item: PlaidItem): string {
  item.consentExpiresAt = new Date('2026-03-01T00:00:00Z')
  item.addAccount({ type: 'investment', subtype: 'ira', persistentId: 'kept', mask: null })
  item.addAccount({ type: 'loan', subtype: 'mortgage', balances: { available: null } })
  const coins = item.addAccount({ balances: { currency: null, unofficialCurrency: 'BTC' } })
  const bank = item.bank(coins)
  const one = { date: '2026-03-01', amount: '0.00000001', description: 'SHOP 1' }
  bank.post({ ...one, merchant: 'Shop', authorizedDate: null, categories: ['Shops'] })
  bank.pend({ ...one, category: 'FOOD_AND_DRINK_COFFEE' })
  bank.settle(bank.pend({ ...one, category: null }), { date: '2026-03-02' })
  return coins
}

test('every request and answer has the shape of the official client', async () => {
  await using plaid = await startPlaid({ recordsAnswers: true })
  await callAll(plaid)
  const faults = plaid.calls.flatMap(({ path, request, status, answer }) => {
    const type = status === 200 ? `${typeOf(path)}Response` : 'PlaidError'
    return [...faultsOf(`${typeOf(path)}Request`, request), ...faultsOf(type, answer)]
  })
  expect(faults).toEqual([])
  const refused = plaid.calls.filter(({ status }) => status !== 200)
  expect(refused.map(({ answer }) => (answer as Json).error_code)).toEqual([
    'TRANSACTIONS_SYNC_MUTATION_DURING_PAGINATION',
    'PRODUCT_NOT_READY',
    'ITEM_NOT_FOUND',
  ])
})

test('every error and webhook has the shape of the official client', async () => {
  await using plaid = await startPlaid()
  expect(errorCodes.flatMap((code) => faultsOf('PlaidError', errorBody(code)))).toEqual([])
  const item = plaid.createItem({ webhook: 'https://coffer.example/webhook' })
  const faults = webhookCodes.flatMap((code) => {
    const { body } = plaid.webhooks.create(item, code, { accountId: 'one' })
    return faultsOf(webhookTypeOf(code), JSON.parse(body))
  })
  expect(faults).toEqual([])
})

test('the check finds what differs from the official client', () => {
  const balances = { available: 1, current: null, limit: null, iso_currency_code: 'USD' }
  const account = { account_id: 1, balances, mask: null, name: 'A', official_name: null }
  const value = { ...account, type: 'bank', subtype: null, colour: 'red' }
  expect(faultsOf('AccountBase', value)).toEqual([
    'colour: AccountBase has no such field',
    'account_id: is number',
    'balances.unofficial_currency_code: is missing',
    'type: "bank" is no AccountType',
  ])
  expect(faultsOf('AccountsGetResponse', { accounts: [null], item: [], request_id: 'x' })).toEqual([
    'accounts.0: is null, no AccountBase',
    'item: is object, no Item',
  ])
  expect(faultsOf('Nothing', {})).toEqual([': the client has no type Nothing'])
})
