import { type Coffer as Client, sessionOf } from '@coffer/client'
import { started } from '@coffer/host/testing/started'
import { newId } from '@coffer/kit/values/id'
import { beforeAll, expect, test } from '@jest/globals'
import { startCoffer } from '../harness/coffer.ts'
import { clientOf, statusOf } from '../harness/person.ts'
import { startMailSink, tokenIn } from '../providers/smtp.ts'

const currentPassword = 'a long enough password'
const verifySubject = 'Verify your email address'
const newSubject = 'Verify your new email address'

let visitor: Client

const sink = started(() => startMailSink())
const coffer = started(() =>
  startCoffer({
    COFFER_SMTP_URL: sink.url,
    COFFER_SMTP_TLS: 'none',
    COFFER_SIGN_IN_LIMIT_PER_MINUTE: '10000',
    COFFER_EMAIL_VERIFICATION_ENABLED: 'true',
  }),
)

beforeAll(() => {
  visitor = clientOf(coffer.baseUrl)
})

function newAddress(): string {
  return `${newId('person').replace('_', '.')}@example.com`
}

const login = (email: string) => visitor.signIn({ body: { email, password: currentPassword } })
const verify = (token: string) => visitor.verifyEmail({ body: { token } })
const reset = (token: string) =>
  visitor.resetPassword({ body: { token, password: 'another long password' } })

/** Opens the page of a link; returns its status: 200 with the form of the link, 400 without. */
const open = async (page: '/verify/email' | '/password/reset', token: string) =>
  (await fetch(`${coffer.baseUrl}${page}?token=${token}`)).status

/** Registers a person and verifies the address; returns functions of the session. */
async function signedUp() {
  const email = newAddress()
  await visitor.registerAccount({ body: { email, password: currentPassword, firstName: 'Pat' } })
  await verify(tokenIn(await sink.mailTo(email, verifySubject)))
  const session = clientOf(coffer.baseUrl, { session: sessionOf(await login(email)) })
  const change = (to: string) => session.updateMe({ body: { email: to, currentPassword } })
  const shown = async () => (await session.getMe()).data.user.login
  return { email, change, shown }
}

test('a new address is valid once its mailed link is used; the former one is told', async () => {
  const { email, change, shown } = await signedUp()
  const to = newAddress()
  expect((await change(to)).data.login).toMatchObject({ email, pendingEmail: to })
  const mail = await sink.mailTo(to, newSubject)
  expect(mail.text).toMatch(/^Hello,\n/)
  expect(mail.text).toContain('/verify/email?token=')
  const notice = await sink.mailTo(email, 'A new email address was stated')
  expect(`${notice.text} ${notice.html}`).not.toContain(to)
  expect([await statusOf(login(to)), await statusOf(login(email))]).toEqual([401, 200])
  const token = tokenIn(mail)
  expect(await statusOf(reset(token))).toBe(400)
  expect([await open('/verify/email', token), await open('/password/reset', token)]).toEqual([
    200, 400,
  ])
  const used = await Promise.all([1, 2, 3].map(() => statusOf(verify(token))))
  expect(used.sort()).toEqual([200, 400, 400])
  expect(await open('/verify/email', token)).toBe(400)
  const after = await shown()
  expect(after).toMatchObject({ email: to, isEmailVerified: true })
  expect(after).not.toHaveProperty('pendingEmail')
  expect([await statusOf(login(to)), await statusOf(login(email))]).toEqual([200, 401])
  await sink.mailTo(email, 'Your email address was changed')
})

test('a link verifies the address that it was mailed to, while that one is wanted', async () => {
  const { email, change, shown } = await signedUp()
  const [first, second, third] = [newAddress(), newAddress(), newAddress()]
  await change(first)
  const superseded = tokenIn(await sink.mailTo(first, newSubject))
  await change(second)
  expect([await open('/verify/email', superseded), await statusOf(verify(superseded))]).toEqual([
    400, 400,
  ])
  const cancelled = tokenIn(await sink.mailTo(second, newSubject))
  await change(email)
  expect(await statusOf(verify(cancelled))).toBe(400)
  expect(await shown()).toMatchObject({ email, isEmailVerified: true })
  expect(await shown()).not.toHaveProperty('pendingEmail')

  // Another person is faster with the address.
  await change(third)
  const late = tokenIn(await sink.mailTo(third, newSubject))
  const eve = { email: third, password: currentPassword, firstName: 'Eve' }
  await visitor.registerAccount({ body: eve })
  const inUse = { status: 428, code: 'EMAIL_IN_USE' }
  await expect(verify(late)).rejects.toMatchObject(inUse)
  expect(await shown()).toMatchObject({ email, pendingEmail: third })
  await expect(change(third)).rejects.toMatchObject(inUse)
})

test('links of the former address end with it', async () => {
  const { email, change } = await signedUp()
  await visitor.requestPasswordReset({ body: { email } })
  const token = tokenIn(await sink.mailTo(email, 'Reset your password'))
  expect(await open('/password/reset', token)).toBe(200)
  const to = newAddress()
  await change(to)
  await verify(tokenIn(await sink.mailTo(to, newSubject)))
  expect([await open('/password/reset', token), await statusOf(reset(token))]).toEqual([400, 400])
})
