import { SettingsError, setting, type ValuesOf } from '@coffer/kit/config'
import { z } from 'zod'

/** The settings of identity. */
export const settings = {
  allowSignUp: setting(
    'COFFER_ALLOW_SIGN_UP',
    z.stringbool().default(false),
    'Whether anybody may register an account',
  ),
  signInLimitPerMinute: setting(
    'COFFER_SIGN_IN_LIMIT_PER_MINUTE',
    z.coerce.number().int().min(1).max(10_000).default(10),
    'Failed sign-ins per minute after which an email address is refused until the minute is over',
  ),
  sessionIdleDays: setting(
    'COFFER_SESSION_IDLE_DAYS',
    z.coerce.number().int().min(1).max(14).default(7),
    'Days without a request after which a session ends; every session ends after 14',
  ),
  passwordHashesAtOnce: setting(
    'COFFER_PASSWORD_HASHES_AT_ONCE',
    z.coerce.number().int().min(1).max(64).default(2),
    'Passwords hashed at the same time; each takes 19 MiB and some milliseconds of a core',
  ),
  externalUrl: setting(
    'COFFER_EXTERNAL_URL',
    z.union([z.literal(''), z.url({ protocol: /^https?$/ })]).default(''),
    'Address clients use; with https, cookies are Secure and HSTS is sent.',
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
    'What Stripe signs its messages to `/api/stripe/webhook` with',
  ),
  stripeTaxes: setting(
    'COFFER_STRIPE_TAXES_ENABLED',
    z.stringbool().default(false),
    'Whether Stripe works out taxes at checkout',
  ),
  stripeUrl: setting(
    'COFFER_STRIPE_URL',
    z.url({ protocol: /^https?$/ }).default('https://api.stripe.com'),
    'Address of the Stripe API',
  ),
}

/** Throws SettingsError, naming what billing lacks where it is on. */
export function requireBilling(config: ValuesOf<typeof settings>): void {
  if (!config.billed) return
  const { stripeKey, stripePrice, stripeWebhookSecret } = settings
  const missing = Object.entries({ stripeKey, stripePrice, stripeWebhookSecret }).flatMap(
    ([name, { env }]) => (config[name as 'stripeKey'] === '' ? [env] : []),
  )
  if (missing.length === 0) return
  throw new SettingsError(missing.map((env) => `${env}: needed with billing`).join('\n'))
}
