import { SignInService } from '@coffer/proto/identity/v1/sign_in'
import { UserService } from '@coffer/proto/identity/v1/user'
import { Code, ConnectError } from '@connectrpc/connect'
import { expect, test } from '@jest/globals'
import { anonymous, bootingIdentity, newcomer, register } from './household.ts'

const booted = bootingIdentity({ COFFER_PASSWORD_HASHES_AT_ONCE: '1' })

test('more sign-ins than can be hashed are unavailable, and reads go on', async () => {
  const ann = await register(booted)
  const { login } = booted.client('identity', SignInService)
  const { getMe } = booted.client('identity', UserService)
  const storm = Array.from({ length: 200 }, () =>
    login(newcomer(), anonymous(booted)).then(
      () => null,
      (error) => ConnectError.from(error).code,
    ),
  )
  const reads = Array.from({ length: 20 }, () => getMe({}, ann.as))
  for (const { user } of await Promise.all(reads)) expect(user?.userId).toBe(ann.user.userId)
  const codes = await Promise.all(storm)
  const unavailable = codes.filter((code) => code === Code.Unavailable)
  const answered = codes.filter((code) => code === Code.Unauthenticated)
  expect(unavailable.length + answered.length).toBe(codes.length)
  expect(unavailable).not.toEqual([])
  expect(await login(ann, anonymous(booted))).toMatchObject({ isActive: true })
})
