import { readSettings } from '@coffer/host/settings'
import { refusalOf } from '@coffer/kit/rpc/errors'
import { MultifactorService } from '@coffer/proto/identity/v1/multifactor'
import { PasswordService } from '@coffer/proto/identity/v1/password'
import { SignInService } from '@coffer/proto/identity/v1/sign_in'
import { type CallOptions, ConnectError } from '@connectrpc/connect'
import { expect, test } from '@jest/globals'
import { sql } from 'slonik'
import { z } from 'zod'
import {
  expirePassword,
  issuePasswordReset,
  resetSecondFactor,
} from '../src/accounts/operator.service.ts'
import { settings } from '../src/config.ts'
import {
  anonymous,
  authenticator,
  bootingIdentity,
  byCode,
  byPassword,
  bySession,
  password,
  registerWithAuthenticator,
} from './household.ts'

// No server listens there: queued mails stay in their table.
const mail = { COFFER_SMTP_URL: 'smtp://127.0.0.1:9', COFFER_SMTP_TLS: 'none' }
const start = new Date('2026-03-01T12:00:00Z')
const booted = bootingIdentity(mail, start.toISOString())
const newPassword = 'battery staple'
const wrongRecoveryCode = 'aaaa-aaaa-aaaa-aaaa-aaaa-aaaa'

type Person = Awaited<ReturnType<typeof registerWithAuthenticator>>

const now = () => booted.clock.now ?? new Date()
const pass = (seconds: number) => {
  booted.clock.now = new Date(now().getTime() + seconds * 1000)
}
const multifactor = () => booted.client('identity', MultifactorService)
const database = () => booted.database('identity')

/** Signs in with the password; returns the call options of the pending session. */
async function pending({ email }: Pick<Person, 'email'>, text = password): Promise<CallOptions> {
  const signIn = booted.client('identity', SignInService)
  const { sessionToken } = await signIn.login({ email, password: text }, anonymous(booted))
  return bySession(booted, sessionToken)
}

/** Returns the status of a call (200 on success), its code, and its seconds to wait. */
async function outcome(call: Promise<unknown>) {
  try {
    await call
    return { status: 200, code: '', retryAfterSeconds: 0 }
  } catch (error) {
    const { status, code, retryAfterSeconds } = refusalOf(ConnectError.from(error)) ?? {}
    return { status, code, retryAfterSeconds }
  }
}

const send = (totp: string, as: CallOptions) => outcome(multifactor().completeSignIn({ totp }, as))
const confirmAgain = (totp: string, { as }: Person) =>
  outcome(multifactor().renewRecoveryCodes(byCode(totp), as))

/** Sends wrong codes at once, TOTP and recovery codes in turn; returns the statuses. */
async function guess(times: number, one: (totp: string) => ReturnType<typeof outcome>) {
  const codes = Array.from({ length: times }, (_, index) =>
    index % 2 ? wrongRecoveryCode : '000000',
  )
  return (await Promise.all(codes.map(one))).map(({ status }) => status)
}

const unauthorized = (times: number) => Array<number>(times).fill(401)

/** Stores a number of failures in a row, whose last window has ended. */
async function storeFailures(
  { user }: Person,
  failures: number,
  purpose = 'sign-in',
): Promise<void> {
  await database().pool.query(sql.unsafe`
    INSERT INTO code_attempts (login_id, purpose, failures, attempts, ends_at)
    VALUES (${user.loginId}, ${purpose}, ${failures}, 0, ${sql.timestamp(start)})
    ON CONFLICT (login_id, purpose) DO UPDATE SET failures = excluded.failures`)
}

/** Returns the kinds of the mails queued to a person since the last call, in order. */
async function mailsTo({ email }: Person): Promise<readonly string[]> {
  return database().pool.anyFirst(sql.type(z.object({ kind: z.string() }))`
    WITH gone AS (DELETE FROM mails WHERE email = ${email} RETURNING mail_id, kind)
    SELECT kind FROM gone ORDER BY mail_id`)
}

async function resetByLink({ email }: Person): Promise<void> {
  const issued = await issuePasswordReset(database(), email, { now: now(), minutes: 10 })
  await resetBy(issued?.token ?? '')
}

async function resetBy(token: string): Promise<void> {
  const passwords = booted.client('identity', PasswordService)
  await passwords.resetPassword({ token, password: newPassword }, anonymous(booted))
}

const minutes = [15, 30, 60, 120, 240, 480, 960, 1440, 1440, 1440]

test('windows of wrong codes grow, and a hundred in a row lock all codes', async () => {
  const ann = await registerWithAuthenticator(booted, start)
  const as = await pending(ann)
  await mailsTo(ann)
  for (const [index, length] of minutes.entries()) {
    const isLast = index === minutes.length - 1
    if (isLast) await storeFailures(ann, 95)
    expect(await guess(5, (totp) => send(totp, as))).toEqual(unauthorized(5))
    expect(await mailsTo(ann)).toEqual([isLast ? 'second-factor-locked' : 'wrong-codes'])
    const refused = isLast
      ? { status: 428, code: 'MFA_LOCKED' }
      : { status: 429, retryAfterSeconds: length * 60 }
    const code = index % 2 === 0 ? ann.codeAt(now()) : (ann.recoveryCodes[0] ?? '')
    expect(await send(code, as)).toMatchObject(refused)
    pass(length * 60)
  }
  pass(200 * 24 * 60 * 60)
  const later = await pending(ann)
  for (const code of [ann.codeAt(now()), ann.recoveryCodes[0] ?? '']) {
    expect(await send(code, later)).toMatchObject({ status: 428, code: 'MFA_LOCKED' })
  }
  expect(await mailsTo(ann)).toEqual([])
})

test.each([
  { before: 0, admitted: 5, status: 429 },
  { before: 5, admitted: 5, status: 429 },
  { before: 98, admitted: 2, status: 428 },
  { before: 100, admitted: 0, status: 428 },
])('after $before failures $admitted of 12 concurrent codes are checked', async (row) => {
  const ann = await registerWithAuthenticator(booted, start)
  await storeFailures(ann, row.before)
  const as = await pending(ann)
  const sent = Array.from({ length: 12 }, () => send('000000', as))
  const statuses = (await Promise.all(sent)).map(({ status }) => status)
  const refused = Array<number>(12 - row.admitted).fill(row.status)
  expect(statuses.toSorted()).toEqual([...unauthorized(row.admitted), ...refused])
})

test.each(['TOTP code', 'recovery code'])('a %s that is right ends the row', async (kind) => {
  const ann = await registerWithAuthenticator(booted, start)
  await storeFailures(ann, 98)
  pass(60)
  const right = kind === 'TOTP code' ? ann.codeAt(now()) : (ann.recoveryCodes[0] ?? '')
  expect(await send(right, await pending(ann))).toMatchObject({ status: 200 })
  const as = await pending(ann)
  expect(await guess(5, (totp) => send(totp, as))).toEqual(unauthorized(5))
  expect(await send('000000', as)).toMatchObject({ status: 429, retryAfterSeconds: 15 * 60 })
})

test('wrong codes of a session never lock sign-in', async () => {
  const ann = await registerWithAuthenticator(booted, start)
  await storeFailures(ann, 95, 're-authentication')
  expect(await guess(5, (totp) => confirmAgain(totp, ann))).toEqual(unauthorized(5))
  expect(await mailsTo(ann)).toContain('second-factor-locked')
  pass(60)
  const right = ann.codeAt(now())
  expect(await confirmAgain(right, ann)).toMatchObject({ status: 428, code: 'MFA_LOCKED' })
  expect(await send(right, await pending(ann))).toMatchObject({ status: 200 })
  expect(await outcome(multifactor().renewRecoveryCodes(byPassword, ann.as))).toMatchObject({
    status: 200,
  })
})

test('a reset by a link unlocks codes and keeps the factor', async () => {
  const ann = await registerWithAuthenticator(booted, start)
  await storeFailures(ann, 100)
  await resetByLink(ann)
  pass(60)
  const as = await pending(ann, newPassword)
  expect(await send(ann.codeAt(now()), as)).toMatchObject({ status: 200 })
})

test('the token that a sign-in with an expired password returns unlocks no codes', async () => {
  const ann = await registerWithAuthenticator(booted, start)
  await storeFailures(ann, 100)
  await expirePassword(database(), ann.email)
  const signIn = booted.client('identity', SignInService)
  const { email } = ann
  const { resetToken } = await signIn.login({ email, password }, anonymous(booted))
  await resetBy(resetToken)
  const as = await pending(ann, newPassword)
  expect(await send(ann.recoveryCodes[0] ?? '', as)).toMatchObject({ status: 428 })
})

test('an operator removes the second factor, and its new set-up is not locked', async () => {
  const ann = await registerWithAuthenticator(booted, start)
  await storeFailures(ann, 100)
  await mailsTo(ann)
  const deps = { database: database(), config: readSettings(settings, mail), clock: now }
  expect(await resetSecondFactor(deps, ann.email.toUpperCase())).toEqual({ hadFactor: true })
  expect(await mailsTo(ann)).toEqual(['authenticator-disabled'])
  const signIn = booted.client('identity', SignInService)
  const { email, sessionToken: former } = ann
  const ended = signIn.verifySession({ sessionToken: former }, anonymous(booted))
  expect(await outcome(ended)).toMatchObject({ status: 401 })
  const begun = await signIn.login({ email, password }, anonymous(booted))
  expect(begun.mfaRequired).toBe(false)
  const as = await bySession(booted, begun.sessionToken)
  const { uri } = await multifactor().setUpTotp({}, as)
  await multifactor().confirmTotp({ totp: authenticator(uri)(now()) }, as)
  expect(await send('000000', await pending(ann))).toMatchObject({ status: 401 })
  expect(await resetSecondFactor(deps, ann.email)).toEqual({ hadFactor: true })
  expect(await resetSecondFactor(deps, ann.email)).toEqual({ hadFactor: false })
  expect(await resetSecondFactor(deps, 'nobody@example.com')).toBeNull()
})
