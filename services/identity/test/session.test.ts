import { refusalOf } from '@coffer/kit/rpc/errors'
import { newId } from '@coffer/kit/values/id'
import { MultifactorService } from '@coffer/proto/identity/v1/multifactor'
import { SessionService } from '@coffer/proto/identity/v1/session'
import { SignInService } from '@coffer/proto/identity/v1/sign_in'
import { type CallOptions, Code, ConnectError } from '@connectrpc/connect'
import { expect, test } from '@jest/globals'
import {
  anonymous,
  bootingIdentity,
  byPassword,
  bySession,
  password,
  register,
  registerWithAuthenticator,
} from './household.ts'

const booted = bootingIdentity()

const minute = 60_000
const day = 24 * 60 * minute
const start = new Date('2026-03-01T12:00:00Z')
const after = (ms: number) => new Date(start.getTime() + ms)
const secondsOf = (ms: number) => BigInt(after(ms).getTime() / 1000)

const sessions = () => booted.client('identity', SessionService)
const signIn = () => booted.client('identity', SignInService)
const verify = (sessionToken: string) => signIn().verifySession({ sessionToken }, anonymous(booted))
const idsOf = async (as: CallOptions) =>
  (await sessions().listSessions({}, as)).sessions.map(({ sessionId }) => sessionId)

/** Registers a user with `count` sessions, oldest first; `as` has call options of the newest. */
async function withSessions(count: number) {
  const ann = await register(booted)
  const tokens = [ann.sessionToken]
  while (tokens.length < count) {
    const { sessionToken } = await signIn().login({ email: ann.email, password }, anonymous(booted))
    tokens.push(sessionToken)
  }
  return { ...ann, tokens, as: await bySession(booted, tokens.at(-1) ?? '') }
}

test('sessions are listed newest first, with the current one marked', async () => {
  booted.clock.now = start
  const ann = await withSessions(3)
  await register(booted)
  const { sessions: live } = await sessions().listSessions({}, ann.as)
  expect(live.map(({ isCurrent }) => isCurrent)).toEqual([true, false, false])
  const ids = live.map(({ sessionId }) => sessionId)
  expect(ids).toEqual([...ids].sort().reverse())
  expect(live[0]?.expiresAt?.seconds).toBe(secondsOf(14 * day))
})

test('a session has the device of its sign-in, also after a second factor', async () => {
  const ann = await registerWithAuthenticator(booted, start)
  const names = async (as: CallOptions) =>
    (await sessions().listSessions({}, as)).sessions.map(({ deviceName }) => deviceName)
  const named = { email: ann.email, password, deviceName: 'Firefox on Windows' }
  const { sessionToken } = await signIn().login(named, anonymous(booted))
  booted.clock.now = after(minute)
  const code = { totp: ann.codeAt(after(minute)), deviceName: `Safari on iPhone${'!'.repeat(200)}` }
  const multifactor = booted.client('identity', MultifactorService)
  await multifactor.completeSignIn(code, await bySession(booted, sessionToken))
  const as = await bySession(booted, ann.sessionToken)
  expect(await names(as)).toEqual([`Safari on iPhone${'!'.repeat(84)}`, undefined])
  const bob = await register(booted, { deviceName: 'Chrome on Android' })
  expect(await names(bob.as)).toEqual(['Chrome on Android'])
})

test('a session on a device of another person is short, also after a second factor', async () => {
  const ann = await registerWithAuthenticator(booted, start)
  const foreign = { email: ann.email, password, isForeignDevice: true }
  const { sessionToken } = await signIn().login(foreign, anonymous(booted))
  booted.clock.now = after(minute)
  const multifactor = booted.client('identity', MultifactorService)
  const code = { totp: ann.codeAt(after(minute)) }
  const begun = await multifactor.completeSignIn(code, await bySession(booted, sessionToken))
  expect(begun.isForeignDevice).toBe(true)
  const ends = async (token: string) => (await verify(token)).credential?.sessionExpiresAt
  expect((await ends(begun.sessionToken))?.seconds).toBe(secondsOf(minute + day / 2))
  expect((await ends(ann.sessionToken))?.seconds).toBe(secondsOf(14 * day))
  booted.clock.now = after(minute + day / 2)
  await expect(verify(begun.sessionToken)).rejects.toMatchObject({ code: Code.Unauthenticated })
})

test('an idle session, and one that still requires its second factor, are not listed', async () => {
  const ann = await registerWithAuthenticator(booted, start)
  const as = await bySession(booted, ann.sessionToken)
  await signIn().login({ email: ann.email, password }, anonymous(booted))
  expect(await idsOf(as)).toHaveLength(1)
  booted.clock.now = after(7 * day)
  expect(await idsOf(as)).toEqual([])
})

test('one session can be ended, others stay', async () => {
  const ann = await withSessions(3)
  const [, second = ''] = await idsOf(ann.as)
  await sessions().endSession({ sessionId: second }, ann.as)
  await expect(verify(ann.tokens[1]!)).rejects.toMatchObject({ code: Code.Unauthenticated })
  for (const token of [ann.tokens[0]!, ann.tokens[2]!]) {
    await expect(verify(token)).resolves.toHaveProperty('credential')
  }
  const again = sessions().endSession({ sessionId: second }, ann.as)
  await expect(again).rejects.toMatchObject({ code: Code.NotFound })
})

test('all others can be ended at once', async () => {
  const [ann, bob] = [await withSessions(3), await withSessions(2)]
  await sessions().endOtherSessions({}, ann.as)
  expect(await idsOf(ann.as)).toHaveLength(1)
  await expect(verify(ann.tokens[2]!)).resolves.toHaveProperty('credential')
  expect(await idsOf(bob.as)).toHaveLength(2)
})

test('a session that began a while ago ends others only with re-authentication', async () => {
  booted.clock.now = start
  const ann = await withSessions(3)
  const [, , sessionId = ''] = await idsOf(ann.as)
  booted.clock.now = after(15 * minute)
  const wrong = { proof: { kind: { case: 'currentPassword', value: 'wrong horse' } } } as const
  for (const answer of [{}, wrong]) {
    for (const call of [
      sessions().endSession({ sessionId, ...answer }, ann.as),
      sessions().endOtherSessions(answer, ann.as),
    ]) {
      const error = ConnectError.from(await call.catch((thrown) => thrown))
      expect(refusalOf(error)).toMatchObject({ status: 401 })
    }
  }
  expect(await idsOf(ann.as)).toHaveLength(3)
  await sessions().endSession({ sessionId, ...byPassword }, ann.as)
  await sessions().endOtherSessions(byPassword, ann.as)
  expect(await idsOf(ann.as)).toHaveLength(1)
})

test("another user's session is not there", async () => {
  const [ann, bob] = [await withSessions(1), await withSessions(1)]
  const [sessionId = ''] = await idsOf(bob.as)
  for (const id of [sessionId, newId('sess')]) {
    const call = sessions().endSession({ sessionId: id }, ann.as)
    await expect(call).rejects.toMatchObject({ code: Code.NotFound })
  }
  await expect(verify(bob.tokens[0]!)).resolves.toHaveProperty('credential')
})

test('a key neither sees nor ends sessions', async () => {
  const ann = await register(booted)
  const as = booted.as(ann.accountId, { kind: 'key', userId: ann.user.userId })
  for (const call of [
    sessions().listSessions({}, as),
    sessions().endSession({ sessionId: newId('sess') }, as),
    sessions().endOtherSessions({}, as),
  ]) {
    await expect(call).rejects.toMatchObject({ code: Code.Unauthenticated })
  }
})
