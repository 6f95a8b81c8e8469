import { loadSigner } from '@coffer/host/rpc/signing-key'
import { eventually } from '@coffer/host/testing/boot'
import { systemCaller } from '@coffer/kit/rpc/caller'
import { problemsOf, refusalOf } from '@coffer/kit/rpc/errors'
import { asCaller } from '@coffer/kit/rpc/rpc'
import { AccountService } from '@coffer/proto/identity/v1/account'
import { AccountSettingsChangedSchema } from '@coffer/proto/identity/v1/events'
import { SignInService } from '@coffer/proto/identity/v1/sign_in'
import { UserService } from '@coffer/proto/identity/v1/user'
import { ConnectError } from '@connectrpc/connect'
import { expect, test } from '@jest/globals'
import { completeTimezone } from '../src/accounts/timezone-change.sql.ts'
import { anonymous, bootingIdentity, newcomer, password, register } from './household.ts'

const booted = bootingIdentity()

const users = () => booted.client('identity', UserService)
const proof = { kind: { case: 'currentPassword' as const, value: password } }
const asLedger = (accountId: string) =>
  asCaller(systemCaller(loadSigner(booted.keysFolder, 'ledger'), accountId, new Date()))
const login = (email: string) =>
  booted.client('identity', SignInService).login({ email, password }, anonymous(booted))

async function refusal(call: Promise<unknown>) {
  const error = await call.then(
    () => null,
    (reason) => ConnectError.from(reason),
  )
  if (error === null) return null
  const { status, code } = refusalOf(error) ?? { status: 0, code: '' }
  return { status, code, problems: problemsOf(error) }
}

test('names and locale change, and other services learn the locale', async () => {
  const ann = await register(booted, { timezone: 'Europe/Berlin' })
  const change = { firstName: ' Anna ', lastName: '', locale: 'de_DE' }
  const { user } = await users().updateUser(change, ann.as)
  expect(user).toMatchObject({
    login: { firstName: 'Anna', lastName: '', email: ann.email },
    account: { locale: 'de_DE', timezone: 'Europe/Berlin' },
  })
  expect(await users().getMe({}, ann.as)).toMatchObject({ user, defaultCurrency: 'EUR' })
  const changes = () => booted.changes('identity', ann.accountId)
  const isSettings = (name: string) => name === AccountSettingsChangedSchema.typeName
  await eventually(changes, (names) => names.filter(isSettings).length === 2)
  await users().updateUser({ locale: 'de_DE' }, ann.as)
  await users().updateUser({ locale: 'not a locale' }, ann.as)
  const last = await users().getMe({}, ann.as)
  expect(last.user?.account?.locale).toBe('en_US')
  expect((await changes()).filter(isSettings)).toHaveLength(3)
})

test('changes of two fields at once both count', async () => {
  const ann = await register(booted)
  for (const n of [1, 2, 3, 4, 5]) {
    const changes = [{ firstName: `Ann ${n}` }, { lastName: `Lee ${n}` }]
    await Promise.all(changes.map((change) => users().updateUser(change, ann.as)))
    const { user } = await users().getMe({}, ann.as)
    expect(user?.login).toMatchObject({ firstName: `Ann ${n}`, lastName: `Lee ${n}` })
  }
})

test('a field that is not sent stays, and a wrong one is named', async () => {
  const ann = await register(booted)
  const { user } = await users().updateUser({}, ann.as)
  expect(user).toEqual((await users().getMe({}, ann.as)).user)
  const wrong = { firstName: ' ', lastName: 'x'.repeat(301), email: 'Ann@example.com' }
  const { problems } = (await refusal(users().updateUser(wrong, ann.as))) ?? {}
  expect(Object.keys(problems ?? {})).toEqual(['firstName', 'lastName', 'email'])
})

test('an address changes at once where none is verified, by re-authentication', async () => {
  const ann = await register(booted)
  const bob = await register(booted)
  const { email } = newcomer()
  const change = (body: object) => users().updateUser(body, ann.as)
  expect(await refusal(change({ email }))).toMatchObject({ status: 401, code: 'PROOF_REQUIRED' })
  const wrong = { kind: { case: 'currentPassword' as const, value: 'another password' } }
  expect(await refusal(change({ email, proof: wrong }))).toMatchObject({ status: 401, code: '' })
  const taken = await refusal(change({ email: bob.email, firstName: 'Eve', proof }))
  expect(taken).toMatchObject({ status: 428, code: 'EMAIL_IN_USE' })
  expect((await users().getMe({}, ann.as)).user).toEqual(ann.user)

  const { user } = await change({ email, proof })
  expect(user?.login).toMatchObject({ email, isEmailVerified: false })
  expect(user?.login?.pendingEmail).toBeUndefined()
  expect((await login(email)).sessionToken).not.toBe('')
  await expect(login(ann.email)).rejects.toMatchObject({})
  // The session goes on, and the former address is free again.
  await users().updateUser({ email: ann.email, proof }, bob.as)
  expect(await users().getMe({}, ann.as)).toMatchObject({ user: { login: { email } } })
})

test('of concurrent changes to one address one succeeds', async () => {
  const people = [await register(booted), await register(booted), await register(booted)]
  const { email } = newcomer()
  const outcomes = await Promise.all(
    people.map(({ as }) => refusal(users().updateUser({ email, proof }, as))),
  )
  expect(outcomes.filter((one) => one === null)).toHaveLength(1)
  expect(outcomes.filter((one) => one?.code === 'EMAIL_IN_USE')).toHaveLength(2)
})

test('an address changes five times in a quarter of an hour', async () => {
  const ann = await register(booted)
  const change = () => users().updateUser({ email: newcomer().email, proof }, ann.as)
  for (const _ of [1, 2, 3, 4, 5]) await change()
  expect(await refusal(change())).toMatchObject({ status: 429 })
})

test('an owner requests a timezone, which is pending until all days are moved', async () => {
  const ann = await register(booted, { timezone: 'Europe/Berlin' })
  const accounts = booted.client('identity', AccountService)
  const change = (timezone: string, value = password) => {
    const kind = { case: 'currentPassword' as const, value }
    return accounts.changeTimezone({ timezone, proof: { kind } }, ann.as)
  }
  expect(await refusal(change('Asia/Tokyo', 'not the password'))).toMatchObject({ status: 401 })
  expect((await refusal(change('+09:00')))?.problems).toHaveProperty('timezone')
  expect((await accounts.getTimezoneChange({}, asLedger(ann.accountId))).timezone).toBeUndefined()
  const pending = { timezone: 'Europe/Berlin', pendingTimezone: 'Asia/Kolkata' }
  expect((await change('Asia/Calcutta')).user?.account).toMatchObject(pending)
  expect((await change('Asia/Kolkata')).user?.account).toMatchObject(pending)
  expect(await refusal(change('Asia/Tokyo'))).toMatchObject({ status: 409 })
  expect(await accounts.getTimezoneChange({}, asLedger(ann.accountId))).toMatchObject({
    timezone: 'Asia/Kolkata',
  })
  const database = booted.database('identity')
  await completeTimezone({ database, billed: false }, ann.accountId)
  await completeTimezone({ database, billed: false }, ann.accountId)
  const account = (await users().getMe({}, ann.as)).user?.account
  expect([account?.timezone, account?.pendingTimezone]).toEqual(['Asia/Kolkata', undefined])
})
