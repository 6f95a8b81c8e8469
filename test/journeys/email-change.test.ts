import { newId } from '@coffer/kit/values/id'
import { afterAll, beforeAll, expect, test } from '@jest/globals'
import { type Coffer, startCoffer } from '../harness/coffer.ts'
import { type Answer, call, type Json } from '../harness/person.ts'
import { type MailSink, startMailSink, tokenIn } from '../providers/smtp.ts'

const currentPassword = 'a long enough password'
const verifySubject = 'Verify your email address'
const newSubject = 'Verify your new email address'

let coffer: Coffer
let sink: MailSink

beforeAll(async () => {
  sink = await startMailSink()
  coffer = await startCoffer({
    COFFER_SMTP_URL: sink.url,
    COFFER_SMTP_TLS: 'none',
    COFFER_SIGN_IN_LIMIT_PER_MINUTE: '10000',
    COFFER_EMAIL_VERIFICATION_ENABLED: 'true',
  })
})

afterAll(async () => {
  await coffer[Symbol.asyncDispose]()
  await sink[Symbol.asyncDispose]()
})

function newAddress(): string {
  return `${newId('person').replace('_', '.')}@example.com`
}

function post(path: string, body: object): Promise<Answer> {
  return call(coffer.baseUrl, 'POST', `/authentication/${path}`, { body })
}

const login = (email: string) => post('login', { email, password: currentPassword })

/** Registers a person and verifies the address; returns functions of the session. */
async function signedUp() {
  const email = newAddress()
  await post('register', { email, password: currentPassword, firstName: 'Pat' })
  await post('verify', { token: tokenIn(await sink.mailTo(email, verifySubject)) })
  const cookie = (await login(email)).headers.getSetCookie()[0]?.split(';')[0] ?? ''
  const send = (method: string, body?: object) =>
    call(coffer.baseUrl, method, '/users/me', { headers: { cookie }, body })
  const change = (to: string) => send('PATCH', { email: to, currentPassword })
  const shown = async (): Promise<Json> => (await send('GET')).body.user.login
  return { email, change, shown }
}

test('a new address is valid once its mailed link is used; the former one is told', async () => {
  const { email, change, shown } = await signedUp()
  const to = newAddress()
  const asked = await change(to)
  expect([asked.status, asked.body.login]).toMatchObject([200, { email, pendingEmail: to }])
  const mail = await sink.mailTo(to, newSubject)
  expect(mail.text).toMatch(/^Hello,\n/)
  expect(mail.text).toContain('/verify/email?token=')
  const notice = await sink.mailTo(email, 'A new email address was stated')
  expect(`${notice.text} ${notice.html}`).not.toContain(to)
  expect([(await login(to)).status, (await login(email)).status]).toEqual([401, 200])
  const token = tokenIn(mail)
  expect((await post('reset', { token, password: 'another long password' })).status).toBe(400)
  const used = await Promise.all([1, 2, 3].map(() => post('verify', { token })))
  expect(used.map(({ status }) => status).sort()).toEqual([200, 400, 400])
  const after = await shown()
  expect(after).toMatchObject({ email: to, isEmailVerified: true })
  expect(after).not.toHaveProperty('pendingEmail')
  expect([(await login(to)).status, (await login(email)).status]).toEqual([200, 401])
  await sink.mailTo(email, 'Your email address was changed')
})

test('a link verifies the address that it was mailed to, while that one is wanted', async () => {
  const { email, change, shown } = await signedUp()
  const [first, second, third] = [newAddress(), newAddress(), newAddress()]
  await change(first)
  const superseded = tokenIn(await sink.mailTo(first, newSubject))
  await change(second)
  expect((await post('verify', { token: superseded })).status).toBe(400)
  const cancelled = tokenIn(await sink.mailTo(second, newSubject))
  await change(email)
  expect((await post('verify', { token: cancelled })).status).toBe(400)
  expect(await shown()).toMatchObject({ email, isEmailVerified: true })
  expect(await shown()).not.toHaveProperty('pendingEmail')

  // Another person is faster with the address.
  await change(third)
  const late = tokenIn(await sink.mailTo(third, newSubject))
  await post('register', { email: third, password: currentPassword, firstName: 'Eve' })
  expect(await post('verify', { token: late })).toMatchObject({
    status: 428,
    body: { code: 'EMAIL_IN_USE' },
  })
  expect(await shown()).toMatchObject({ email, pendingEmail: third })
  expect(await change(third)).toMatchObject({ status: 428, body: { code: 'EMAIL_IN_USE' } })
})

test('links of the former address end with it', async () => {
  const { email, change } = await signedUp()
  await post('forgot', { email })
  const reset = tokenIn(await sink.mailTo(email, 'Reset your password'))
  const to = newAddress()
  await change(to)
  await post('verify', { token: tokenIn(await sink.mailTo(to, newSubject)) })
  const taken = await post('reset', { token: reset, password: 'another long password' })
  expect(taken.status).toBe(400)
})
