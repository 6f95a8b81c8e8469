import { toldBy } from '@coffer/host/testing/told'
import { problemsOf, refusalOf } from '@coffer/kit/rpc/errors'
import { AccountService } from '@coffer/proto/identity/v1/account'
import { MultifactorService } from '@coffer/proto/identity/v1/multifactor'
import { SignInService } from '@coffer/proto/identity/v1/sign_in'
import { UserService } from '@coffer/proto/identity/v1/user'
import { type CallOptions, Code, type ConnectError } from '@connectrpc/connect'
import { expect, test } from '@jest/globals'
import { sql } from 'slonik'
import { z } from 'zod'
import {
  anonymous,
  authenticator,
  bootingIdentity,
  byCode,
  byPassword,
  bySession,
  password,
  refusal,
  register,
  registerWithAuthenticator,
} from './household.ts'

const booted = bootingIdentity()

const start = new Date('2026-03-01T12:00:00Z')
const after = (seconds: number) => new Date(start.getTime() + seconds * 1000)
const minute = 60

const multifactor = () => booted.client('identity', MultifactorService)
const users = () => booted.client('identity', UserService)
const signIn = () => booted.client('identity', SignInService)

/** Signs in with the password; returns the pending session's token and call options. */
async function pending({ email }: { email: string }) {
  const { sessionToken, mfaRequired } = await signIn().login({ email, password }, anonymous(booted))
  expect(mfaRequired).toBe(true)
  return { sessionToken, as: await bySession(booted, sessionToken) }
}

const complete = (totp: string, as: CallOptions) => multifactor().completeSignIn({ totp }, as)
const status = async (call: Promise<unknown>) => refusalOf((await refusal(call))!)?.status

test('an authenticator is enabled once a code of it was confirmed', async () => {
  booted.clock.now = start
  const ann = await register(booted)
  const { uri, recoveryCodes } = await multifactor().setUpTotp({}, ann.as)
  expect((await users().getMe({}, ann.as)).recoveryCodesLeft).toBeUndefined()
  expect(uri).toContain(encodeURIComponent(ann.email))
  expect(new Set(recoveryCodes).size).toBe(10)
  const before = await signIn().login({ email: ann.email, password }, anonymous(booted))
  expect(before.mfaRequired).toBe(false)
  const told = await toldBy(booted.database('identity'), ann.accountId, () =>
    multifactor().confirmTotp({ totp: ` ${authenticator(uri)(start)} ` }, ann.as),
  )
  const { user } = await users().getMe({}, ann.as)
  expect(told).toEqual([`user.updated ${user?.userId}`])
  expect(user?.login?.totpEnabledAt?.seconds).toBe(BigInt(start.getTime() / 1000))
  await pending(ann)
})

test('setting up again before confirming takes the place of the first', async () => {
  booted.clock.now = start
  const ann = await register(booted)
  const first = await multifactor().setUpTotp({}, ann.as)
  const second = await multifactor().setUpTotp({}, ann.as)
  const wrong = multifactor().confirmTotp({ totp: authenticator(first.uri)(start) }, ann.as)
  expect(Object.keys(problemsOf((await refusal(wrong))!) ?? {})).toEqual(['totp'])
  await multifactor().confirmTotp({ totp: authenticator(second.uri)(start) }, ann.as)
  booted.clock.now = after(30)
  const { as } = await pending(ann)
  expect(await status(complete(first.recoveryCodes[0]!, as))).toBe(401)
  await expect(complete(second.recoveryCodes[0]!, as)).resolves.toHaveProperty('sessionToken')
})

test('a session that began a while ago sets none up without the password', async () => {
  booted.clock.now = start
  const ann = await register(booted)
  booted.clock.now = after(15 * minute)
  expect(await status(multifactor().setUpTotp({}, ann.as))).toBe(401)
  const wrong = { proof: { kind: { case: 'currentPassword', value: 'wrong horse' } } } as const
  expect(await status(multifactor().setUpTotp(wrong, ann.as))).toBe(401)
  const { uri } = await multifactor().setUpTotp(byPassword, ann.as)
  await multifactor().confirmTotp({ totp: authenticator(uri)(after(15 * minute)) }, ann.as)
})

test('enabling and disabling an authenticator end every other session', async () => {
  booted.clock.now = start
  const ann = await register(booted)
  const live = (sessionToken: string) =>
    signIn()
      .verifySession({ sessionToken }, anonymous(booted))
      .then(
        () => true,
        () => false,
      )
  const other = await signIn().login({ email: ann.email, password }, anonymous(booted))
  const { uri } = await multifactor().setUpTotp({}, ann.as)
  expect(await live(other.sessionToken)).toBe(true)
  await multifactor().confirmTotp({ totp: authenticator(uri)(start) }, ann.as)
  expect(await live(other.sessionToken)).toBe(false)
  booted.clock.now = after(60)
  const owed = await pending(ann)
  const { sessionToken } = await complete(authenticator(uri)(after(60)), owed.as)
  await multifactor().disableTotp(byPassword, ann.as)
  expect([await live(sessionToken), await live(ann.sessionToken)]).toEqual([false, true])
})

test('confirming needs a set-up, and an enabled authenticator refuses both', async () => {
  booted.clock.now = start
  const ann = await register(booted)
  const early = multifactor().confirmTotp({ totp: '123456' }, ann.as)
  expect(await refusal(early)).toMatchObject({ code: Code.FailedPrecondition })
  const bob = await registerWithAuthenticator(booted, start)
  const calls = [
    () => multifactor().setUpTotp({}, bob.as),
    () => multifactor().confirmTotp({ totp: bob.codeAt(after(30)) }, bob.as),
  ]
  booted.clock.now = after(30)
  for (const call of calls) {
    expect(await refusal(call())).toMatchObject({ code: Code.FailedPrecondition })
  }
})

test('a code exchanges the pending session for a full one, once', async () => {
  const ann = await registerWithAuthenticator(booted, start)
  booted.clock.now = after(30)
  const { sessionToken, as } = await pending(ann)
  const full = await complete(ann.codeAt(after(30)), as)
  expect(full.isActive).toBe(true)
  const verify = (token: string) =>
    signIn().verifySession({ sessionToken: token }, anonymous(booted))
  const { credential } = await verify(full.sessionToken)
  expect(credential).toMatchObject({ accountId: ann.accountId, mfaPending: false })
  const again = verify(sessionToken)
  expect(await refusal(again)).toMatchObject({ code: Code.Unauthenticated })
  booted.clock.now = after(60)
  const consumed = complete(ann.codeAt(after(60)), as)
  expect(await refusal(consumed)).toMatchObject({ code: Code.Unauthenticated })
})

test('of eight concurrent exchanges with one code only one succeeds', async () => {
  const ann = await registerWithAuthenticator(booted, start)
  booted.clock.now = after(30)
  const one = await pending(ann)
  const sessions = [one, await pending(ann), await pending(ann), await pending(ann)]
  const all = await Promise.allSettled(
    sessions.map(({ as }) => complete(ann.codeAt(after(30)), as)),
  )
  expect(all.filter((each) => each.status === 'fulfilled')).toHaveLength(1)
})

test('no code is accepted twice, not even the one that confirmed', async () => {
  const ann = await registerWithAuthenticator(booted, start)
  const first = await pending(ann)
  expect(await status(complete(ann.codeAt(start), first.as))).toBe(401)
  booted.clock.now = after(30)
  await complete(ann.codeAt(after(30)), first.as)
  const second = await pending(ann)
  expect(await status(complete(ann.codeAt(after(30)), second.as))).toBe(401)
})

test('a recovery code works once; new ones end the old', async () => {
  const ann = await registerWithAuthenticator(booted, start)
  const left = async (as = ann.as) => (await users().getMe({}, as)).recoveryCodesLeft
  const [first = '', second = ''] = ann.recoveryCodes
  expect(await left()).toBe(10)
  await complete(first.toUpperCase(), (await pending(ann)).as)
  const owed = await pending(ann)
  expect([await left(), await left(owed.as)]).toEqual([9, undefined])
  expect(await status(complete(first, owed.as))).toBe(401)
  const { recoveryCodes } = await multifactor().renewRecoveryCodes(byPassword, ann.as)
  expect(await left()).toBe(10)
  expect(recoveryCodes).toHaveLength(10)
  expect(await status(complete(second, (await pending(ann)).as))).toBe(401)
  const { as } = await pending(ann)
  await expect(complete(recoveryCodes[0]!, as)).resolves.toHaveProperty('sessionToken')
})

test('a pending session reads its user and may do nothing else', async () => {
  const ann = await registerWithAuthenticator(booted, start)
  const { as } = await pending(ann)
  const me = await users().getMe({}, as)
  expect(me).toMatchObject({ mfaPending: true, nextUrl: '/login/multifactor' })
  expect(me.user?.userId).toBe(ann.user.userId)
  const calls = [
    multifactor().disableTotp(byPassword, as),
    multifactor().renewRecoveryCodes(byPassword, as),
    users().getAccountSettings({}, as),
  ]
  for (const call of calls) {
    expect(await refusal(call)).toMatchObject({ code: Code.Unauthenticated })
  }
  const full = complete(ann.codeAt(after(30)), ann.as)
  expect(await refusal(full)).toMatchObject({ code: Code.Unauthenticated })
})

test('the second factor may be owed for five minutes', async () => {
  const ann = await registerWithAuthenticator(booted, start)
  const { sessionToken, as } = await pending(ann)
  booted.clock.now = after(5 * minute)
  const late = signIn().verifySession({ sessionToken }, anonymous(booted))
  expect(await refusal(late)).toMatchObject({ code: Code.Unauthenticated })
  const exchange = complete(ann.codeAt(after(5 * minute)), as)
  expect(await refusal(exchange)).toMatchObject({ code: Code.Unauthenticated })
})

test.each(['password', 'code', 'recovery code'])('a %s disables it', async (kind) => {
  const ann = await registerWithAuthenticator(booted, start)
  booted.clock.now = after(30)
  const code = kind === 'code' ? ann.codeAt(after(30)) : ann.recoveryCodes[0]!
  await multifactor().disableTotp(kind === 'password' ? byPassword : byCode(code), ann.as)
  const { user } = await users().getMe({}, ann.as)
  expect(user?.login?.totpEnabledAt).toBeUndefined()
  const { mfaRequired } = await signIn().login({ email: ann.email, password }, anonymous(booted))
  expect(mfaRequired).toBe(false)
  const again = multifactor().disableTotp(byPassword, ann.as)
  expect(await refusal(again)).toMatchObject({ code: Code.FailedPrecondition })
})

test('neither disabling nor new codes go without re-authentication', async () => {
  const ann = await registerWithAuthenticator(booted, start)
  const wrong = { proof: { kind: { case: 'currentPassword', value: 'wrong horse' } } } as const
  for (const call of [multifactor().disableTotp, multifactor().renewRecoveryCodes]) {
    expect(await status(call(wrong, ann.as))).toBe(401)
    expect(await status(call(byCode('000000'), ann.as))).toBe(401)
    expect(await refusal(call({}, ann.as))).toMatchObject({ code: Code.FailedPrecondition })
  }
  await pending(ann)
})

test('with an authenticator the account is deleted by the password and a code, both', async () => {
  const ann = await registerWithAuthenticator(booted, start)
  booted.clock.now = after(30)
  const totp = ann.codeAt(after(30))
  const { deleteAccount } = booted.client('identity', AccountService)
  for (const part of [byPassword, byCode(totp)]) {
    const answer = await refusal(deleteAccount(part, ann.as))
    expect(answer).toMatchObject({ code: Code.FailedPrecondition })
  }
  expect(await status(deleteAccount({ ...byPassword, totp: '000000' }, ann.as))).toBe(401)
  await deleteAccount({ ...byPassword, totp }, ann.as)
  const verified = signIn().verifySession({ sessionToken: ann.sessionToken }, anonymous(booted))
  expect(await refusal(verified)).toMatchObject({ code: Code.Unauthenticated })
})

test('recovery codes of an authenticator that is not enabled are refused', async () => {
  const ann = await register(booted)
  const { recoveryCodes } = await multifactor().setUpTotp({}, ann.as)
  const answer = byCode(recoveryCodes[0] ?? '')
  const deletion = booted.client('identity', AccountService).deleteAccount(answer, ann.as)
  expect(await status(deletion)).toBe(401)
})

test('neither seed nor codes are stored as they are', async () => {
  booted.clock.now = start
  const ann = await register(booted)
  const { uri, recoveryCodes } = await multifactor().setUpTotp({}, ann.as)
  const seed = new URL(uri).searchParams.get('secret') ?? ''
  const [code = ''] = recoveryCodes
  const stored = sql.type(z.object({ row: z.string() }))`
    SELECT row(t.*, c.*)::text AS row FROM authenticators t JOIN recovery_codes c USING (login_id)
    WHERE login_id = ${ann.user.loginId}`
  const rows = await booted.database('identity').pool.anyFirst(stored)
  expect(rows).toHaveLength(10)
  for (const text of [seed, code, code.replaceAll('-', '')]) {
    expect(rows.join()).not.toContain(text)
    expect(rows.join()).not.toContain(Buffer.from(text).toString('hex'))
  }
})

test('wrong codes to confirm an authenticator are limited too', async () => {
  booted.clock.now = start
  const ann = await register(booted)
  const { uri } = await multifactor().setUpTotp({}, ann.as)
  const right = authenticator(uri)(start)
  const wrong = right === '000000' ? '000001' : '000000'
  for (const _ of [1, 2, 3, 4, 5]) {
    const error = await refusal(multifactor().confirmTotp({ totp: wrong }, ann.as))
    expect(error).toMatchObject({ code: Code.InvalidArgument })
  }
  const limited = await refusal(multifactor().confirmTotp({ totp: right }, ann.as))
  expect(refusalOf(limited as ConnectError)).toMatchObject({ status: 429 })
})
