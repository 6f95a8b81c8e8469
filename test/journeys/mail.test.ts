import { eventually } from '@coffer/host/testing/boot'
import { disableLogin, expirePassword } from '@coffer/identity/accounts/operator.service'
import { newId } from '@coffer/kit/values/id'
import { afterAll, afterEach, beforeAll, describe, expect, test } from '@jest/globals'
import { generateSync } from 'otplib'
import { sql } from 'slonik'
import { z } from 'zod'
import { type Coffer, startCoffer } from '../harness/coffer.ts'
import { submitMailedLink } from '../harness/mailed-page.ts'
import { call } from '../harness/person.ts'
import { type MailSink, type ReceivedMail, startMailSink, tokenIn } from '../providers/smtp.ts'

let coffer: Coffer
let sink: MailSink

beforeAll(async () => {
  sink = await startMailSink()
  coffer = await startCoffer({
    COFFER_SMTP_URL: sink.url,
    COFFER_SMTP_TLS: 'none',
    COFFER_EXTERNAL_URL: 'https://money.example/app/',
    COFFER_EMAIL_VERIFICATION_ENABLED: 'true',
  })
})

afterEach(() => {
  coffer.booted.clock.now = null
})

afterAll(async () => {
  await coffer[Symbol.asyncDispose]()
  await sink[Symbol.asyncDispose]()
})

const verifySubject = 'Verify your email address'
const resetSubject = 'Reset your password'
const changedSubject = 'Your password was changed'
const password = 'a long enough password'
const newPassword = 'another long password'

const post = (path: string, body: unknown) =>
  call(coffer.baseUrl, 'POST', `/authentication/${path}`, { body })
const login = (email: string, text = password) => post('login', { email, password: text })
const identity = () => coffer.booted.database('identity')

async function register(firstName = 'Pat'): Promise<string> {
  const email = `${newId('person').replace('_', '.')}@example.com`
  const answer = await post('register', { email, password, firstName })
  expect(answer).toMatchObject({ status: 200, body: { requireVerification: true } })
  return email
}

async function registerVerified(): Promise<string> {
  const email = await register()
  const token = tokenIn(await sink.mailTo(email, verifySubject))
  expect(await post('verify', { token })).toMatchObject({ status: 200 })
  return email
}

const submit = (mail: ReceivedMail, filled = {}) =>
  submitMailedLink(mail, { baseUrl: coffer.baseUrl, external: 'https://money.example/app', filled })

const mailsWait = () => identity().pool.exists(sql.unsafe`SELECT FROM mails`)
const nothingWaits = () => eventually(mailsWait, (wait) => !wait)

describe('registration', () => {
  test('creates no session before the mailed link verifies the address', async () => {
    const email = `${newId('person').replace('_', '.')}@example.com`
    const registered = await post('register', { email, password, firstName: 'Pat' })
    expect(registered.body).toEqual({ message: expect.any(String), requireVerification: true })
    expect(registered.headers.getSetCookie()).toEqual([])
    const refusedLogin = await login(email)
    expect(refusedLogin).toMatchObject({ status: 428, body: { code: 'EMAIL_NOT_VERIFIED' } })
    expect(refusedLogin.headers.getSetCookie()).toEqual([])
    expect(await login(email, 'a wrong long password')).toMatchObject({ status: 401 })

    const mail = await sink.mailTo(email, verifySubject)
    expect(mail.from).toBe('no-reply@money.example')
    const token = tokenIn(mail)
    expect(mail.text).toContain(`https://money.example/app/verify/email?token=${token}`)
    expect(await post('verify', { token })).toMatchObject({
      body: { nextUrl: '/login', message: expect.any(String) },
    })
    const signedIn = await login(email)
    expect(signedIn).toMatchObject({ status: 200, body: { isActive: true } })
    const cookie = signedIn.headers
      .getSetCookie()
      .map((one) => one.split(';')[0])
      .join('; ')
    const me = await call(coffer.baseUrl, 'GET', '/users/me', { headers: { cookie } })
    expect(me.body.user.login).toMatchObject({
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
    await post('verify', { token: tokenIn(unverified) })
    await post('forgot', { email })
    const { text, html } = await sink.mailTo(email, resetSubject)
    expect(text).toContain(`Hello ${name},`)
    expect(html).not.toContain('<b>Pat')
    expect(html).toContain('&lt;b&gt;Pat &amp; &quot;Co&quot;&lt;/b&gt;')
  })

  test('sends five mails to a mailbox in a quarter of an hour', async () => {
    const mailbox = newId('person').replace('_', '.')
    const address = (tag: number) => `${mailbox}+${tag}@example.com`
    const attempt = (tag: number) =>
      post('register', { email: address(tag), password, firstName: 'Pat' })
    for (const tag of [1, 2, 3, 4]) expect((await attempt(tag)).status).toBe(200)
    expect((await post('verify/resend', { email: address(1) })).status).toBe(200)
    const limited = await attempt(5)
    expect([limited.status, Number(limited.headers.get('retry-after')) > 800]).toEqual([429, true])
    expect((await login(address(5))).status).toBe(401)
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
    expect(await post('register', { email, password, firstName: 'Eve' })).toMatchObject({
      status: 428,
      body: { code: 'EMAIL_IN_USE' },
    })
    await nothingWaits()
    expect(sink.mails).toHaveLength(before)
  })

  test('is 503 and stores nothing while too many mails wait', async () => {
    const body = { email: `${newId('person')}@example.com`, password, firstName: 'Pat' }
    const { pool } = identity()
    await pool.query(sql.unsafe`
      INSERT INTO mails (mail_id, kind, email, created_at)
      SELECT 'mail_' || n, 'verify-email', 'a@example.com', now() FROM generate_series(1, 10000) n`)
    const refused = await post('register', body)
    expect([refused.status, Number(refused.headers.get('retry-after')) > 0]).toEqual([503, true])
    await pool.query(sql.unsafe`DELETE FROM mails WHERE email = 'a@example.com'`)
    expect((await post('register', body)).status).toBe(200)
  })
})

describe('a link to verify', () => {
  test('works once, until it expires, and for its purpose alone', async () => {
    const email = await register()
    const token = tokenIn(await sink.mailTo(email, verifySubject))
    const bad = ['', 'nonsense', 'a'.repeat(52)]
    for (const wrong of bad) expect((await post('verify', { token: wrong })).status).toBe(400)
    expect((await post('reset', { token, password: newPassword })).status).toBe(400)
    const issued = Date.now()
    coffer.booted.clock.now = new Date(issued + 1441 * 60_000)
    expect((await post('verify', { token })).status).toBe(400)
    coffer.booted.clock.now = null
    const all = await Promise.all([1, 2, 3].map(() => post('verify', { token })))
    expect(all.map(({ status }) => status).sort()).toEqual([200, 400, 400])
  })

  test('is sent again to unverified addresses alone', async () => {
    const email = await register()
    const verified = await registerVerified()
    await sink.mailTo(email, verifySubject)
    const unknown = `${newId('unknown').replace('_', '.')}@example.com`
    const answers = []
    for (const one of [email.toUpperCase(), verified, unknown]) {
      answers.push(await post('verify/resend', { email: ` ${one} ` }))
    }
    for (const { status, body } of answers) expect([status, body]).toEqual([200, null])
    const again = await sink.mailTo(email, verifySubject, 2)
    await nothingWaits()
    const to = (address: string) => sink.mails.filter((mail) => mail.to === address).length
    expect([to(email), to(verified), to(unknown)]).toEqual([2, 1, 0])
    expect(await submit(again)).toEqual({ status: 200, heading: 'Your email address is verified' })
  })
})

describe('a forgotten password', () => {
  test.each(['forgot', 'forgotPassword'])('%s is set by the link in the mail', async (path) => {
    const email = await registerVerified()
    expect(await post(path, { email })).toMatchObject({ status: 200, body: null })
    const mail = await sink.mailTo(email, resetSubject)
    const token = tokenIn(mail)
    expect(mail.html).toContain(`https://money.example/app/password/reset?token=${token}`)
    expect(mail.text).toContain('for 10 minutes')
    expect((await post('verify', { token })).status).toBe(400)
    const body = { token, password: newPassword }
    const filled = { ...body, repeated: newPassword }
    const done = path === 'forgot' ? await post('reset', body) : await submit(mail, filled)
    expect(done.status).toBe(200)
    expect((await login(email)).status).toBe(401)
    expect((await login(email, newPassword)).status).toBe(200)
    await sink.mailTo(email, changedSubject)
    expect((await post('reset', { token, password })).status).toBe(400)
  })

  test('gets one answer for every address; only verified, enabled logins get mail', async () => {
    const [unverified, disabled] = [await register(), await registerVerified()]
    await disableLogin(identity(), disabled, new Date())
    const unknown = `${newId('unknown').replace('_', '.')}@example.com`
    for (const email of [unverified, disabled, unknown]) {
      expect(await post('forgot', { email })).toMatchObject({ status: 200, body: null })
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
    const unknown = `${newId('unknown').replace('_', '.')}@example.com`
    for (const email of [await registerVerified(), unknown]) {
      for (const _ of [1, 2, 3, 4, 5]) expect((await post('forgot', { email })).status).toBe(200)
      const limited = await post('forgot', { email })
      expect(limited.status).toBe(429)
      expect(Number(limited.headers.get('retry-after'))).toBeGreaterThan(800)
    }
  })

  test.each([[{}], [{ email: '' }], [{ email: 'pat' }], [{ email: 'a@example.com', nonce: 1 }]])(
    '%j is 400 and names the field',
    async (body) => {
      for (const path of ['forgot', 'verify/resend']) {
        const answer = await post(path, body)
        expect(answer.status).toBe(400)
        expect(Object.keys(answer.body.problems)).toEqual([Object.keys(body).at(-1) ?? 'email'])
      }
    },
  )
})

test('the owner is told when an authenticator or its codes change', async () => {
  const email = await registerVerified()
  const signedIn = await login(email)
  const [cookie = ''] = signedIn.headers.getSetCookie()[0]?.split(';') ?? []
  const totp = (step: string, body?: object) =>
    call(coffer.baseUrl, 'POST', `/users/security/totp/${step}`, { headers: { cookie }, body })
  const { uri } = (await totp('setup')).body
  const secret = new URL(uri).searchParams.get('secret') ?? ''
  expect((await totp('confirm', { totp: generateSync({ secret }) })).status).toBe(200)
  await sink.mailTo(email, 'An authenticator was enabled')
  const proof = { currentPassword: password }
  expect((await totp('recovery_codes', proof)).status).toBe(200)
  await sink.mailTo(email, 'Your recovery codes were renewed')
  expect((await totp('disable', proof)).status).toBe(200)
  const { text } = await sink.mailTo(email, 'Your authenticator was disabled')
  expect(text).toContain('Hello Pat,')
  expect(text).not.toContain(secret)
})

test('an expired password is refused, and is changed by the token of the answer', async () => {
  const email = await registerVerified()
  await expirePassword(identity(), email)
  const owed = await login(email)
  expect(owed).toMatchObject({ status: 428, body: { code: 'PASSWORD_CHANGE_REQUIRED' } })
  expect(owed.headers.getSetCookie()).toEqual([])
  const { resetToken } = owed.body
  const began = Date.now()
  coffer.booted.clock.now = new Date(began + 6 * 60_000)
  expect((await post('reset', { token: resetToken, password: newPassword })).status).toBe(400)
  coffer.booted.clock.now = null
  expect((await post('reset', { token: resetToken, password: newPassword })).status).toBe(200)
  expect((await login(email, newPassword)).status).toBe(200)
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
