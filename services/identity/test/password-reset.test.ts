import { readSettings } from '@coffer/host/settings'
import { problemsOf } from '@coffer/kit/rpc/errors'
import { ApiKeyService } from '@coffer/proto/identity/v1/api_key'
import { PasswordService } from '@coffer/proto/identity/v1/password'
import { SignInService } from '@coffer/proto/identity/v1/sign_in'
import { UserService } from '@coffer/proto/identity/v1/user'
import { Code } from '@connectrpc/connect'
import { expect, test } from '@jest/globals'
import { sql } from 'slonik'
import { z } from 'zod'
import { disableLogin, issuePasswordReset } from '../src/accounts/operator.service.ts'
import { createUser } from '../src/accounts/user-creation.service.ts'
import { settings } from '../src/config.ts'
import { startPasswords } from '../src/sign-in/password-pool.client.ts'
import {
  anonymous,
  bootingIdentity,
  newcomer,
  password,
  refusal,
  register,
  registerWithAuthenticator,
} from './household.ts'

const booted = bootingIdentity()

const start = new Date('2026-03-01T12:00:00Z')
const after = (seconds: number) => new Date(start.getTime() + seconds * 1000)
const newPassword = 'battery staple'

const signIn = () => booted.client('identity', SignInService)
const login = (email: string, with_ = newPassword) =>
  signIn().login({ email, password: with_ }, anonymous(booted))
const verify = (sessionToken: string) => signIn().verifySession({ sessionToken }, anonymous(booted))
const reset = (token: string, text = newPassword) =>
  booted
    .client('identity', PasswordService)
    .resetPassword({ token, password: text }, anonymous(booted))

async function issue(email: string): Promise<string> {
  const lifetime = { now: start, minutes: 10 }
  const issued = await issuePasswordReset(booted.database('identity'), email, lifetime)
  expect(issued?.expiresAt).toEqual(after(600))
  return issued?.token ?? ''
}

test('a token sets a password and ends every session', async () => {
  booted.clock.now = start
  const [ann, bob] = await Promise.all([register(booted), register(booted)])
  const token = await issue(` ${ann.email.toUpperCase()} `)
  await reset(token, ` ${newPassword} `)
  expect(await refusal(verify(ann.sessionToken))).toMatchObject({ code: Code.Unauthenticated })
  await expect(verify(bob.sessionToken)).resolves.toHaveProperty('credential')
  expect(await refusal(login(ann.email, password))).toMatchObject({ code: Code.Unauthenticated })
  expect(await login(ann.email)).toMatchObject({ isActive: true })
  const { user } = await booted.client('identity', UserService).getMe({}, ann.as)
  expect(user?.login?.passwordResetAt?.seconds).toBe(BigInt(start.getTime() / 1000))
})

test('a token works once, and consumes the others of its login', async () => {
  booted.clock.now = start
  const [ann, bob] = await Promise.all([register(booted), register(booted)])
  const [one, two, other] = [await issue(ann.email), await issue(ann.email), await issue(bob.email)]
  const all = await Promise.allSettled([1, 2, 3, 4].map(() => reset(two)))
  expect(all.filter(({ status }) => status === 'fulfilled')).toHaveLength(1)
  for (const token of [two, one]) {
    expect(await refusal(reset(token))).toMatchObject({ code: Code.FailedPrecondition })
  }
  await expect(reset(other)).resolves.toBeDefined()
})

test('a token works for ten minutes', async () => {
  booted.clock.now = start
  const ann = await register(booted)
  const token = await issue(ann.email)
  booted.clock.now = after(600)
  expect(await refusal(reset(token))).toMatchObject({ code: Code.FailedPrecondition })
  booted.clock.now = after(599)
  await expect(reset(token)).resolves.toBeDefined()
})

test('a change of the password invalidates earlier reset tokens', async () => {
  booted.clock.now = start
  const ann = await register(booted)
  const token = await issue(ann.email)
  const change = { currentPassword: password, newPassword: 'another long password' }
  await booted.client('identity', PasswordService).changePassword(change, ann.as)
  expect(await refusal(reset(token))).toMatchObject({ code: Code.FailedPrecondition })
})

test('no other text sets a password', async () => {
  const ann = await register(booted)
  for (const token of ['', 'nonsense', 'a'.repeat(52), ann.sessionToken]) {
    expect(await refusal(reset(token))).toMatchObject({ code: Code.FailedPrecondition })
  }
  expect(await login(ann.email, password)).toMatchObject({ isActive: true })
})

test.each(['Password123'])('%s is no password, and consumes no token', async (bad) => {
  booted.clock.now = start
  const ann = await register(booted)
  const token = await issue(ann.email)
  const error = await refusal(reset(token, bad))
  expect(Object.keys(problemsOf(error!) ?? {})).toEqual(['password'])
  await expect(reset(token)).resolves.toBeDefined()
})

test('the second factor stays', async () => {
  const ann = await registerWithAuthenticator(booted, start)
  await reset(await issue(ann.email))
  expect(await login(ann.email)).toMatchObject({ mfaRequired: true })
})

test('a user whom an operator creates sets a password, and signs in', async () => {
  booted.clock.now = start
  await using passwords = startPasswords(1)
  const config = { ...readSettings(settings, {}), allowSignUp: false }
  const deps = { config, database: booted.database('identity'), passwords, clock: () => start }
  const { email, ...person } = newcomer()
  const { token, accountId, expiresAt } = await createUser(deps, { email, ...person })
  expect(expiresAt).toEqual(after(24 * 60 * 60))
  expect(await refusal(login(email))).toMatchObject({ code: Code.Unauthenticated })
  await reset(token)
  expect(await login(email)).toMatchObject({ isActive: true, mfaRequired: false })
  expect(await booted.changes('identity', accountId)).toEqual([
    expect.stringContaining('AccountSettingsChanged'),
  ])
})

test('an unknown address gets no token', async () => {
  const { email } = newcomer()
  const lifetime = { now: start, minutes: 10 }
  const issued = issuePasswordReset(booted.database('identity'), email, lifetime)
  await expect(issued).resolves.toBeNull()
})

test('tokens are not stored as they are', async () => {
  const ann = await register(booted)
  const token = await issue(ann.email)
  const stored = sql.type(z.object({ row: z.string() }))`
    SELECT r::text AS row FROM link_tokens r WHERE login_id = ${ann.user.loginId}`
  const row = await booted.database('identity').pool.oneFirst(stored)
  expect(row).not.toContain(token)
  expect(row).not.toContain(Buffer.from(token).toString('hex'))
})

test('a disabled login is refused: sessions, keys, password and reset', async () => {
  booted.clock.now = start
  const ann = await register(booted)
  const token = await issue(ann.email)
  const { apiKey } = await booted
    .client('identity', ApiKeyService)
    .createApiKey({ name: 'Laptop' }, ann.as)
  await expect(disableLogin(booted.database('identity'), ann.email, start)).resolves.toBe(true)
  const { apiKeyId, secret = '' } = apiKey!
  for (const call of [
    verify(ann.sessionToken),
    signIn().verifyApiKey({ apiKeyId, secret }, anonymous(booted)),
    login(ann.email, password),
  ]) {
    expect(await refusal(call)).toMatchObject({ code: Code.Unauthenticated })
  }
  expect(await refusal(reset(token))).toMatchObject({ code: Code.FailedPrecondition })
  const again = await issue(ann.email)
  expect(await refusal(reset(again))).toMatchObject({ code: Code.FailedPrecondition })
  const missing = disableLogin(booted.database('identity'), newcomer().email, start)
  await expect(missing).resolves.toBe(false)
})
