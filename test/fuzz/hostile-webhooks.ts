import { createHash, createHmac } from 'node:crypto'
import fc from 'fast-check'
import type { PlaidItem } from '../providers/plaid/item.ts'
import type { WebhookKeys } from '../providers/plaid/webhook-keys.ts'
import { type WebhookCode, webhookCodes } from '../providers/plaid/webhooks.ts'
import { type Hostile, ofAnyKind, ok, text, value } from './hostile-json.ts'

/** A token of a webhook; `isGenuine`: Plaid has signed this body now. */
export interface Token {
  text: string
  isGenuine: boolean
}

/** Makes a token for a body. */
export type TokenOf = (body: string, keys: WebhookKeys) => Token

/** A webhook of a code with a hostile body and token. */
export interface HostileWebhook {
  code: WebhookCode
  change: Hostile
  token: TokenOf
}

const fields = ['webhook_type', 'webhook_code', 'item_id', 'account_id', 'error', 'environment']
const instants = ['0000-01-01T00:00:00Z', '9999-12-31T23:59:59.999Z', '+275760-09-13T00:00:00Z']
const codes = ['ITEM_LOGIN_REQUIRED', 'a\0b', '\ud800', 'x'.repeat(200), '<b>', '']

/** Fields in place of those of the right body, which mean something. */
const otherFields: fc.Arbitrary<Hostile> = fc
  .record(
    {
      consent_expiration_time: fc.oneof(text(fc.constantFrom(...instants, '1', '2027')), value),
      disconnect_time: fc.oneof(text(fc.constantFrom(...instants)), value),
      error: text(fc.record({ error_code: fc.constantFrom(...codes) })),
      account_id: value,
    },
    { requiredKeys: [] },
  )
  .map((changed) => (right) => {
    const more = Object.entries(changed).map(([key, json]) => `,"${key}":${json || 'null'}`)
    return ok(right.replace(/\s*\}\s*$/, `${more.join('')}}`))
  })

const body = fc.oneof(
  { weight: 60, arbitrary: fc.constant<Hostile>(ok) },
  { weight: 60, arbitrary: otherFields },
  ...ofAnyKind([...fields, 'consent_expiration_time', 'disconnect_time']),
)

const genuine: TokenOf = (sent, keys) => ({ text: keys.sign(sent), isGenuine: true })

/** Headers and claims with which a token is not valid. */
const keyIds = ['', '../key', 'x'.repeat(101), 'a b', null, 5, {}, 'unknown', '__proto__']
const signedAt = [null, '1', -1, 0, 1e300, 1.5e10, {}]
const expiries = [1, 1e9, 'never', -1e300]
const hashes = [null, '', 5, 'f'.repeat(64), ['a'], {}]
const forgedHeaders: object[] = [
  { alg: 'none' },
  { alg: 'HS256' },
  { alg: 'ES384' },
  { alg: ['ES256'] },
  { crit: ['exp'] },
  { b64: false, crit: ['b64'] },
]
const forgedParts: { header?: object; claims?: object }[] = [
  forgedHeaders.map((header) => ({ header })),
  keyIds.map((kid) => ({ header: { kid } })),
  signedAt.map((iat) => ({ claims: { iat } })),
  expiries.map((exp) => ({ claims: { exp } })),
  hashes.map((hash) => ({ claims: { request_body_sha256: hash } })),
  [{ claims: { nbf: 9e9 } }],
].flat()

const minuteMs = 60_000
const otherMinutes = [-6, 1, 60]
const forgeries: TokenOf[] = [
  ...forgedParts.map((parts): TokenOf => {
    return (sent, keys) => ({ text: keys.sign(sent, parts), isGenuine: false })
  }),
  ...otherMinutes.map((minutes): TokenOf => {
    return (sent, keys) => {
      const at = new Date(Date.now() + minutes * minuteMs)
      return { text: keys.sign(sent, { at }), isGenuine: false }
    }
  }),
  (sent, keys) => ({ text: keys.sign(`${sent} `), isGenuine: false }),
  (sent, keys) => ({ text: keys.sign(sent).split('.').slice(0, 2).join('.'), isGenuine: false }),
  (sent, keys) => ({ text: `${keys.sign(sent)}.e30`, isGenuine: false }),
  // The public key as the secret of an HMAC.
  (sent, keys) => {
    const { kid = '', x = '' } = keys.find(keys.current()) ?? {}
    const hash = createHash('sha256').update(sent).digest('hex')
    const claims = { iat: Math.floor(Date.now() / 1_000), request_body_sha256: hash }
    const parts = [{ alg: 'HS256', kid }, claims].map((one) => encode(JSON.stringify(one)))
    const signature = createHmac('sha256', x).update(parts.join('.')).digest('base64url')
    return { text: `${parts.join('.')}.${signature}`, isGenuine: false }
  },
]

const token: fc.Arbitrary<TokenOf> = fc.oneof(
  { weight: 6, arbitrary: fc.constant(genuine) },
  { weight: 3, arbitrary: fc.constantFrom(...forgeries) },
  // Other characters in a right token.
  {
    weight: 1,
    arbitrary: fc
      .tuple(fc.nat(), fc.string({ unit: 'grapheme-ascii', minLength: 1, maxLength: 4 }))
      .map(([at, instead]): TokenOf => {
        return (sent, keys) => {
          const right = keys.sign(sent)
          const start = at % right.length
          const changed = right.slice(0, start) + instead + right.slice(start + instead.length)
          return { text: changed, isGenuine: changed.trim() === right }
        }
      }),
  },
  {
    weight: 1,
    arbitrary: fc.string({ unit: 'grapheme-ascii' }).map((any): TokenOf => {
      return () => ({ text: any, isGenuine: false })
    }),
  },
)

/** Webhooks whose body, token or both may be hostile. */
export const hostileWebhooks: fc.Arbitrary<HostileWebhook> = fc.record({
  code: fc.constantFrom(...webhookCodes),
  change: body,
  token,
})

/** Returns the right body of a webhook about an item, as Plaid sends it. */
export function rightBody(item: PlaidItem, code: WebhookCode, at: Date): string {
  const type = /^(ERROR|LOGIN|PENDING|USER|WEBHOOK|NEW)/.test(code) ? 'ITEM' : 'TRANSACTIONS'
  return JSON.stringify({
    webhook_type: type,
    webhook_code: code,
    item_id: item.itemId,
    consent_expiration_time: at.toISOString(),
    error: null,
  })
}

function encode(part: string): string {
  return Buffer.from(part).toString('base64url')
}
