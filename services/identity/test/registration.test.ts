import { fromBinary } from '@bufbuild/protobuf'
import { problemsOf, refusalOf } from '@coffer/kit/rpc/errors'
import { isId } from '@coffer/kit/values/id'
import { AccountSettingsChangedSchema } from '@coffer/proto/identity/v1/events'
import { SignInService } from '@coffer/proto/identity/v1/sign_in'
import { Code, ConnectError } from '@connectrpc/connect'
import { expect, test } from '@jest/globals'
import { sql } from 'slonik'
import { z } from 'zod'
import {
  anonymous,
  bootIdentity,
  bootingIdentity,
  newcomer,
  refusal,
  register,
} from './household.ts'

// A busy machine would refuse some of eight registrations at once, which wait for two threads.
const booted = bootingIdentity({ COFFER_PASSWORD_HASHES_AT_ONCE: '8' })

const signIn = () => booted.client('identity', SignInService)

test('a server that has just been set up has no login', async () => {
  expect(await booted.database('identity').pool.exists(sql.unsafe`SELECT FROM logins`)).toBe(false)
})

test('registration answers with the user and a session that works', async () => {
  const body = newcomer({ timezone: 'US/Central', locale: 'de-DE' })
  const { user, sessionToken, isActive } = await signIn().register(body, anonymous(booted))
  expect(user).toMatchObject({
    role: 'owner',
    login: { email: body.email, firstName: 'Ann', lastName: 'Lee', isEmailVerified: false },
    account: { timezone: 'America/Chicago', locale: 'de-DE' },
  })
  expect(isId('user', user!.userId)).toBe(true)
  expect(isId('lgn', user!.loginId)).toBe(true)
  expect(isId('acct', user!.accountId)).toBe(true)
  expect(isActive).toBe(true)
  const { credential } = await signIn().verifySession({ sessionToken }, anonymous(booted))
  expect(credential).toMatchObject({
    accountId: user!.accountId,
    userId: user!.userId,
    loginId: user!.loginId,
    timezone: 'America/Chicago',
    locale: 'de-DE',
    subscriptionActive: true,
  })
})

test('texts are trimmed; timezone and locale have defaults', async () => {
  const { email } = newcomer()
  const padded = { email: ` ${email} `, password: '  87654kjh  ', firstName: ' Bo ', lastName: '' }
  const { user } = await register(booted, padded)
  expect(user).toMatchObject({
    login: { email, firstName: 'Bo', lastName: '' },
    account: { timezone: 'UTC', locale: 'en_US' },
  })
  const login = { email, password: '87654kjh' }
  await expect(signIn().login(login, anonymous(booted))).resolves.toMatchObject({ isActive: true })
})

test('the settings of the account are emitted as version 1', async () => {
  const { accountId } = await register(booted, { timezone: 'Asia/Calcutta', locale: 'en_IN' })
  const Row = z.object({ type: z.string(), version: z.bigint(), payload: z.instanceof(Buffer) })
  const rows = await booted.database('identity').pool.any(sql.type(Row)`
    SELECT type, version, payload FROM changes WHERE account_id = ${accountId}`)
  expect(rows).toHaveLength(1)
  expect(rows[0]).toMatchObject({ type: 'coffer.identity.v1.AccountSettingsChanged', version: 1n })
  expect(fromBinary(AccountSettingsChangedSchema, rows[0]!.payload)).toMatchObject({
    accountId,
    timezone: 'Asia/Kolkata',
    locale: 'en_IN',
    version: 1n,
  })
})

test('of eight concurrent registrations of one address only one succeeds', async () => {
  const body = newcomer()
  const all = await Promise.allSettled(
    Array.from({ length: 8 }, () => signIn().register(body, anonymous(booted))),
  )
  expect(all.filter(({ status }) => status === 'fulfilled')).toHaveLength(1)
  for (const one of all) {
    if (one.status === 'fulfilled') continue
    expect(refusalOf(one.reason)).toMatchObject({ code: 'EMAIL_IN_USE', status: 428 })
  }
  const count = sql.type(z.object({ accounts: z.bigint() }))`
    SELECT count(*) AS accounts FROM accounts a
    JOIN users USING (account_id) JOIN logins l USING (login_id) WHERE l.email = ${body.email}`
  expect(await booted.database('identity').pool.oneFirst(count)).toBe(1n)
})

test('an address of a blocked domain is answered as one in use, and not stored', async () => {
  await using blocking = await bootIdentity({
    COFFER_EMAIL_BLOCKED_DOMAINS: ' Throwaway.example, other.example',
  })
  const register = (email: string) =>
    blocking
      .client('identity', SignInService)
      .register(newcomer({ email }), anonymous(blocking))
      .then(() => null, ConnectError.from)
  const taken = 'ann@here.example'
  expect(await register(taken)).toBeNull()
  const [inUse, blocked] = [await register(taken), await register('bo@throwaway.example')]
  expect(blocked?.message).toBe(inUse?.message)
  expect(refusalOf(blocked!)).toEqual(refusalOf(inUse!))
  expect(await register('bo@mail.throwaway.example')).toBeNull()
  const emails = await blocking
    .database('identity')
    .pool.anyFirst(sql.type(z.object({ email: z.string() }))`
    SELECT email FROM logins ORDER BY email`)
  expect(emails).toEqual([taken, 'bo@mail.throwaway.example'])
})

test('a registration that fails leaves nothing behind', async () => {
  const { email } = await register(booted)
  const database = booted.database('identity')
  const count = sql.type(z.object({ rows: z.bigint() }))`
    SELECT (SELECT count(*) FROM accounts) + (SELECT count(*) FROM sessions)
      + (SELECT count(*) FROM changes) AS rows`
  const before = await database.pool.oneFirst(count)
  await expect(signIn().register(newcomer({ email }), anonymous(booted))).rejects.toThrow()
  expect(await database.pool.oneFirst(count)).toBe(before)
})

test('each bad field is a problem', async () => {
  const bad = { email: 'ann', firstName: '  ', password: 'Iloveyou', timezone: 'Mars/Olympus' }
  const error = await refusal(signIn().register(newcomer(bad), anonymous(booted)))
  expect(error).toMatchObject({ code: Code.InvalidArgument })
  expect(Object.keys(problemsOf(error as ConnectError) ?? {}).sort()).toEqual(Object.keys(bad))
})

test('without sign-up there is no registration', async () => {
  await using closed = await bootIdentity({ COFFER_ALLOW_SIGN_UP: 'false' })
  const { register } = closed.client('identity', SignInService)
  const error = await register(newcomer(), anonymous(closed)).catch(ConnectError.from)
  expect(refusalOf(error as ConnectError)).toMatchObject({ status: 404 })
})
