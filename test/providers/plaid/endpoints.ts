import { randomUUID } from 'node:crypto'
import type {
  AccountsGetResponse,
  InstitutionsGetByIdResponse,
  ItemPublicTokenCreateResponse,
  ItemPublicTokenExchangeResponse,
  ItemRemoveResponse,
  ItemWebhookUpdateResponse,
  LinkTokenCreateResponse,
  SandboxPublicTokenCreateResponse,
  TransactionsGetResponse,
  TransactionsRefreshResponse,
  TransactionsSyncResponse,
  WebhookVerificationKeyGetResponse,
} from 'plaid'
import { type Account, hasTransactions } from './account.ts'
import type { Row } from './change-log.ts'
import { PlaidRefusal } from './errors.ts'
import type { PlaidInstitution } from './institutions.ts'
import { itemBody, type StoredItem } from './item.ts'
import type { Items } from './items.ts'
import type { Plain } from './plain.ts'
import { parseRequest, requestSchemas as schemas } from './requests.ts'
import type { WebhookKeys } from './webhook-keys.ts'

/** A link token, with the fields of its request that the later steps need. */
export interface LinkToken {
  linkToken: string
  webhook: string | null
  /** The item of a token in update mode. */
  item: StoredItem | null
}

/** The state that the endpoints read and change. */
export interface PlaidState {
  now: () => Date
  items: Items
  institutions: Map<string, PlaidInstitution>
  linkTokens: LinkToken[]
  keys: WebhookKeys
  /** Creates the item of a user name of the sandbox. */
  signIn: (of: { username: string; institutionId: string; webhook: string | null }) => StoredItem
}

/** An answer without `request_id`, which the server adds. */
type Answer<Response> = Plain<Omit<Response, 'request_id'>>
type Endpoint = (body: unknown) => object

const linkTokenMs = 4 * 60 * 60_000
const updateTokenMs = 30 * 60_000

/** Returns the endpoints by path. Each answers the body of a request, or throws a PlaidRefusal. */
export function createEndpoints(state: PlaidState): Map<string, Endpoint> {
  return new Map([
    ['/link/token/create', (body) => createLinkToken(state, body)],
    ['/sandbox/public_token/create', (body) => createPublicToken(state, body)],
    ['/item/public_token/exchange', (body) => exchange(state, body)],
    ['/item/public_token/create', (body) => createItemToken(state, body)],
    ['/accounts/get', (body) => getAccounts(state, body)],
    ['/transactions/sync', (body) => syncTransactions(state, body)],
    ['/transactions/get', (body) => getTransactions(state, body)],
    ['/transactions/refresh', (body) => refresh(state, body)],
    ['/item/remove', (body) => removeItem(state, body)],
    ['/item/webhook/update', (body) => updateWebhook(state, body)],
    ['/institutions/get_by_id', (body) => getInstitution(state, body)],
    ['/webhook_verification_key/get', (body) => getKey(state, body)],
  ])
}

function createLinkToken(state: PlaidState, body: unknown): Answer<LinkTokenCreateResponse> {
  const request = parseRequest(schemas.linkTokenCreate, body)
  const { access_token: accessToken, products, webhook = null } = request
  const item = accessToken ? state.items.open(accessToken) : null
  if (item && products) {
    throw new PlaidRefusal('INVALID_FIELD', 'products must not be set with an access_token')
  }
  if (!item && !products) {
    throw new PlaidRefusal('MISSING_FIELDS', 'the following required fields are missing: products')
  }
  const linkToken = `link-sandbox-${randomUUID()}`
  state.linkTokens.push({ linkToken, webhook, item })
  const expires = state.now().getTime() + (item ? updateTokenMs : linkTokenMs)
  return { link_token: linkToken, expiration: new Date(expires).toISOString() }
}

function createPublicToken(
  state: PlaidState,
  body: unknown,
): Answer<SandboxPublicTokenCreateResponse> {
  const request = parseRequest(schemas.publicTokenCreate, body)
  const { institution_id: institutionId, options = {} } = request
  if (!state.institutions.has(institutionId)) throw new PlaidRefusal('INVALID_INSTITUTION')
  const username = options.override_username ?? 'user_good'
  const item = state.signIn({ username, institutionId, webhook: options.webhook ?? null })
  return { public_token: state.items.createPublicToken(item) }
}

function exchange({ items }: PlaidState, body: unknown): Answer<ItemPublicTokenExchangeResponse> {
  const request = parseRequest(schemas.publicTokenExchange, body)
  const { accessToken, itemId } = items.exchange(request.public_token)
  return { access_token: accessToken, item_id: itemId }
}

function createItemToken(
  { items }: PlaidState,
  body: unknown,
): Answer<ItemPublicTokenCreateResponse> {
  const item = items.open(parseRequest(schemas.itemPublicTokenCreate, body).access_token)
  return { public_token: items.createPublicToken(item) }
}

function getAccounts(state: PlaidState, body: unknown): Answer<AccountsGetResponse> {
  const { access_token, options } = parseRequest(schemas.accountsGet, body)
  const item = healthy(state.items.open(access_token))
  return { accounts: chosen(item.accounts(), options?.account_ids), item: bodyOf(state, item) }
}

function syncTransactions(state: PlaidState, body: unknown): Answer<TransactionsSyncResponse> {
  const request = parseRequest(schemas.transactionsSync, body)
  const { access_token, cursor = '', options } = request
  const item = healthy(state.items.open(access_token))
  const count = Math.min(request.count ?? 100, item.pageMax)
  const status = item.readiness
  if (status === 'NOT_READY') {
    const none = { added: [], modified: [], removed: [], next_cursor: '', has_more: false }
    return { transactions_update_status: status, accounts: [], ...none }
  }
  const page = item.log.read({ cursor, count, isVisible: item.isVisible })
  const has = new Set([page.added, page.modified, page.removed].flat().map((one) => one.account_id))
  return {
    transactions_update_status: status,
    // Only those with transactions in this answer.
    accounts: item.accounts().filter((one) => has.has(one.account_id)),
    ...page,
    added: page.added.map((row) => asked(row, options)),
    modified: page.modified.map((row) => asked(row, options)),
  }
}

function getTransactions(state: PlaidState, body: unknown): Answer<TransactionsGetResponse> {
  const request = parseRequest(schemas.transactionsGet, body)
  const { access_token, start_date: from, end_date: to, options = {} } = request
  const item = healthy(state.items.open(access_token))
  if (item.readiness === 'NOT_READY') throw new PlaidRefusal('PRODUCT_NOT_READY')
  const accounts = chosen(item.accounts(), options.account_ids).filter(hasTransactions)
  const ids = accounts.map(({ account_id }) => account_id)
  const rows = item.log
    .live()
    .filter((row) => ids.includes(row.account_id) && row.date >= from && row.date <= to)
    .toSorted((one, other) => other.date.localeCompare(one.date))
  const { offset = 0, count = 100 } = options
  return {
    accounts,
    transactions: rows.slice(offset, offset + count).map((row) => asked(row, options)),
    total_transactions: rows.length,
    item: bodyOf(state, item),
  }
}

function refresh({ items }: PlaidState, body: unknown): Answer<TransactionsRefreshResponse> {
  healthy(items.open(parseRequest(schemas.transactionsRefresh, body).access_token))
  return {}
}

function removeItem({ items }: PlaidState, body: unknown): Answer<ItemRemoveResponse> {
  items.open(parseRequest(schemas.itemRemove, body).access_token).isRemoved = true
  return {}
}

function updateWebhook(state: PlaidState, body: unknown): Answer<ItemWebhookUpdateResponse> {
  const { access_token, webhook = null } = parseRequest(schemas.itemWebhookUpdate, body)
  const item = state.items.open(access_token)
  item.webhook = webhook
  return { item: bodyOf(state, item) }
}

function getInstitution(state: PlaidState, body: unknown): Answer<InstitutionsGetByIdResponse> {
  const request = parseRequest(schemas.institutionsGetById, body)
  const found = state.institutions.get(request.institution_id)
  if (!found?.country_codes.some((one) => request.country_codes.includes(one))) {
    throw new PlaidRefusal('INVALID_INSTITUTION')
  }
  const { include_optional_metadata: hasMetadata, include_status } = request.options ?? {}
  const { status, url, primary_color, logo, ...institution } = found
  return {
    institution: {
      ...institution,
      ...(hasMetadata ? { url, primary_color, logo } : {}),
      ...(include_status ? { status } : {}),
    },
  }
}

function getKey({ keys }: PlaidState, body: unknown): Answer<WebhookVerificationKeyGetResponse> {
  const { key_id } = parseRequest(schemas.webhookVerificationKeyGet, body)
  const key = keys.find(key_id)
  if (!key) throw new PlaidRefusal('INVALID_WEBHOOK_VERIFICATION_KEY_ID')
  return { key }
}

/** Returns the item. @throws {PlaidRefusal} if its error refuses requests */
function healthy(item: StoredItem): StoredItem {
  if (item.error?.isRefused) throw new PlaidRefusal(item.error.code)
  return item
}

function chosen(accounts: Account[], ids: readonly string[] | undefined): Account[] {
  if (!ids) return accounts
  const known = new Map(accounts.map((one) => [one.account_id, one]))
  return ids.map((id) => {
    const account = known.get(id)
    if (!account) throw new PlaidRefusal('INVALID_ACCOUNT_ID')
    return account
  })
}

/** Returns a transaction with the description of the bank only on request. */
function asked(row: Row, options?: { include_original_description?: boolean | null | undefined }) {
  return options?.include_original_description ? row : { ...row, original_description: null }
}

function bodyOf({ institutions }: PlaidState, item: StoredItem) {
  return itemBody(item, institutions.get(item.institutionId)?.name ?? '')
}
