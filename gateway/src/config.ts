import { isIP } from 'node:net'
import { httpUrl, setting } from '@coffer/kit/service/config'
import { z } from 'zod'

const flag = (fallback: boolean) => z.stringbool().default(fallback)

const count = (fallback: number) => z.coerce.number().int().min(0).default(fallback)

const list = z
  .string()
  .default('')
  .transform((text) => text.split(',').flatMap((item) => item.trim() || []))

const address = z.union([z.literal(''), httpUrl]).default('')

function isNetwork(text: string): boolean {
  const [address = '', bits = '0', ...rest] = text.split('/')
  return isIP(address) > 0 && /^\d{1,3}$/.test(bits) && Number(bits) <= 128 && rest.length === 0
}

function isOrigin(text: string): boolean {
  return URL.canParse(text) && /^https?:/.test(text) && new URL(text).origin === text
}

/** Settings of the gateway: each with its environment variable, rule, default and help text. */
export const settings = {
  externalUrl: setting(
    'COFFER_EXTERNAL_URL',
    address,
    'Address clients use; with https, cookies are Secure and HSTS is sent.',
  ),
  cookieName: setting(
    'COFFER_COOKIE_NAME',
    z
      .string()
      .regex(/^[\w-]+$/, 'must have letters, digits, - and _ only')
      .default('coffer_session'),
    'Name of the session cookie.',
  ),
  allowedOrigins: setting(
    'COFFER_ALLOWED_ORIGINS',
    list.refine((all) => all.every(isOrigin), 'must be origins (https://app.example.com)'),
    'Origins besides the own whose pages may use sessions: CORS, writes, sockets (comma list).',
  ),
  trustedProxies: setting(
    'COFFER_TRUSTED_PROXIES',
    list.refine((all) => all.every(isNetwork), 'must be IP addresses or networks (10.0.0.0/8)'),
    'Proxies (addresses, networks) whose X-Forwarded-* is believed; others count as one client.',
  ),
  uploadsEnabled: setting('COFFER_UPLOADS_ENABLED', flag(false), 'Upload of transaction files.'),
  feedEnabled: setting('COFFER_FEED_ENABLED', flag(false), 'The feed provider integration.'),
  billingEnabled: setting(
    'COFFER_BILLING_ENABLED',
    flag(false),
    'Billing through Stripe: without it every account is paid up',
  ),
  feedAllowedUrls: setting(
    'COFFER_FEED_ALLOWED_URLS',
    list,
    'Base URLs of feed provider instances that feed links may use, separated by commas.',
  ),
  proofOfWorkEnabled: setting(
    'COFFER_PROOF_OF_WORK_ENABLED',
    flag(false),
    'Whether sign-in, sign-up, mails and API keys cost the client some work',
  ),
  requestLimitPerSecond: setting(
    'COFFER_REQUEST_LIMIT_PER_SECOND',
    count(0),
    'Requests each client address may make in a second; 0 is no limit.',
  ),
  signInLimitPerMinute: setting(
    'COFFER_SIGN_IN_LIMIT_PER_MINUTE',
    z.coerce.number().int().min(1).max(10_000).default(10),
    'Sign-ups, requests for mails and refused sign-ins, after which an address waits a minute.',
  ),
  socketsMax: setting(
    'COFFER_SOCKETS_MAX',
    count(1000),
    'Sockets this process keeps open at a time.',
  ),
  release: setting(
    'COFFER_RELEASE',
    z.string().nullable().default(null),
    'Release the health endpoint reports.',
  ),
  revision: setting(
    'COFFER_REVISION',
    z.string().default(''),
    'Source revision the health endpoint reports.',
  ),
  buildTime: setting(
    'COFFER_BUILD_TIME',
    z.string().default(''),
    'Build time the health endpoint reports.',
  ),
}
