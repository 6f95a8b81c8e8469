import { httpUrl, setting } from '@coffer/kit/service/config'
import ipaddr from 'ipaddr.js'
import { z } from 'zod'

const flag = (fallback: boolean) => z.stringbool().default(fallback)

const count = (fallback: number) => z.coerce.number().int().min(0).default(fallback)

const budget = z.coerce
  .number()
  .int()
  .max(1_000_000)
  .refine((units) => units === 0 || units >= 10, 'must be 0, or 10 to 1000000')
  .default(0)

const list = z
  .string()
  .default('')
  .transform((text) => text.split(',').flatMap((item) => item.trim() || []))

const address = z.union([z.literal(''), httpUrl]).default('')

function isNetwork(text: string): boolean {
  const { IPv4, IPv6 } = ipaddr
  const isAddress = IPv4.isValidFourPartDecimal(text) || IPv6.isValid(text)
  return isAddress || IPv4.isValidCIDRFourPartDecimal(text) || IPv6.isValidCIDR(text)
}

function isOrigin(text: string): boolean {
  return URL.canParse(text) && /^https?:/.test(text) && new URL(text).origin === text
}

/** Settings of the gateway: each with its environment variable, rule, default and help text. */
export const settings = {
  externalUrl: setting(
    'COFFER_EXTERNAL_URL',
    address,
    'Address that clients use; https makes cookies Secure and sends HSTS',
  ),
  cookieName: setting(
    'COFFER_COOKIE_NAME',
    z
      .string()
      .regex(/^[\w-]+$/, 'must have letters, digits, - and _ only')
      .default('coffer_session'),
    'Name of the session cookie; behind `__Host-` where clients use https',
  ),
  allowedOrigins: setting(
    'COFFER_ALLOWED_ORIGINS',
    list.refine((all) => all.every(isOrigin), 'must be origins (https://app.example.com)'),
    'Other origins whose pages may use sessions (CORS, writes, sockets), separated by commas',
  ),
  trustedProxies: setting(
    'COFFER_TRUSTED_PROXIES',
    list.refine((all) => all.every(isNetwork), 'must be IP addresses or networks (10.0.0.0/8)'),
    'Addresses or networks of proxies whose `X-Forwarded-*` is trusted, separated by commas',
  ),
  uploadsEnabled: setting(
    'COFFER_UPLOADS_ENABLED',
    flag(false),
    'Enable uploads of transaction files',
  ),
  feedEnabled: setting(
    'COFFER_FEED_ENABLED',
    flag(false),
    'Enable the integration of the feed provider',
  ),
  aggregatorEnabled: setting(
    'COFFER_AGGREGATOR_ENABLED',
    flag(false),
    'Enable links over the aggregator (Plaid)',
  ),
  aggregatorWebhooksEnabled: setting(
    'COFFER_AGGREGATOR_WEBHOOKS_ENABLED',
    flag(false),
    'Let Plaid announce changes by webhooks; needs the domain',
  ),
  aggregatorLinkUrl: setting(
    'COFFER_AGGREGATOR_LINK_URL',
    address,
    'URL of the script of Plaid Link, of a simulator; unset: that of Plaid',
  ),
  billingEnabled: setting(
    'COFFER_BILLING_ENABLED',
    flag(false),
    'Enable billing through Stripe; without it every account is paid up',
  ),
  feedAllowedUrls: setting(
    'COFFER_FEED_ALLOWED_URLS',
    list,
    'Base URLs of the feed provider that feed links may use, separated by commas',
  ),
  proofOfWorkEnabled: setting(
    'COFFER_PROOF_OF_WORK_ENABLED',
    flag(false),
    'Require proof of work for sign-in, sign-up, mails and API keys',
  ),
  requestLimitPerSecond: setting(
    'COFFER_REQUEST_LIMIT_PER_SECOND',
    count(0),
    'Requests of a client address in a second; 0 for no limit',
  ),
  keyUnitsPerMinute: setting(
    'COFFER_KEY_UNITS_PER_MINUTE',
    budget,
    'Units that an API key may use in a minute (create 3, update 2, read 1); 0 for no limit',
  ),
  accountUnitsPerMinute: setting(
    'COFFER_ACCOUNT_UNITS_PER_MINUTE',
    budget,
    'Units that all keys and sessions of an account may use in a minute; 0 for no limit',
  ),
  signInLimitPerMinute: setting(
    'COFFER_SIGN_IN_LIMIT_PER_MINUTE',
    z.coerce.number().int().min(1).max(10_000).default(10),
    'Sign-ups and mails of a network, or failed sign-ins of an address or network, in a minute',
  ),
  socketsMax: setting('COFFER_SOCKETS_MAX', count(1000), 'Open WebSockets of a process'),
  release: setting(
    'COFFER_RELEASE',
    z.string().nullable().default(null),
    'Release in the answer of `/api/health`',
  ),
  revision: setting(
    'COFFER_REVISION',
    z.string().default(''),
    'Source revision in the answer of `/api/health`',
  ),
  buildTime: setting(
    'COFFER_BUILD_TIME',
    z.string().default(''),
    'Build time in the answer of `/api/health`',
  ),
}
