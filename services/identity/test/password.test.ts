import { readSettings } from '@coffer/host/settings'
import { problemsOf, refusalOf, refused } from '@coffer/kit/rpc/errors'
import { PasswordService } from '@coffer/proto/identity/v1/password'
import { SignInService } from '@coffer/proto/identity/v1/sign_in'
import { type CallOptions, Code } from '@connectrpc/connect'
import { expect, test } from '@jest/globals'
import { sql } from 'slonik'
import { z } from 'zod'
import { settings } from '../src/config.ts'
import { notifyOwner } from '../src/mail/mail-request.service.ts'
import { anonymous, bootingIdentity, bySession, password, refusal, register } from './household.ts'

const booted = bootingIdentity()

const newPassword = 'battery staple'
const signIn = () => booted.client('identity', SignInService)
const login = (email: string, with_ = password) =>
  signIn().login({ email, password: with_ }, anonymous(booted))
const verify = (sessionToken: string) => signIn().verifySession({ sessionToken }, anonymous(booted))
const change = (body: object, as: CallOptions) =>
  booted
    .client('identity', PasswordService)
    .changePassword({ currentPassword: password, newPassword, ...body }, as)

test('a new password takes the place of the old and ends all other sessions', async () => {
  const [ann, bob] = await Promise.all([register(booted), register(booted)])
  const { sessionToken } = await login(ann.email)
  const as = await bySession(booted, sessionToken)
  await change({ newPassword: ` ${newPassword} ` }, as)
  await expect(verify(sessionToken)).resolves.toHaveProperty('credential')
  await expect(verify(bob.sessionToken)).resolves.toHaveProperty('credential')
  expect(await refusal(verify(ann.sessionToken))).toMatchObject({ code: Code.Unauthenticated })
  expect(await refusal(login(ann.email))).toMatchObject({ code: Code.Unauthenticated })
  expect(await login(ann.email, newPassword)).toMatchObject({ isActive: true })
})

test('a mailbox gets at most five notices of a kind in 15 minutes', async () => {
  const config = readSettings(settings, { COFFER_SMTP_URL: 'smtp://127.0.0.1' })
  const clock = () => new Date()
  const counts: bigint[] = []
  const telling = booted.database('identity').transaction(async (tx) => {
    for (let times = 1; times <= 7; times += 1) {
      await notifyOwner({ config, clock }, tx, { kind: 'password-changed', email: 'a@example.com' })
    }
    const count = sql.type(z.object({ mails: z.bigint() }))`SELECT count(*) AS mails FROM mails`
    counts.push(await tx.oneFirst(count))
    throw refused('rolled back, so that nothing is sent')
  })
  await expect(telling).rejects.toThrow('rolled back')
  expect(counts).toEqual([5n])
})

test('a wrong current password changes nothing', async () => {
  const ann = await register(booted)
  const error = await refusal(change({ currentPassword: 'wrong horse' }, ann.as))
  expect(refusalOf(error!)).toMatchObject({ status: 401 })
  expect(await login(ann.email)).toMatchObject({ isActive: true })
  await expect(verify(ann.sessionToken)).resolves.toHaveProperty('credential')
})

test.each([
  ['Password123'],
  // Equal to the current password: refused before the current password is verified.
  [password],
])('%s is no new password', async (bad) => {
  const ann = await register(booted)
  const error = await refusal(change({ newPassword: bad }, ann.as))
  expect(error).toMatchObject({ code: Code.InvalidArgument })
  expect(Object.keys(problemsOf(error!) ?? {})).toEqual(['newPassword'])
})

test('the sixth guess of the current password within a quarter of an hour is refused', async () => {
  booted.clock.now = new Date('2026-03-01T12:00:00Z')
  const ann = await register(booted)
  const wrong = { currentPassword: 'wrong horse' }
  for (const _ of [1, 2, 3, 4, 5]) await refusal(change(wrong, ann.as))
  const limited = await refusal(change({}, ann.as))
  expect(refusalOf(limited!)).toMatchObject({ status: 429, retryAfterSeconds: 900 })
  booted.clock.now = new Date('2026-03-01T12:15:00Z')
  await expect(change({}, ann.as)).resolves.toBeDefined()
})

test('a key cannot change the password', async () => {
  const ann = await register(booted)
  const { userId, loginId } = ann.user
  const as = booted.as(ann.accountId, { kind: 'key', userId, loginId })
  expect(await refusal(change({}, as))).toMatchObject({ code: Code.Unauthenticated })
})
