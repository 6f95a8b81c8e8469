import { newId } from '@coffer/kit/values/id'
import { UserService } from '@coffer/proto/identity/v1/user'
import { Code } from '@connectrpc/connect'
import { expect, test } from '@jest/globals'
import { bootingIdentity, register, service } from './household.ts'

const booted = bootingIdentity()

const users = () => booted.client('identity', UserService)

test('users see themselves, their login and their account', async () => {
  const ann = await register(booted, { timezone: 'Europe/Berlin', locale: 'de_DE' })
  const me = await users().getMe({}, ann.as)
  expect(me).toMatchObject({
    user: {
      userId: ann.user.userId,
      accountId: ann.accountId,
      role: 'owner',
      login: { email: ann.email, firstName: 'Ann', lastName: 'Lee' },
      account: {
        timezone: 'Europe/Berlin',
        locale: 'de_DE',
        createdAt: ann.user.account?.createdAt,
      },
    },
    mfaPending: false,
    isActive: true,
    isTrialing: false,
    hasSubscription: false,
    defaultCurrency: 'EUR',
  })
  expect([me.activeUntil, me.trialingUntil, me.nextUrl]).toEqual([undefined, undefined, undefined])
})

test('a deleted user is not signed in', async () => {
  const call = users().getMe({}, booted.as(newId('acct')))
  await expect(call).rejects.toMatchObject({ code: Code.Unauthenticated })
})

test.each(['ledger', 'budgeting', 'aggregator-sync', 'feed-sync'])(
  '%s may ask for the settings of an account',
  async (name) => {
    const { accountId } = await register(booted, { timezone: 'Asia/Tokyo', locale: 'ja_JP' })
    const settings = await users().getAccountSettings({}, service(booted, name, accountId))
    expect(settings).toMatchObject({ timezone: 'Asia/Tokyo', locale: 'ja_JP', version: 1n })
  },
)

test('an account that is not there has no settings', async () => {
  const call = users().getAccountSettings({}, service(booted, 'ledger', newId('acct')))
  await expect(call).rejects.toMatchObject({ code: Code.NotFound })
})

test('a service cannot be a user', async () => {
  const { accountId } = await register(booted)
  const call = users().getMe({}, service(booted, 'ledger', accountId))
  await expect(call).rejects.toMatchObject({ code: Code.PermissionDenied })
})

test('users of an account see each other, and no other users', async () => {
  const [ann, bob] = await Promise.all([register(booted), register(booted)])
  const { user } = await users().getUser({ userId: ann.user.userId }, ann.as)
  expect(user).toMatchObject({ userId: ann.user.userId, login: { email: ann.email } })
  for (const userId of [bob.user.userId, newId('user')]) {
    const call = users().getUser({ userId }, ann.as)
    await expect(call).rejects.toMatchObject({ code: Code.NotFound })
  }
  const byKey = booted.as(ann.accountId, { kind: 'key', userId: ann.user.userId })
  const call = users().getUser({ userId: ann.user.userId }, byKey)
  await expect(call).rejects.toMatchObject({ code: Code.Unauthenticated })
})
