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

/** Settings of identity: each with its environment variable, rule, default and help text. */
export const settings = {
  apiKeysMax: setting('COFFER_API_KEYS_MAX', accountBound(100), 'API keys of an account'),
  allowSignUp: setting('COFFER_ALLOW_SIGN_UP', flag(false), 'Allow registration of new accounts'),
  signInLimitPerMinute: setting(
    'COFFER_SIGN_IN_LIMIT_PER_MINUTE',
    whole({ min: 1, max: 10_000, fallback: 10 }),
    'Sign-ups and mails of a network, or failed sign-ins of an address or network, in a minute',
  ),
  sessionIdleDays: setting(
    'COFFER_SESSION_IDLE_DAYS',
    whole({ min: 1, max: 14, fallback: 7 }),
    'Idle timeout of sessions, in days; every session ends after 14',
  ),
  passwordHashesAtOnce: setting(
    'COFFER_PASSWORD_HASHES_AT_ONCE',
    whole({ min: 1, max: 64, fallback: 2 }),
    'Concurrent password hashes; each takes 19 MiB and some milliseconds of a core',
  ),
  externalUrl: setting(
    'COFFER_EXTERNAL_URL',
    orNone(httpUrl),
    'Address that clients use; https makes cookies Secure and sends HSTS',
  ),
  port: setting(
    'COFFER_PORT',
    whole({ min: 1, max: 65_535, fallback: 4000 }),
    'Port of the REST API',
  ),
  smtpUrl: setting(
    'COFFER_SMTP_URL',
    orNone(smtpUrl),
    'SMTP server, `smtp://name:password@host:587` or `smtps://…`; without it no mail is sent',
  ),
  smtpTls: setting(
    'COFFER_SMTP_TLS',
    z.enum(['required', 'none']).default('required'),
    'TLS to the SMTP server; `none` only for a server on the same machine',
  ),
  mailFrom: setting(
    'COFFER_MAIL_FROM',
    z.union([z.literal(''), z.email()]).default(''),
    'From address of mails; by default no-reply at the host of `COFFER_EXTERNAL_URL`',
  ),
  emailVerificationEnabled: setting(
    'COFFER_EMAIL_VERIFICATION_ENABLED',
    flag(false),
    'Require verification of the email address before the first sign-in; needs SMTP',
  ),
  forgotPasswordEnabled: setting(
    'COFFER_FORGOT_PASSWORD_ENABLED',
    flag(true),
    'Enable password reset by a mailed link; needs SMTP',
  ),
  verifyLinkMinutes: setting(
    'COFFER_VERIFY_LINK_MINUTES',
    whole({ min: 1, max: 10_080, fallback: 1440 }),
    'Lifetime of verification links, in minutes',
  ),
  resetLinkMinutes: setting(
    'COFFER_RESET_LINK_MINUTES',
    whole({ min: 1, max: 1440, fallback: 10 }),
    'Lifetime of reset links, in minutes',
  ),
  betaCodesEnabled: setting(
    'COFFER_BETA_CODES_ENABLED',
    flag(false),
    'Require a code of `coffer beta:new-code` for registration',
  ),
  blockedDomains: setting(
    'COFFER_EMAIL_BLOCKED_DOMAINS',
    z
      .string()
      .default('')
      .transform((text) => text.split(',').flatMap((one) => one.trim().toLowerCase() || [])),
    'Email domains that cannot register, separated by commas; answered as an address in use',
  ),
  proofOfWorkEnabled: setting(
    'COFFER_PROOF_OF_WORK_ENABLED',
    flag(false),
    'Require proof of work for sign-in, sign-up, mails and API keys',
  ),
  proofOfWorkDifficulty: setting(
    'COFFER_PROOF_OF_WORK_DIFFICULTY',
    whole({ min: 0, max: 32, fallback: 16 }),
    'Leading zero bits of a proof of work; each doubles the work',
  ),
  proofOfWorkSeconds: setting(
    'COFFER_PROOF_OF_WORK_SECONDS',
    whole({ min: 10, max: 3600, fallback: 300 }),
    'Lifetime of proof-of-work challenges, in seconds',
  ),
  billed: setting(
    'COFFER_BILLING_ENABLED',
    flag(false),
    'Enable billing through Stripe; without it every account is paid up',
  ),
  trialDays: setting(
    'COFFER_BILLING_TRIAL_DAYS',
    whole({ min: 0, max: 3650, fallback: 30 }),
    'Trial of a new account, in days',
  ),
  stripeKey: setting(
    'COFFER_STRIPE_API_KEY',
    z.string().default(''),
    'Secret key of Stripe; required with billing, like the price and the webhook secret',
  ),
  stripePrice: setting(
    'COFFER_STRIPE_PRICE_ID',
    z.string().default(''),
    'ID of the recurring price at Stripe',
  ),
  stripeWebhookSecret: setting(
    'COFFER_STRIPE_WEBHOOK_SECRET',
    z.string().default(''),
    'Secret that verifies the webhooks to `/api/stripe/webhook`',
  ),
  stripeTaxes: setting(
    'COFFER_STRIPE_TAXES_ENABLED',
    flag(false),
    'Let Stripe calculate taxes at checkout',
  ),
  stripeUrl: setting(
    'COFFER_STRIPE_URL',
    httpUrl.default('https://api.stripe.com'),
    'Address of the Stripe API',
  ),
}

/** Throws SettingsError, naming each missing setting, if billing is on without its settings. */
export function requireBillingSettings(config: ValuesOf<typeof settings>): void {
  if (!config.billed) return
  const { stripeKey, stripePrice, stripeWebhookSecret } = settings
  const missing = Object.entries({ stripeKey, stripePrice, stripeWebhookSecret }).flatMap(
    ([name, { env }]) => (config[name as 'stripeKey'] === '' ? [env] : []),
  )
  if (missing.length === 0) return
  throw new SettingsError(missing.map((env) => `${env}: needed with billing`).join('\n'))
}
