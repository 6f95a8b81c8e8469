import { generateSync } from 'otplib'
import { type Answer, basicOf, call, cookieOf, type Json } from '../harness/person.ts'
import { proofFor } from '../harness/proof-of-work.ts'
import { tokenIn } from '../providers/smtp.ts'
import type { Take } from './recorder.ts'
import type { World } from './world.ts'

const email = 'ada@example.com'
export const password = 'a long enough password'
const newPassword = 'an even longer password'
const browser = { 'user-agent': 'Mozilla/5.0 (X11; Linux x86_64; rv:140.0) Firefox/140.0' }

/** Sends requests of a person's session, and with an API key. */
export interface Ada {
  session: Take
  key: Take
  /** Headers with the API key. */
  headers: Record<string, string>
  /** Headers with the session. */
  sessionHeaders: Record<string, string>
  /** IDs of her user, login and account. */
  ids: string[]
}

/** Returns the IDs of a user, its login and its account. */
export const idsOf = ({ userId, loginId, accountId }: Json): string[] => [
  userId,
  loginId,
  accountId,
]

/** Registers Ada, verifies her address, and signs her in. */
export async function registers(world: World): Promise<Ada> {
  const { recorder, mails, pass } = world
  const { baseUrl } = world.coffer
  const take = recorder.as(browser)
  await take('POST', '/authentication/challenge', { body: { purpose: 'register' } })
  await take('POST', '/authentication/register', {
    body: {
      email,
      password,
      firstName: 'Ada',
      lastName: 'Young',
      timezone: 'America/Chicago',
      locale: 'en_US',
      ...(await proofFor(baseUrl, 'register')),
    },
    name: 'verification',
    summary: 'A server that verifies addresses: there is no session yet',
  })
  const login = { email, password }
  await take('POST', '/authentication/login', {
    body: { ...login, ...(await proofFor(baseUrl, 'login')) },
    name: 'unverified',
    summary: 'The address is not verified yet',
  })
  await take('POST', '/authentication/verify/resend', {
    body: { email, ...(await proofFor(baseUrl, 'resend')) },
  })
  const mail = await mails.mailTo(email, 'Verify your email address')
  await take('POST', '/authentication/verify', { body: { token: tokenIn(mail) } })
  await pass(20)
  const signedIn = await take('POST', '/authentication/login', {
    body: { ...login, ...(await proofFor(baseUrl, 'login')) },
    name: 'session',
    summary: 'Signed in: the session is in the cookie',
  })
  const sessionHeaders = { ...browser, cookie: cookieOf(signedIn) }
  const session = recorder.as(sessionHeaders)
  await pass(60)
  const { body } = await session('POST', '/keys', {
    body: { name: 'Sync script', ...(await proofFor(baseUrl, 'create_api_key')) },
    name: 'full',
    summary: 'A key for all requests',
  })
  const headers = { authorization: basicOf(body) }
  const { body: me } = await session('GET', '/users/me', { isShown: false })
  const ids = idsOf(me.user)
  return { session, key: recorder.as(headers), headers, sessionHeaders, ids }
}

/** Reads and changes Ada's own data, and subscribes. */
export async function looksAround(world: World, { session }: Ada): Promise<void> {
  const { stripe, now, pass } = world
  const { baseUrl } = world.coffer
  const { body: me } = await session('GET', '/users/me')
  await session('GET', `/users/${me.user.userId}`)
  await session('GET', '/users/me/export')
  await pass(60)
  await session('PATCH', '/users/me', {
    body: { lastName: 'Young-Reed' },
    name: 'name',
    summary: 'A new name',
  })
  await session('PATCH', '/users/me', {
    body: { email: 'ada.reed@example.com', currentPassword: password },
    name: 'email',
    summary: 'A new address, which has to be verified: until then the former one counts',
  })
  const { body: readKey } = await session('POST', '/keys', {
    body: {
      name: 'Dashboard',
      scope: 'read',
      expiresAt: '2036-01-01T06:00:00Z',
      ...(await proofFor(baseUrl, 'create_api_key')),
    },
    name: 'read',
    summary: 'A key that may only read, with an expiry',
  })
  await session('GET', '/keys')
  await world.recorder.refuse(403, 'POST', '/links', {
    headers: { authorization: basicOf(readKey) },
    body: { institutionName: 'Prairie State Bank' },
    name: 'scope',
    summary: 'A write with a key that may only read',
  })
  await session('DELETE', `/keys/${readKey.apiKeyId}`, {
    body: await proofFor(baseUrl, 'delete_api_key'),
  })
  const { body: checkout } = await session('POST', '/billing/create_checkout', {
    body: { cancelPath: '/settings/billing' },
  })
  stripe.pay(checkout.sessionId, { until: new Date(now().getTime() + 30 * 86_400_000) })
  await pass(90)
  await session('GET', `/billing/checkout/${checkout.sessionId}`, {
    name: 'paid',
    summary: 'The account is paid up',
  })
  await session('GET', '/billing/portal')
}

/** Sets up the second factor, signs in by it, and changes the password. */
export async function securesLogin(world: World, { session }: Ada): Promise<void> {
  const { recorder, mails, pass } = world
  const { baseUrl } = world.coffer
  const take = recorder.as(browser)
  const { body: setUp } = await session('POST', '/users/security/totp/setup', {
    body: { currentPassword: password },
  })
  const secret = new URL(setUp.uri).searchParams.get('secret') ?? ''
  const code = async () => {
    await pass(30)
    return generateSync({ secret, epoch: Math.floor(world.now().getTime() / 1000) })
  }
  await session('POST', '/users/security/totp/confirm', { body: { totp: await code() } })
  const signIn = async (sent: string, shown: { name: string; summary: string } | null) => {
    const body = { email, password: sent, ...(await proofFor(baseUrl, 'login')) }
    if (shown) return take('POST', '/authentication/login', { body, ...shown })
    return call(baseUrl, 'POST', '/authentication/login', { body, headers: browser })
  }
  const asSession = (answer: Answer) => recorder.as({ ...browser, cookie: cookieOf(answer) })
  const owing = await signIn(password, { name: 'code', summary: 'A code comes next' })
  await asSession(owing)('POST', '/authentication/multifactor', { body: { totp: await code() } })
  const { body: sessions } = await session('GET', '/users/security/sessions')
  await session('DELETE', `/users/security/sessions/${sessions[0].sessionId}`, {
    body: { currentPassword: password },
  })
  await session('DELETE', '/users/security/sessions', { body: { totp: await code() } })
  await session('POST', '/users/security/totp/recovery_codes', { body: { totp: await code() } })
  await session('POST', '/users/security/totp/disable', { body: { totp: await code() } })
  await session('PUT', '/users/security/password', {
    body: { currentPassword: password, newPassword },
  })
  for (const path of ['/authentication/forgot', '/authentication/forgotPassword']) {
    await take('POST', path, { body: { email, ...(await proofFor(baseUrl, 'forgot')) } })
  }
  const mail = await mails.mailTo(email, 'Reset your password')
  await take('POST', '/authentication/reset', { body: { token: tokenIn(mail), password } })
  const last = asSession(await signIn(password, null))
  await last('DELETE', '/users/me', { body: { currentPassword: password } })
}
