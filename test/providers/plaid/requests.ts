import type {
  AccountsGetRequest,
  InstitutionsGetByIdRequest,
  ItemPublicTokenCreateRequest,
  ItemPublicTokenExchangeRequest,
  ItemRemoveRequest,
  ItemWebhookUpdateRequest,
  LinkTokenCreateRequest,
  SandboxPublicTokenCreateRequest,
  TransactionsGetRequest,
  TransactionsRefreshRequest,
  TransactionsSyncRequest,
  WebhookVerificationKeyGetRequest,
} from 'plaid'
import { z } from 'zod'
import { PlaidRefusal } from './errors.ts'
import type { Plain } from './plain.ts'

type Schema<Request> = z.ZodType<Plain<Request>>

const text = z.string().min(1)
const day = z.iso.date()
const country = z.enum(['US', 'GB', 'ES', 'NL', 'FR', 'IE', 'CA', 'DE', 'IT', 'PL', 'BE'])
const countries = z.array(country).min(1)
const products = z.array(z.literal('transactions')).min(1)
const count = z.int().min(1).max(500).optional()
const daysRequested = z.int().min(1).max(730).optional()
const flag = z.boolean().optional()
const byToken = z.strictObject({ access_token: text })

/** Returns the schema of an object that may be absent. */
function optional<Shape extends z.ZodRawShape>(shape: Shape) {
  return z.strictObject(shape).optional()
}

const optionsOfTransactions = {
  include_original_description: z.boolean().nullish(),
  include_personal_finance_category: flag,
  include_logo_and_counterparty_beta: flag,
  personal_finance_category_version: z.enum(['v1', 'v2']).optional(),
  days_requested: daysRequested,
}

const linkTokenCreate: Schema<LinkTokenCreateRequest> = z.strictObject({
  client_name: text.max(30),
  language: z.string().length(2),
  country_codes: countries,
  user: z.strictObject({
    client_user_id: text,
    legal_name: z.string().optional(),
    email_address: z.string().optional(),
    email_address_verified_time: z.string().nullish(),
  }),
  products: products.nullish(),
  transactions: optional({ days_requested: daysRequested }),
  access_token: text.nullish(),
  update: optional({ account_selection_enabled: flag }),
  webhook: z.url().optional(),
  redirect_uri: z.url().optional(),
})

const publicTokenCreate: Schema<SandboxPublicTokenCreateRequest> = z.strictObject({
  institution_id: text,
  initial_products: products,
  options: optional({
    webhook: z.url().optional(),
    override_username: z.string().nullish(),
    override_password: z.string().nullish(),
    transactions: z.strictObject({ days_requested: daysRequested }).nullish(),
  }),
})

const publicTokenExchange: Schema<ItemPublicTokenExchangeRequest> = z.strictObject({
  public_token: text,
})

const accountsGet: Schema<AccountsGetRequest> = byToken.extend({
  options: optional({ account_ids: z.array(text).optional() }),
})

const transactionsSync: Schema<TransactionsSyncRequest> = byToken.extend({
  cursor: z.string().max(256).optional(),
  count,
  options: optional(optionsOfTransactions),
})

const transactionsGet: Schema<TransactionsGetRequest> = byToken.extend({
  start_date: day,
  end_date: day,
  options: optional({
    ...optionsOfTransactions,
    account_ids: z.array(text).optional(),
    count,
    offset: z.int().min(0).optional(),
  }),
})

const transactionsRefresh: Schema<TransactionsRefreshRequest> = byToken
const itemPublicTokenCreate: Schema<ItemPublicTokenCreateRequest> = byToken
const itemRemove: Schema<ItemRemoveRequest> = byToken

const itemWebhookUpdate: Schema<ItemWebhookUpdateRequest> = byToken.extend({
  webhook: z.url().nullish(),
})

const institutionsGetById: Schema<InstitutionsGetByIdRequest> = z.strictObject({
  institution_id: text,
  country_codes: countries,
  options: optional({
    include_optional_metadata: flag,
    include_status: flag,
    include_auth_metadata: flag,
    include_payment_initiation_metadata: flag,
  }),
})

const webhookVerificationKeyGet: Schema<WebhookVerificationKeyGetRequest> = z.strictObject({
  key_id: text,
})

/** Bodies of requests that the simulated Plaid accepts: the fields that Coffer may send. */
export const requestSchemas = {
  linkTokenCreate,
  publicTokenCreate,
  publicTokenExchange,
  accountsGet,
  transactionsSync,
  transactionsGet,
  transactionsRefresh,
  itemPublicTokenCreate,
  itemRemove,
  itemWebhookUpdate,
  institutionsGetById,
  webhookVerificationKeyGet,
}

/**
 * Parses the body of a request.
 * @throws {PlaidRefusal} for unknown fields, missing fields and invalid fields
 */
export function parseRequest<Request>(schema: Schema<Request>, body: unknown): Plain<Request> {
  const { data, error } = schema.safeParse(body, { reportInput: true })
  if (!error) return data
  const { issues } = error
  const unknown = issues.flatMap((one) => (one.code === 'unrecognized_keys' ? one.keys : []))
  if (unknown.length > 0) {
    const text = `the following fields are not recognized by this endpoint: ${unknown.join(', ')}`
    throw new PlaidRefusal('UNKNOWN_FIELDS', text)
  }
  const missing = issues.filter((one) => one.input === undefined).map(({ path }) => path.join('.'))
  if (missing.length > 0) {
    const text = `the following required fields are missing: ${missing.join(', ')}`
    throw new PlaidRefusal('MISSING_FIELDS', text)
  }
  const [first] = issues
  throw new PlaidRefusal('INVALID_FIELD', `${first?.path.join('.')}: ${first?.message}`)
}
