import { holdTransaction } from '@coffer/host/testing/boot'
import { MultifactorService } from '@coffer/proto/identity/v1/multifactor'
import { PasswordService } from '@coffer/proto/identity/v1/password'
import { SessionService } from '@coffer/proto/identity/v1/session'
import { SignInService } from '@coffer/proto/identity/v1/sign_in'
import { expect, test } from '@jest/globals'
import { generateSync } from 'otplib'
import { sql } from 'slonik'
import { z } from 'zod'
import { hashOf } from '../src/book/secret.ts'
import {
  anonymous,
  authenticator,
  bootingIdentity,
  byCode,
  byPassword,
  bySession,
  password,
  register,
  registerWithAuthenticator,
} from './household.ts'

// On a busy machine, some of nine passwords at once would wait too long for two threads.
const booted = bootingIdentity({
  COFFER_SIGN_IN_LIMIT_PER_MINUTE: '1000',
  COFFER_PASSWORD_HASHES_AT_ONCE: '9',
})

type Ann = Awaited<ReturnType<typeof register>>

const multifactor = () => booted.client('identity', MultifactorService)
const signIn = ({ email }: Ann) =>
  booted.client('identity', SignInService).login({ email, password }, anonymous(booted))
const change = (newPassword: string, as: Ann['as']) =>
  booted
    .client('identity', PasswordService)
    .changePassword({ currentPassword: password, newPassword }, as)

/** Starts eight sign-ins, 10 ms apart; a change that the caller starts meets some of them. */
function signInsAround(ann: Ann) {
  return Array.from({ length: 8 }, async (_, index) => {
    await new Promise((resolve) => setTimeout(resolve, index * 10))
    return signIn(ann)
  })
}

async function fullSessions(ann: Ann): Promise<number> {
  const { sessions } = await booted.client('identity', SessionService).listSessions({}, ann.as)
  return sessions.length
}

test('no sign-in that is under way outlives the password it was made with', async () => {
  for (let round = 0; round < 3; round += 1) {
    const ann = await register(booted)
    const signIns = signInsAround(ann)
    await change('another long password', ann.as)
    await Promise.allSettled(signIns)
    expect(await fullSessions(ann)).toBe(1)
  }
})

test('no sign-in that is under way evades the authenticator enabled meanwhile', async () => {
  const ann = await register(booted)
  const { uri } = await multifactor().setUpTotp({}, ann.as)
  const signIns = signInsAround(ann)
  await multifactor().confirmTotp({ totp: authenticator(uri)(new Date()) }, ann.as)
  await Promise.allSettled(signIns)
  expect(await fullSessions(ann)).toBe(1)
})

test('no second step that is under way outlives a change of the password', async () => {
  for (let round = 0; round < 3; round += 1) {
    const ann = await registerWithAuthenticator(booted, new Date())
    const { sessionToken } = await signIn(ann)
    const owed = await bySession(booted, sessionToken)
    const [totp = ''] = ann.recoveryCodes
    await Promise.allSettled([
      multifactor().completeSignIn({ totp }, owed),
      change('another long password', ann.as),
    ])
    expect(await fullSessions(ann)).toBe(1)
  }
})

test('of concurrent changes of one password only one succeeds', async () => {
  const ann = await register(booted)
  const others = await Promise.all([1, 2].map(() => signIn(ann)))
  const all = await Promise.all(others.map(({ sessionToken }) => bySession(booted, sessionToken)))
  const changes = [ann.as, ...all].map((as, index) => change(`new password ${index}`, as))
  const results = await Promise.allSettled(changes)
  expect(results.filter(({ status }) => status === 'fulfilled').length).toBe(1)
})

test('concurrent renewals store the recovery codes of one response', async () => {
  const ann = await registerWithAuthenticator(booted, new Date())
  const renew = () => multifactor().renewRecoveryCodes(byPassword, ann.as)
  const sheets = await Promise.all([renew(), renew(), renew()])
  const { rows } = await booted.database('identity').pool.query(sql.type(
    z.object({
      codeHash: z.instanceof(Buffer),
    }),
  )`
    SELECT code_hash AS "codeHash" FROM recovery_codes WHERE login_id = ${ann.user.loginId}`)
  const stored = rows.map(({ codeHash }) => codeHash.toString('hex')).sort()
  const shown = sheets.map(({ recoveryCodes }) =>
    recoveryCodes.map((code) => hashOf(code.replaceAll('-', '')).toString('hex')).sort(),
  )
  expect(shown).toContainEqual(stored)
})

test('a code enables its own seed, not one set up meanwhile', async () => {
  const ann = await register(booted)
  const { uri } = await multifactor().setUpTotp({}, ann.as)
  const secret = new URL(uri).searchParams.get('secret') ?? ''
  // The confirmation of the code reads the seed, then waits for this lock of its attempt counter.
  const attempts = await lockAttempts(`code of ${ann.user.loginId}`)
  const confirming = multifactor().confirmTotp({ totp: generateSync({ secret }) }, ann.as)
  const [confirmed] = await Promise.allSettled([
    confirming,
    attempts
      .untilAwaited()
      .then(() => multifactor().setUpTotp({}, ann.as))
      .finally(attempts.release),
  ])
  expect(confirmed.status).toBe('rejected')
})

test('recovery codes are not renewed for an authenticator that is disabled meanwhile', async () => {
  const ann = await registerWithAuthenticator(booted, new Date())
  // The renewal of the codes reads the authenticator, then waits for this lock of its counter.
  const attempts = await lockAttempts(`password of ${ann.user.loginId}`)
  const [renewed, disabled] = await Promise.allSettled([
    multifactor().renewRecoveryCodes(byPassword, ann.as),
    attempts
      .untilAwaited()
      .then(() => multifactor().disableTotp(byCode(ann.recoveryCodes[0] ?? ''), ann.as))
      .finally(attempts.release),
  ])
  expect(disabled.status).toBe('fulfilled')
  const rawMessage = 'no authenticator is enabled: set one up first'
  expect(renewed).toMatchObject({ reason: { rawMessage } })
})

/** Locks the attempt counter of a subject; the returned `release` ends the lock. */
async function lockAttempts(subject: string) {
  const counter = sql.unsafe`
    INSERT INTO sign_in_attempts VALUES (${sql.binary(hashOf(subject))}, 0, now())`
  const { untilAwaited, release } = await holdTransaction(booted.database('identity'), counter)
  return { untilAwaited, release: () => release() }
}
