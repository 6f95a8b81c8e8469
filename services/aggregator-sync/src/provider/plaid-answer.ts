import { readJson } from '@coffer/kit/values/json'
import { z } from 'zod'
import type {
  ChangePage,
  ReadItem,
  UpstreamInstitution,
  WebhookKey,
  WindowPage,
} from './aggregator.ts'
import type { PlaidMethod } from './call-limit.ts'
import {
  Id,
  isStorable,
  printable,
  readAccount,
  readPendingId,
  readRows,
  readTransaction,
  Text,
} from './plaid-row.ts'

/** Contents of Plaid's answers by method; empty objects for methods whose answer has no content. */
export interface PlaidAnswers extends Record<PlaidMethod, unknown> {
  linkTokenCreate: { linkToken: string; expiresAt: Date }
  itemPublicTokenExchange: { accessToken: string; itemId: string }
  accountsGet: ReadItem
  transactionsSync: ChangePage
  transactionsGet: WindowPage
  transactionsRefresh: object
  itemWebhookUpdate: object
  itemRemove: object
  institutionsGetById: UpstreamInstitution
  webhookVerificationKeyGet: WebhookKey
}

const listMax = 100
const logoLengthMax = 700_000

const Token = z.string().regex(/^[!-~]{1,1000}$/)
const Url = Token.nullable().catch(null)
/** An instant in Plaid's format. */
export const Instant = z.iso
  .datetime({ offset: true })
  .transform((text) => new Date(text))
  .refine(isStorable)
const Count = z.string().regex(/^\d{1,9}$/)
const Rows = z.array(z.unknown())
const Names = z
  .array(Id)
  .catch([])
  .transform((names) => names.slice(0, listMax))
const Done = z.object({})

const LinkToken = z
  .object({ link_token: Token, expiration: Instant })
  .transform((of) => ({ linkToken: of.link_token, expiresAt: of.expiration }))

const Exchange = z
  .object({ access_token: Token, item_id: Id })
  .transform((of) => ({ accessToken: of.access_token, itemId: of.item_id }))

/** Code of an error. A pattern instead of an enum, because Plaid adds codes. */
export const ErrorCode = z.string().regex(/^[A-Z][A-Z0-9_]{0,99}$/)

const Item = z.object({
  accounts: Rows,
  item: z.object({
    institution_id: Id.nullable().catch(null),
    institution_name: Text,
    error: z.object({ error_code: ErrorCode }).nullish(),
    consent_expiration_time: Instant.nullable().catch(null),
    webhook: Url,
    products: Names,
  }),
})

/** Every account must be readable, because an account missing in the answer counts as closed. */
function readItem(answer: unknown): ReadItem | null {
  const { data } = Item.safeParse(answer)
  if (!data) return null
  const { rows: accounts, left } = readRows(data.accounts, readAccount)
  if (left.length > 0) return null
  return {
    accounts,
    institutionId: data.item.institution_id,
    institutionName: data.item.institution_name,
    errorCode: data.item.error?.error_code ?? null,
    consentExpiresAt: data.item.consent_expiration_time,
    webhookUrl: data.item.webhook,
    products: data.item.products,
  }
}

const readiness = new Map<string, ChangePage['readiness']>([
  ['NOT_READY', 'not-ready'],
  ['INITIAL_UPDATE_COMPLETE', 'initial'],
  ['HISTORICAL_UPDATE_COMPLETE', 'historical'],
])

const Changes = z.object({
  added: Rows,
  modified: Rows,
  removed: Rows,
  next_cursor: z.string().regex(/^[!-~]{0,4096}$/),
  has_more: z.boolean(),
  transactions_update_status: z.string().catch(''),
})

const Removed = z.object({ transaction_id: Id, account_id: Id.catch('') })

function readRemoved(row: unknown): ChangePage['removed'][number] | null {
  const { data } = Removed.safeParse(row)
  return data ? { id: data.transaction_id, accountId: data.account_id } : null
}

function readChanges(answer: unknown): ChangePage | null {
  const { data } = Changes.safeParse(answer)
  if (!data || (data.has_more && data.next_cursor === '')) return null
  const added = readRows(data.added, readTransaction)
  const modified = readRows(data.modified, readTransaction)
  const removed = readRows(data.removed, readRemoved)
  return {
    added: added.rows,
    modified: modified.rows,
    removed: removed.rows,
    nextCursor: data.next_cursor,
    hasMore: data.has_more,
    readiness: readiness.get(data.transactions_update_status) ?? 'unknown',
    unreadable: added.left.length + modified.left.length + removed.left.length,
    awaited: [...added.left, ...modified.left].flatMap((row) => readPendingId(row) ?? []),
  }
}

const Days = z.object({ transactions: Rows, total_transactions: Count })

function readDays(answer: unknown): WindowPage | null {
  const { data } = Days.safeParse(answer)
  if (!data) return null
  const { rows, left } = readRows(data.transactions, readTransaction)
  const total = Number(data.total_transactions)
  return { transactions: rows, total, unreadable: left.length }
}

const Share = z
  .string()
  .transform(Number)
  .pipe(z.number().min(0).max(1))
  .optional()
  .catch(undefined)

const ProductStatus = z
  .object({
    status: Id,
    last_status_change: Instant.transform((at) => at.toISOString()),
    breakdown: z.object({
      success: Share,
      error_plaid: Share,
      error_institution: Share,
      refresh_interval: Id.optional().catch(undefined),
    }),
  })
  .optional()
  .catch(undefined)

const products = [
  'item_logins',
  'transactions_updates',
  'auth',
  'identity',
  'investments_updates',
  'liabilities_updates',
  'liabilities',
  'investments',
]

const Institution = z.object({
  institution: z.object({
    institution_id: Id,
    name: z.string().transform(printable),
    products: Names,
    country_codes: Names,
    url: Url,
    primary_color: Id.nullable().catch(null),
    logo: z.base64().max(logoLengthMax).nullable().catch(null),
    status: z.record(z.string(), z.unknown()).catch({}),
  }),
})

function readInstitution(answer: unknown): UpstreamInstitution | null {
  const { institution } = Institution.safeParse(answer).data ?? {}
  if (!institution) return null
  const status = products.map((name) => {
    return [name, ProductStatus.parse(institution.status[name])] as const
  })
  return {
    institutionId: institution.institution_id,
    name: institution.name,
    products: institution.products,
    countryCodes: institution.country_codes,
    url: institution.url,
    primaryColor: institution.primary_color,
    logo: institution.logo,
    status: Object.fromEntries(status.filter(([, one]) => one !== undefined)),
  }
}

const Seconds = z
  .string()
  .regex(/^\d{1,11}$/)
  .transform((seconds) => new Date(Number(seconds) * 1_000))
const Coordinate = z.string().regex(/^[\w-]{43}$/)

const Key = z.object({
  key: z.object({
    alg: z.literal('ES256'),
    crv: z.literal('P-256'),
    kty: z.literal('EC'),
    kid: Id,
    x: Coordinate,
    y: Coordinate,
    expired_at: Seconds.nullish(),
  }),
})

function readKey(answer: unknown): WebhookKey | null {
  const { key } = Key.safeParse(answer).data ?? {}
  if (!key) return null
  const { kid, alg, crv, kty, x, y, expired_at } = key
  const kind = { algorithm: alg, curve: crv, keyType: kty }
  return { keyId: kid, ...kind, x, y, expiredAt: expired_at ?? null }
}

const of = <Content>(schema: z.ZodType<Content>) => {
  return (answer: unknown): Content | null => schema.safeParse(answer).data ?? null
}

const readers: { [Method in PlaidMethod]: (answer: unknown) => PlaidAnswers[Method] | null } = {
  linkTokenCreate: of(LinkToken),
  itemPublicTokenExchange: of(Exchange),
  accountsGet: readItem,
  transactionsSync: readChanges,
  transactionsGet: readDays,
  transactionsRefresh: of(Done),
  itemWebhookUpdate: of(Done),
  itemRemove: of(Done),
  institutionsGetById: readInstitution,
  webhookVerificationKeyGet: readKey,
}

/**
 * Returns the content of an answer; null if it is not JSON of this method, `too-large` above a
 * million JSON tokens.
 */
export function readAnswer<Method extends PlaidMethod>(
  body: Uint8Array,
  kind: Method,
): PlaidAnswers[Method] | null | 'too-large' {
  return readJson(body, readers[kind])
}
