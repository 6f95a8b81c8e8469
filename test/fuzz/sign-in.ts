import { randomBytes } from 'node:crypto'
import { findLogin } from '@coffer/identity/book/login.sql'
import { createMailedLink } from '@coffer/identity/mail/mailed-link'
import { insertMailedLink, type MailedLinkPurpose } from '@coffer/identity/mail/mailed-link.sql'
import { newId } from '@coffer/kit/values/id'
import { generateSync } from 'otplib'
import { type Coffer, startCoffer } from '../harness/coffer.ts'
import { call, cookieOf, newPerson, type Person } from '../harness/person.ts'
import { startPlaid } from '../providers/plaid/plaid.ts'
import { startMailSink } from '../providers/smtp.ts'
import { type StripeSimulator, startStripe } from '../providers/stripe.ts'
import type { Knowledge } from './requests.ts'

const password = 'a long enough password'
const stepMs = 30_000

/** A running Coffer with all features of sign-in and billing, and with the aggregator. */
export interface SignIn extends AsyncDisposable {
  coffer: Coffer
  /** Key with which Stripe signs webhook messages. */
  webhookSecret: string
  /** Registers a person and verifies the email address. */
  person: () => Promise<Person>
  /**
   * Creates tokens, codes and checkouts, with which random requests pass the first checks of
   * sign-in, second factor, mailed links and billing. No answer may contain `secrets`.
   */
  knowledge: (person: Person) => Promise<Knowledge & { secrets: string[] }>
}

/** Starts Coffer with simulated servers for mail, payments and bank data. */
export async function startSignIn(): Promise<SignIn> {
  await using opening = new AsyncDisposableStack()
  const stripe = opening.use(await startStripe())
  const sink = opening.use(await startMailSink())
  const plaid = opening.use(await startPlaid())
  const coffer = opening.use(
    await startCoffer({
      ...stripe.settings,
      COFFER_SMTP_URL: sink.url,
      COFFER_SMTP_TLS: 'none',
      COFFER_EMAIL_VERIFICATION_ENABLED: 'true',
      COFFER_SIGN_IN_LIMIT_PER_MINUTE: '10000',
      COFFER_AGGREGATOR_ENABLED: 'true',
      COFFER_AGGREGATOR_CLIENT_ID: plaid.clientId,
      COFFER_AGGREGATOR_CLIENT_SECRET: plaid.secret,
      COFFER_AGGREGATOR_URL: plaid.url,
      COFFER_AGGREGATOR_WEBHOOKS_ENABLED: 'true',
      COFFER_AGGREGATOR_WEBHOOKS_DOMAIN: 'coffer.example',
    }),
  )
  const { baseUrl } = coffer
  const person = () =>
    newPerson(baseUrl, {
      verify: async (email) => {
        const token = await tokenFor(coffer, email, 'verify')
        await call(baseUrl, 'POST', '/authentication/verify', { body: { token } })
      },
    })
  const opened = opening.move()
  return {
    coffer,
    webhookSecret: stripe.settings.COFFER_STRIPE_WEBHOOK_SECRET ?? '',
    person,
    knowledge: async (known) => {
      const [guarded, tokens, checkouts] = await Promise.all([
        factorsOf(baseUrl, await person()),
        tokensOf(coffer, await person()),
        checkoutsOf(known, stripe),
      ])
      return {
        credentials: guarded.cookies.map((cookie) => ({ cookie })),
        known: {
          totp: [...guarded.codes, '000000'],
          token: [...tokens, 'a'.repeat(52)],
          checkoutSessionId: [...checkouts, `cs_${newId('x')}`],
          cancelPath: ['/settings/billing', null],
        },
        secrets: [...tokens, guarded.seed],
      }
    },
    [Symbol.asyncDispose]: () => opened.disposeAsync(),
  }
}

/**
 * Enables an authenticator app. Returns a signed-in session, a session that still requires a code,
 * and valid codes.
 */
async function factorsOf(baseUrl: string, { email, cookie, ...person }: Person) {
  const asSession = { asSession: true }
  const { body } = await person.call('POST', '/users/security/totp/setup', asSession)
  const seed = new URL(body.uri).searchParams.get('secret') ?? ''
  const codeIn = (ms: number) =>
    generateSync({ secret: seed, epoch: Math.floor((Date.now() + ms) / 1000) })
  const confirmation = { ...asSession, body: { totp: codeIn(0) } }
  await person.call('POST', '/users/security/totp/confirm', confirmation)
  const credentials = { body: { email, password: person.password } }
  const owing = await call(baseUrl, 'POST', '/authentication/login', credentials)
  const codes = [codeIn(stepMs), ...body.recoveryCodes.slice(0, 3)]
  return { cookies: [cookie, cookieOf(owing)], codes, seed }
}

/** Returns the tokens of two mailed links: one verifies an address, one resets a password. */
async function tokensOf(coffer: Coffer, { email }: Person): Promise<string[]> {
  const fresh = `${newId('person')}@example.com`
  const registration = { email: fresh, password, firstName: 'Pat' }
  await call(coffer.baseUrl, 'POST', '/authentication/register', { body: registration })
  return [await tokenFor(coffer, fresh, 'verify'), await tokenFor(coffer, email, 'reset')]
}

/** Inserts the token of a mailed link into the database, which is faster than to send the mail. */
async function tokenFor(
  { booted }: Coffer,
  email: string,
  purpose: MailedLinkPurpose,
): Promise<string> {
  const database = booted.database('identity')
  const login = await findLogin(database, email)
  if (!login) throw new Error(`no login has ${email}`)
  const { token, ...stored } = createMailedLink(randomBytes(32), { now: new Date(), minutes: 10 })
  await insertMailedLink(database.pool, login.loginId, { ...stored, purpose, unlocksCodes: true })
  return token
}

/** Creates two Stripe checkouts and pays one of them. Returns their session IDs. */
async function checkoutsOf(person: Person, stripe: StripeSimulator): Promise<string[]> {
  const asSession = { asSession: true }
  const checkout = async () =>
    (await person.call('POST', '/billing/create_checkout', asSession)).body.sessionId
  const [open, paid] = [await checkout(), await checkout()]
  stripe.pay(paid)
  return [open, paid]
}
