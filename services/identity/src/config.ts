import {
  accountBound,
  httpUrl,
  SettingsError,
  setting,
  type ValuesOf,
} from '@coffer/kit/service/config'
import { z } from 'zod'

const flag = (fallback: boolean) => z.stringbool().default(fallback)

const whole = ({ min, max, fallback }: { min: number; max: number; fallback: number }) =>
  z.coerce.number().int().min(min).max(max).default(fallback)

const orNone = (url: z.ZodType<string>) => z.union([z.literal(''), url]).default('')
const smtpUrl = z.url({ protocol: /^smtps?$/, error: 'must be an smtp or smtps URL' })

/** Settings of identity: variable, rule and default, and the text of the README's table. */
export const settings = {
  apiKeysMax: setting('COFFER_API_KEYS_MAX', accountBound(100), 'API keys an account may have'),
  allowSignUp: setting(
    'COFFER_ALLOW_SIGN_UP',
    flag(false),
    'Whether anybody may register an account',
  ),
  signInLimitPerMinute: setting(
    'COFFER_SIGN_IN_LIMIT_PER_MINUTE',
    whole({ min: 1, max: 10_000, fallback: 10 }),
    'Failed sign-ins per minute after which an email address is refused until the minute is over',
  ),
  sessionIdleDays: setting(
    'COFFER_SESSION_IDLE_DAYS',
    whole({ min: 1, max: 14, fallback: 7 }),
    'Days without a request after which a session ends; every session ends after 14',
  ),
  passwordHashesAtOnce: setting(
    'COFFER_PASSWORD_HASHES_AT_ONCE',
    whole({ min: 1, max: 64, fallback: 2 }),
    'Passwords hashed at the same time; each takes 19 MiB and some milliseconds of a core',
  ),
  externalUrl: setting(
    'COFFER_EXTERNAL_URL',
    orNone(httpUrl),
    'Address clients use; with https, cookies are Secure and HSTS is sent.',
  ),
  port: setting(
    'COFFER_PORT',
    whole({ min: 1, max: 65_535, fallback: 4000 }),
    'Port of the REST API',
  ),
  smtpUrl: setting(
    'COFFER_SMTP_URL',
    orNone(smtpUrl),
    'Server that takes mails, `smtp://name:password@host:587`, or smtps; none sends no mails',
  ),
  smtpTls: setting(
    'COFFER_SMTP_TLS',
    z.enum(['required', 'none']).default('required'),
    'Whether mails are handed over encrypted; `none` is for a server on the same machine',
  ),
  mailFrom: setting(
    'COFFER_MAIL_FROM',
    z.union([z.literal(''), z.email()]).default(''),
    'Address that mails come from; no-reply at the host of `COFFER_EXTERNAL_URL` where not set',
  ),
  emailVerificationEnabled: setting(
    'COFFER_EMAIL_VERIFICATION_ENABLED',
    flag(false),
    'Whether a registration has to verify its email address first; needs mail',
  ),
  forgotPasswordEnabled: setting(
    'COFFER_FORGOT_PASSWORD_ENABLED',
    flag(true),
    'Whether a forgotten password can be reset by a mailed link; needs mail',
  ),
  verifyLinkMinutes: setting(
    'COFFER_VERIFY_LINK_MINUTES',
    whole({ min: 1, max: 10_080, fallback: 1440 }),
    'How long a mailed link verifies an email address',
  ),
  resetLinkMinutes: setting(
    'COFFER_RESET_LINK_MINUTES',
    whole({ min: 1, max: 1440, fallback: 10 }),
    'How long a mailed link sets a new password',
  ),
  betaCodesEnabled: setting(
    'COFFER_BETA_CODES_ENABLED',
    flag(false),
    'Whether registering takes a code of `coffer beta:new-code`',
  ),
  blockedDomains: setting(
    'COFFER_EMAIL_BLOCKED_DOMAINS',
    z
      .string()
      .default('')
      .transform((text) => text.split(',').flatMap((one) => one.trim().toLowerCase() || [])),
    'Domains whose addresses cannot register; the answer is that of an address in use (comma list)',
  ),
  proofOfWorkEnabled: setting(
    'COFFER_PROOF_OF_WORK_ENABLED',
    flag(false),
    'Whether sign-in, sign-up, mails and API keys cost the client some work',
  ),
  proofOfWorkDifficulty: setting(
    'COFFER_PROOF_OF_WORK_DIFFICULTY',
    whole({ min: 0, max: 32, fallback: 16 }),
    'Leading zero bits of a solution: each doubles the work',
  ),
  proofOfWorkSeconds: setting(
    'COFFER_PROOF_OF_WORK_SECONDS',
    whole({ min: 10, max: 3600, fallback: 300 }),
    'How long a challenge may be solved',
  ),
  billed: setting(
    'COFFER_BILLING_ENABLED',
    z.stringbool().default(false),
    'Billing through Stripe: without it every account is paid up',
  ),
  trialDays: setting(
    'COFFER_BILLING_TRIAL_DAYS',
    z.coerce.number().int().min(0).max(3650).default(30),
    'Days that a new account needs no subscription',
  ),
  stripeKey: setting(
    'COFFER_STRIPE_API_KEY',
    z.string().default(''),
    'Secret key of Stripe; needed with billing, as are the price and the webhook secret',
  ),
  stripePrice: setting(
    'COFFER_STRIPE_PRICE_ID',
    z.string().default(''),
    'The recurring price at Stripe that is sold',
  ),
  stripeWebhookSecret: setting(
    'COFFER_STRIPE_WEBHOOK_SECRET',
    z.string().default(''),
    'Secret by which Stripe signs webhooks to `/api/stripe/webhook`',
  ),
  stripeTaxes: setting(
    'COFFER_STRIPE_TAXES_ENABLED',
    z.stringbool().default(false),
    'Whether Stripe works out taxes at checkout',
  ),
  stripeUrl: setting(
    'COFFER_STRIPE_URL',
    httpUrl.default('https://api.stripe.com'),
    'Address of the Stripe API',
  ),
}

/** Throws SettingsError, one line per missing setting, where billing is on without its settings. */
export function requireBillingSettings(config: ValuesOf<typeof settings>): void {
  if (!config.billed) return
  const { stripeKey, stripePrice, stripeWebhookSecret } = settings
  const missing = Object.entries({ stripeKey, stripePrice, stripeWebhookSecret }).flatMap(
    ([name, { env }]) => (config[name as 'stripeKey'] === '' ? [env] : []),
  )
  if (missing.length === 0) return
  throw new SettingsError(missing.map((env) => `${env}: needed with billing`).join('\n'))
}
