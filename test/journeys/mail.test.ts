import { type Coffer as Client, sessionOf } from '@coffer/client'
import { eventually } from '@coffer/host/testing/boot'
import { started } from '@coffer/host/testing/started'
import { disableLogin, expirePassword } from '@coffer/identity/accounts/operator.service'
import { newId } from '@coffer/kit/values/id'
import { afterEach, beforeAll, describe, expect, test } from '@jest/globals'
import { generateSync } from 'otplib'
import { sql } from 'slonik'
import { z } from 'zod'
import { startCoffer } from '../harness/coffer.ts'
import { submitMailedLink } from '../harness/mailed-page.ts'
import { call, clientOf, statusOf } from '../harness/person.ts'
import { type ReceivedMail, startMailSink, tokenIn } from '../providers/smtp.ts'

let visitor: Client

const sink = started(() => startMailSink())
const coffer = started(() =>
  startCoffer({
    COFFER_SMTP_URL: sink.url,
    COFFER_SMTP_TLS: 'none',
    COFFER_EXTERNAL_URL: 'https://money.example/app/',
    COFFER_EMAIL_VERIFICATION_ENABLED: 'true',
  }),
)

beforeAll(() => {
  visitor = clientOf(coffer.baseUrl)
})

afterEach(() => {
  coffer.booted.clock.now = null
})

const verifySubject = 'Verify your email address'
const resetSubject = 'Reset your password'
const changedSubject = 'Your password was changed'
const password = 'a long enough password'
const newPassword = 'another long password'

const login = (email: string, text = password) =>
  visitor.signIn({ body: { email, password: text } })
const verify = (token: string) => visitor.verifyEmail({ body: { token } })
const forgot = (email: string) => visitor.requestPasswordReset({ body: { email } })
const reset = (token: string, text = newPassword) =>
  visitor.resetPassword({ body: { token, password: text } })
const someAddress = () => `${newId('person').replace('_', '.')}@example.com`
const identity = () => coffer.booted.database('identity')

async function register(firstName = 'Pat', locale = 'en_US'): Promise<string> {
  const email = someAddress()
  const { data } = await visitor.registerAccount({ body: { email, password, firstName, locale } })
  expect(data).toEqual({ message: expect.any(String), requireVerification: true })
  return email
}

async function registerVerified(): Promise<string> {
  const email = await register()
  await verify(tokenIn(await sink.mailTo(email, verifySubject)))
  return email
}

const submit = (mail: ReceivedMail, filled = {}) =>
  submitMailedLink(mail, { baseUrl: coffer.baseUrl, external: 'https://money.example/app', filled })

const mailsWait = () => identity().pool.exists(sql.unsafe`SELECT FROM mails`)
const nothingWaits = () => eventually(mailsWait, (wait) => !wait)

describe('registration', () => {
  test('creates no session before the mailed link verifies the address', async () => {
    const email = someAddress()
    const body = { email, password, firstName: 'Pat' }
    const { data: registered, response } = await visitor.registerAccount({ body })
    expect(registered).toEqual({ message: expect.any(String), requireVerification: true })
    expect(response.headers.getSetCookie()).toEqual([])
    const refused = await login(email).catch((error) => error)
    expect(refused).toMatchObject({ status: 428, code: 'EMAIL_NOT_VERIFIED' })
    expect(refused.headers.getSetCookie()).toEqual([])
    await expect(login(email, 'a wrong long password')).rejects.toMatchObject({ status: 401 })

    const mail = await sink.mailTo(email, verifySubject)
    expect(mail.from).toBe('no-reply@money.example')
    const token = tokenIn(mail)
    expect(mail.text).toContain(`https://money.example/app/verify/email?token=${token}`)
    const { data: verified } = await verify(token)
    expect(verified).toEqual({ nextUrl: '/login', message: expect.any(String) })
    const signedIn = await login(email)
    expect(signedIn.data).toMatchObject({ isActive: true })
    const session = clientOf(coffer.baseUrl, { session: sessionOf(signedIn) })
    const { user } = (await session.getMe()).data
    expect(user.login).toMatchObject({
      isEmailVerified: true,
      emailVerifiedAt: expect.any(String),
    })
  })

  test('is welcomed by name once the address is verified; HTML escapes the name', async () => {
    const name = '<b>Pat & "Co"</b> https://elsewhere.example'
    const email = await register(name)
    const unverified = await sink.mailTo(email, verifySubject)
    expect(unverified.text).toMatch(/^Hello,\n/)
    expect(`${unverified.text} ${unverified.html}`).not.toMatch(/Pat|elsewhere/)
    await verify(tokenIn(unverified))
    await forgot(email)
    const { text, html } = await sink.mailTo(email, resetSubject)
    expect(text).toContain(`Hello ${name},`)
    expect(html).not.toContain('<b>Pat')
    expect(html).toContain('&lt;b&gt;Pat &amp; &quot;Co&quot;&lt;/b&gt;')
  })

  test('sends its mails in the language of the account', async () => {
    const email = await register('Pat', 'de_AT')
    const { text, html } = await sink.mailTo(email, 'Bestätige deine E-Mail-Adresse')
    expect(`${text}${html}`).toMatch(/^Hallo,\n.*<html lang="de">/s)
  })

  test('sends five mails to a mailbox in a quarter of an hour', async () => {
    const mailbox = newId('person').replace('_', '.')
    const address = (tag: number) => `${mailbox}+${tag}@example.com`
    const attempt = (tag: number) =>
      visitor.registerAccount({ body: { email: address(tag), password, firstName: 'Pat' } })
    for (const tag of [1, 2, 3, 4]) await attempt(tag)
    await visitor.resendVerificationMail({ body: { email: address(1) } })
    const limited = await attempt(5).catch((error) => error)
    expect([limited.status, limited.retryAfter > 800]).toEqual([429, true])
    await expect(login(address(5))).rejects.toMatchObject({ status: 401 })
  })

  test('is deleted unless it is verified within seven days', async () => {
    const due = sql.type(z.object({ days: z.number() }))`
      SELECT extract(day FROM verify_by - created_at)::int AS days FROM logins
      WHERE email IN (${await register()}, ${await registerVerified()}) AND verify_by IS NOT NULL`
    expect(await identity().pool.anyFirst(due)).toEqual([7])
  })

  test('is refused for an address in use, and sends no mail', async () => {
    const email = await registerVerified()
    const before = sink.mails.length
    const again = visitor.registerAccount({ body: { email, password, firstName: 'Eve' } })
    await expect(again).rejects.toMatchObject({ status: 428, code: 'EMAIL_IN_USE' })
    await nothingWaits()
    expect(sink.mails).toHaveLength(before)
  })

  test('is 503 and stores nothing while too many mails wait', async () => {
    const body = { email: `${newId('person')}@example.com`, password, firstName: 'Pat' }
    const { pool } = identity()
    await pool.query(sql.unsafe`
      INSERT INTO mails (mail_id, kind, email, created_at)
      SELECT 'mail_' || n, 'verify-email', 'a@example.com', now() FROM generate_series(1, 10000) n`)
    const impatient = clientOf(coffer.baseUrl, { attempts: 1 })
    const refused = await impatient.registerAccount({ body }).catch((error) => error)
    expect([refused.status, refused.retryAfter > 0]).toEqual([503, true])
    await pool.query(sql.unsafe`DELETE FROM mails WHERE email = 'a@example.com'`)
    await visitor.registerAccount({ body })
  })
})

describe('a link to verify', () => {
  test('works once, until it expires, and for its purpose alone', async () => {
    const email = await register()
    const token = tokenIn(await sink.mailTo(email, verifySubject))
    const bad = ['', 'nonsense', 'a'.repeat(52)]
    for (const wrong of bad) expect(await statusOf(verify(wrong))).toBe(400)
    expect(await statusOf(reset(token))).toBe(400)
    const issued = Date.now()
    coffer.booted.clock.now = new Date(issued + 1441 * 60_000)
    expect(await statusOf(verify(token))).toBe(400)
    coffer.booted.clock.now = null
    const all = await Promise.all([1, 2, 3].map(() => statusOf(verify(token))))
    expect(all.sort()).toEqual([200, 400, 400])
  })

  test('is sent again to unverified addresses alone', async () => {
    const email = await register()
    const verified = await registerVerified()
    await sink.mailTo(email, verifySubject)
    const unknown = someAddress()
    for (const one of [email.toUpperCase(), verified, unknown]) {
      const { data } = await visitor.resendVerificationMail({ body: { email: ` ${one} ` } })
      expect(data).toBeNull()
    }
    const again = await sink.mailTo(email, verifySubject, 2)
    await nothingWaits()
    const to = (address: string) => sink.mails.filter((mail) => mail.to === address).length
    expect([to(email), to(verified), to(unknown)]).toEqual([2, 1, 0])
    expect(await submit(again)).toEqual({ status: 200, heading: 'Your email address is verified' })
  })
})

describe('a forgotten password', () => {
  test.each(['requestPasswordReset' as const, 'requestPasswordResetByMail' as const])(
    '%s: it is set by the link in the mail',
    async (request) => {
      const email = await registerVerified()
      expect((await visitor[request]({ body: { email } })).data).toBeNull()
      const mail = await sink.mailTo(email, resetSubject)
      const token = tokenIn(mail)
      expect(mail.html).toContain(`https://money.example/app/password/reset?token=${token}`)
      expect(mail.text).toContain('for 10 minutes')
      expect(await statusOf(verify(token))).toBe(400)
      const filled = { token, password: newPassword, repeated: newPassword }
      if (request === 'requestPasswordReset') await reset(token)
      else expect(await submit(mail, filled)).toMatchObject({ status: 200 })
      expect(await statusOf(login(email))).toBe(401)
      expect(await statusOf(login(email, newPassword))).toBe(200)
      await sink.mailTo(email, changedSubject)
      expect(await statusOf(reset(token, password))).toBe(400)
    },
  )

  test('gets one answer for every address; only verified, enabled logins get mail', async () => {
    const [unverified, disabled] = [await register(), await registerVerified()]
    await disableLogin(identity(), disabled, new Date())
    const unknown = someAddress()
    for (const email of [unverified, disabled, unknown]) {
      expect((await forgot(email)).data).toBeNull()
    }
    await nothingWaits()
    expect(
      sink.mails.filter(({ subject, to }) => subject === resetSubject && to === unknown),
    ).toEqual([])
    const reset = sink.mails.filter(({ subject }) => subject === resetSubject).map(({ to }) => to)
    expect(reset).not.toContain(unverified)
    expect(reset).not.toContain(disabled)
  })

  test('can be requested five times in a quarter of an hour, known or not', async () => {
    for (const email of [await registerVerified(), someAddress()]) {
      for (const _ of [1, 2, 3, 4, 5]) await forgot(email)
      const limited = await forgot(email).catch((error) => error)
      expect([limited.status, limited.retryAfter > 800]).toEqual([429, true])
    }
  })

  test.each([[{}], [{ email: '' }], [{ email: 'pat' }], [{ email: 'a@example.com', nonce: 1 }]])(
    '%j is 400 and names the field',
    async (body) => {
      for (const path of ['forgot', 'verify/resend']) {
        const answer = await call(coffer.baseUrl, 'POST', `/authentication/${path}`, { body })
        expect(answer.status).toBe(400)
        expect(Object.keys(answer.body.problems)).toEqual([Object.keys(body).at(-1) ?? 'email'])
      }
    },
  )
})

test('the owner is told when an authenticator or its codes change', async () => {
  const email = await registerVerified()
  const session = clientOf(coffer.baseUrl, { session: sessionOf(await login(email)) })
  const { uri } = (await session.setUpTotp()).data
  const secret = new URL(uri).searchParams.get('secret') ?? ''
  await session.confirmTotp({ body: { totp: generateSync({ secret }) } })
  await sink.mailTo(email, 'An authenticator was enabled')
  const body = { currentPassword: password }
  await session.replaceRecoveryCodes({ body })
  await sink.mailTo(email, 'Your recovery codes were renewed')
  await session.disableTotp({ body })
  const { text } = await sink.mailTo(email, 'Your authenticator was disabled')
  expect(text).toContain('Hello Pat,')
  expect(text).not.toContain(secret)
})

test('an expired password is refused, and is changed by the token of the answer', async () => {
  const email = await registerVerified()
  await expirePassword(identity(), email)
  const owed = await login(email).catch((error) => error)
  expect(owed).toMatchObject({ status: 428, code: 'PASSWORD_CHANGE_REQUIRED' })
  expect(owed.headers.getSetCookie()).toEqual([])
  const { resetToken } = owed.body
  const began = Date.now()
  coffer.booted.clock.now = new Date(began + 6 * 60_000)
  expect(await statusOf(reset(resetToken))).toBe(400)
  coffer.booted.clock.now = null
  await reset(resetToken)
  expect(await statusOf(login(email, newPassword))).toBe(200)
})

describe('the mail server', () => {
  test('that is busy gets the mail once, later', async () => {
    const before = sink.refusals()
    sink.refuse(451, 2)
    const email = await register()
    const { messageId } = await sink.mailTo(email, verifySubject)
    expect(messageId).toMatch(/^<mail_[0-9a-z]{26}@money\.example>$/)
    expect(sink.refusals() - before).toBe(2)
    await nothingWaits()
    expect(sink.mails.filter(({ to }) => to === email)).toHaveLength(1)
  })

  test('that refuses a mail for good is not asked again', async () => {
    const before = sink.refusals()
    sink.refuse(550, 100)
    const email = await register()
    await nothingWaits()
    sink.refuse(0, 0)
    expect(sink.refusals() - before).toBe(1)
    expect(sink.mails.filter(({ to }) => to === email)).toEqual([])
  })
})
