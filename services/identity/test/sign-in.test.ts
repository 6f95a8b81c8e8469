import { refusalOf } from '@coffer/kit/rpc/errors'
import { statementsMax } from '@coffer/kit/testing/statements-max'
import { SignInService } from '@coffer/proto/identity/v1/sign_in'
import { UserService } from '@coffer/proto/identity/v1/user'
import { Code, type ConnectError } from '@connectrpc/connect'
import { expect, test } from '@jest/globals'
import { sql } from 'slonik'
import { z } from 'zod'
import {
  anonymous,
  bootingIdentity,
  newcomer,
  password,
  refusal,
  register,
  statementsOf,
} from './household.ts'

const booted = bootingIdentity({ COFFER_SIGN_IN_LIMIT_PER_MINUTE: '3' })

const signIn = () => booted.client('identity', SignInService)
const login = (body: { email: string; password: string }) => signIn().login(body, anonymous(booted))
const verify = (sessionToken: string) => signIn().verifySession({ sessionToken }, anonymous(booted))

const minute = 60_000
const day = 24 * 60 * minute
const start = new Date('2026-03-01T12:00:00Z')
const after = (ms: number) => new Date(start.getTime() + ms)

test('a sign-in begins a session of its own', async () => {
  const ann = await register(booted)
  const { sessionToken, isActive } = await login(ann)
  expect(isActive).toBe(true)
  expect(sessionToken).not.toBe(ann.sessionToken)
  const { credential } = await verify(sessionToken)
  expect(credential).toMatchObject({ accountId: ann.accountId, userId: ann.user.userId })
})

test('an unknown address, a wrong password and a disabled login are one error', async () => {
  const [ann, bob] = await Promise.all([register(booted), register(booted)])
  await booted.database('identity').pool.query(sql.unsafe`
    UPDATE logins SET disabled_at = now() WHERE email = ${bob.email}`)
  const errors = await Promise.all([
    refusal(login({ ...ann, password: 'wrong horse battery' })),
    refusal(login(newcomer())),
    refusal(login(bob)),
  ])
  for (const error of errors) {
    expect(error).toMatchObject({ code: Code.Unauthenticated, rawMessage: errors[0]?.rawMessage })
  }
})

test('an account is never deleted as unverified after a sign-in', async () => {
  const [ann, bob] = await Promise.all([register(booted), register(booted)])
  const { pool } = booted.database('identity')
  const due = sql.timestamp(start)
  await pool.query(sql.unsafe`UPDATE logins SET verify_by = ${due} WHERE email = ${ann.email}`)
  await login(ann)
  const known = sql.type(z.object({ login: z.string() }))`
    SELECT email AS login FROM logins WHERE verify_by IS NOT NULL`
  expect(await pool.anyFirst(known)).toEqual([])
  // Email verification is off here: the sweep deletes no account, even past the deadline.
  await pool.query(sql.unsafe`UPDATE logins SET verify_by = ${due} WHERE email = ${bob.email}`)
  await booted.host.services.identity?.activities?.removeUnverified?.()
  expect(await login(bob)).toMatchObject({ isActive: true })
})

test('a login that is a user of no account, or of several, cannot sign in', async () => {
  const [ann, bob, eve] = await Promise.all([1, 2, 3].map(() => register(booted)))
  const { pool } = booted.database('identity')
  await pool.query(sql.unsafe`DELETE FROM users WHERE user_id = ${ann!.user.userId}`)
  await pool.query(sql.unsafe`
    UPDATE users SET login_id = ${bob!.user.loginId} WHERE user_id = ${eve!.user.userId}`)
  expect(await refusal(login(ann!))).toMatchObject({ code: Code.Internal })
  expect(await refusal(login(bob!))).toMatchObject({ code: Code.FailedPrecondition })
})

test.each([[{ email: 'ann', password }], [{ email: 'ann@example.com', password: 'short' }]])(
  '%j cannot be credentials',
  async (body) => {
    expect(await refusal(login(body))).toMatchObject({ code: Code.InvalidArgument })
  },
)

test('the fourth failure within a minute is refused, for known addresses and unknown', async () => {
  booted.clock.now = start
  const ann = await register(booted)
  for (const { email } of [ann, newcomer()]) {
    const wrong = { email, password: 'wrong horse battery' }
    for (const _ of [1, 2, 3]) {
      expect(await refusal(login(wrong))).toMatchObject({ code: Code.Unauthenticated })
    }
    expect(refusalOf((await refusal(login(wrong))) as ConnectError)).toMatchObject({ status: 429 })
  }
  expect(refusalOf((await refusal(login(ann))) as ConnectError)).toMatchObject({ status: 429 })
  booted.clock.now = after(minute)
  expect(await login(ann)).toMatchObject({ isActive: true })
})

test('a successful sign-in resets the count of failures', async () => {
  booted.clock.now = start
  const ann = await register(booted)
  const wrong = { ...ann, password: 'wrong horse battery' }
  for (const _ of [1, 2, 3]) {
    await refusal(login(wrong))
    await refusal(login(wrong))
    expect(await login(ann)).toMatchObject({ isActive: true })
  }
})

test('concurrent guesses count like others', async () => {
  booted.clock.now = start
  const ann = await register(booted)
  const wrong = { ...ann, password: 'wrong horse battery' }
  const errors = await Promise.all(Array.from({ length: 12 }, () => refusal(login(wrong))))
  const tried = errors.filter((error) => error?.code === Code.Unauthenticated)
  expect(tried).toHaveLength(3)
})

test('a session ends with logout at once, the others stay', async () => {
  const ann = await register(booted)
  const { sessionToken } = await login(ann)
  await signIn().logout({ sessionToken }, anonymous(booted))
  expect(await refusal(verify(sessionToken))).toMatchObject({ code: Code.Unauthenticated })
  await expect(verify(ann.sessionToken)).resolves.toHaveProperty('credential')
})

test('a sign-in ends the former session of the same browser, and no other', async () => {
  const ann = await register(booted)
  const other = await login(ann)
  const formerSessionToken = ann.sessionToken
  const wrong = { ...ann, password: 'wrong horse battery', formerSessionToken }
  await refusal(signIn().login(wrong, anonymous(booted)))
  await expect(verify(formerSessionToken)).resolves.toHaveProperty('credential')
  const { sessionToken } = await signIn().login({ ...ann, formerSessionToken }, anonymous(booted))
  expect(await refusal(verify(formerSessionToken))).toMatchObject({ code: Code.Unauthenticated })
  const again = { ...newcomer(), formerSessionToken: sessionToken }
  await signIn().register(again, anonymous(booted))
  expect(await refusal(verify(sessionToken))).toMatchObject({ code: Code.Unauthenticated })
  await expect(verify(other.sessionToken)).resolves.toHaveProperty('credential')
})

test.each(['', 'nonsense', 'a'.repeat(52)])(
  'logout with %j is fine, verifying is not',
  async (t) => {
    await expect(signIn().logout({ sessionToken: t }, anonymous(booted))).resolves.toBeDefined()
    expect(await refusal(verify(t))).toMatchObject({ code: Code.Unauthenticated })
  },
)

test('a session ends when its login is disabled', async () => {
  const ann = await register(booted)
  await booted.database('identity').pool.query(sql.unsafe`
    UPDATE logins SET disabled_at = now() WHERE email = ${ann.email}`)
  expect(await refusal(verify(ann.sessionToken))).toMatchObject({ code: Code.Unauthenticated })
})

test('a password does not expire by age', async () => {
  booted.clock.now = after(-3_650 * day)
  const ann = await register(booted)
  booted.clock.now = start
  await expect(login({ email: ann.email, password })).resolves.toMatchObject({ isActive: true })
})

test('a session ends after fourteen days, used or not', async () => {
  booted.clock.now = start
  const { sessionToken } = await register(booted)
  for (const days of [5, 10, 13]) {
    booted.clock.now = after(days * day)
    await expect(verify(sessionToken)).resolves.toHaveProperty('credential')
  }
  booted.clock.now = after(14 * day)
  expect(await refusal(verify(sessionToken))).toMatchObject({ code: Code.Unauthenticated })
})

test('a session ends after seven days without use', async () => {
  booted.clock.now = start
  const { sessionToken } = await register(booted)
  booted.clock.now = after(7 * day)
  expect(await refusal(verify(sessionToken))).toMatchObject({ code: Code.Unauthenticated })
})

test('a session is verified with few statements', async () => {
  const { sessionToken } = await register(booted)
  const sent = await statementsOf(booted, 10, () => verify(sessionToken))
  expect(sent).toBeLessThanOrEqual(statementsMax.verifySession)
})

test('no token and no password is stored as it is', async () => {
  const ann = await register(booted)
  const stored = sql.type(z.object({ row: z.string() }))`
    SELECT row(l.*, s.*)::text AS row FROM logins l
    JOIN users u USING (login_id) JOIN sessions s USING (account_id) WHERE email = ${ann.email}`
  const row = await booted.database('identity').pool.oneFirst(stored)
  expect(row).toContain('$argon2id$')
  expect(row).not.toContain(password)
  expect(row).not.toContain(ann.sessionToken)
  expect(row).not.toContain(Buffer.from(ann.sessionToken).toString('hex'))
})

test('a caller without an account can only sign in', async () => {
  const users = booted.client('identity', UserService)
  expect(await refusal(users.getMe({}, anonymous(booted)))).toMatchObject({
    code: Code.Unauthenticated,
  })
})
