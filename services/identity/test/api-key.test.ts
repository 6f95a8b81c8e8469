import { timestampDate, timestampFromDate } from '@bufbuild/protobuf/wkt'
import { problemsOf } from '@coffer/kit/rpc/errors'
import { statementsMax } from '@coffer/kit/testing/statements-max'
import { isId, newId } from '@coffer/kit/values/id'
import { ApiKeyService } from '@coffer/proto/identity/v1/api_key'
import { SignInService } from '@coffer/proto/identity/v1/sign_in'
import { UserService } from '@coffer/proto/identity/v1/user'
import { type CallOptions, Code } from '@connectrpc/connect'
import { expect, test } from '@jest/globals'
import { sql } from 'slonik'
import { anonymous, bootingIdentity, refusal, register, statementsOf } from './household.ts'

const booted = bootingIdentity({ COFFER_API_KEYS_MAX: '5' })

const keys = () => booted.client('identity', ApiKeyService)
const names = async (as: CallOptions) =>
  (await keys().listApiKeys({}, as)).apiKeys.map(({ name }) => name)
const verify = (apiKeyId: string, secret: string) =>
  booted.client('identity', SignInService).verifyApiKey({ apiKeyId, secret }, anonymous(booted))

async function create(as: CallOptions, name = 'Laptop', limits = {}) {
  const { apiKey } = await keys().createApiKey({ name, ...limits }, as)
  return { apiKeyId: apiKey!.apiKeyId, secret: apiKey!.secret ?? '', apiKey: apiKey! }
}

test('a key acts as its creator; its secret is shown once', async () => {
  const ann = await register(booted, { timezone: 'Europe/Paris', locale: 'fr_FR' })
  const { apiKeyId, secret, apiKey } = await create(ann.as, '  Laptop ')
  expect(isId('key', apiKeyId)).toBe(true)
  expect(secret).toMatch(/^coffer_secret_[a-z2-7]{52}$/)
  expect(apiKey).toMatchObject({ name: 'Laptop', createdBy: ann.user.userId })
  const { credential } = await verify(apiKeyId, secret)
  expect(credential).toMatchObject({
    accountId: ann.accountId,
    userId: ann.user.userId,
    loginId: ann.user.loginId,
    timezone: 'Europe/Paris',
    locale: 'fr_FR',
    subscriptionActive: true,
  })
  const { apiKeys } = await keys().listApiKeys({}, ann.as)
  expect(apiKeys).toMatchObject([{ apiKeyId, name: 'Laptop', createdBy: ann.user.userId }])
  expect([apiKeys[0]?.secret, apiKeys[0]?.deletedAt]).toEqual([undefined, undefined])
})

test('keys are listed newest first, each account its own', async () => {
  const [ann, bob] = await Promise.all([register(booted), register(booted)])
  expect(await names(ann.as)).toEqual([])
  for (const name of ['One', 'Two', 'Three']) await create(ann.as, name)
  expect(await names(ann.as)).toEqual(['Three', 'Two', 'One'])
  expect(await names(bob.as)).toEqual([])
})

test('a name is free again, in any spelling, once its key is revoked', async () => {
  const ann = await register(booted)
  const { apiKeyId } = await create(ann.as)
  for (const spelling of ['Laptop', 'LÁPTOP']) {
    const error = await refusal(create(ann.as, spelling))
    expect(error).toMatchObject({ code: Code.AlreadyExists })
    expect(error && problemsOf(error)).toEqual({ name: 'is taken by another API key: Laptop' })
  }
  await keys().deleteApiKey({ apiKeyId }, ann.as)
  await create(ann.as)
  expect(await names(ann.as)).toEqual(['Laptop'])
  const bob = await register(booted)
  await create(bob.as)
})

test('of spellings of one name at once, one becomes a key', async () => {
  const ann = await register(booted)
  const spellings = ['straße', 'STRASSE', 'Straße', 'strasse']
  const made = await Promise.allSettled(spellings.map((name) => create(ann.as, name)))
  expect(made.filter(({ status }) => status === 'fulfilled')).toHaveLength(1)
  expect(await names(ann.as)).toHaveLength(1)
})

test('a blank name is a problem', async () => {
  const ann = await register(booted)
  const error = await refusal(create(ann.as, '   '))
  expect(error).toMatchObject({ code: Code.InvalidArgument })
  expect(error && problemsOf(error)).toEqual({ name: 'name is required' })
})

test('a revoked key is refused at once and cannot be revoked again', async () => {
  const ann = await register(booted)
  const { apiKeyId, secret } = await create(ann.as)
  await keys().deleteApiKey({ apiKeyId }, ann.as)
  expect(await refusal(verify(apiKeyId, secret))).toMatchObject({ code: Code.Unauthenticated })
  expect(await refusal(keys().deleteApiKey({ apiKeyId }, ann.as))).toMatchObject({
    code: Code.FailedPrecondition,
  })
})

test("another account's key is not there", async () => {
  const [ann, bob] = await Promise.all([register(booted), register(booted)])
  const { apiKeyId, secret } = await create(ann.as)
  for (const id of [apiKeyId, newId('key')]) {
    const call = keys().deleteApiKey({ apiKeyId: id }, bob.as)
    expect(await refusal(call)).toMatchObject({ code: Code.NotFound })
  }
  await expect(verify(apiKeyId, secret)).resolves.toHaveProperty('credential')
})

test('a key cannot manage keys', async () => {
  const ann = await register(booted)
  const { apiKeyId } = await create(ann.as)
  const as = booted.as(ann.accountId, { kind: 'key', userId: ann.user.userId })
  const calls = [
    keys().listApiKeys({}, as),
    keys().createApiKey({ name: 'Second' }, as),
    keys().deleteApiKey({ apiKeyId }, as),
  ]
  for (const call of calls) {
    expect(await refusal(call)).toMatchObject({ code: Code.Unauthenticated })
  }
  expect(await names(ann.as)).toEqual(['Laptop'])
})

test('only the right secret of the right key is accepted', async () => {
  const ann = await register(booted)
  const [one, two] = [await create(ann.as, 'One'), await create(ann.as, 'Two')]
  const wrong: [string, string][] = [
    [one.apiKeyId, two.secret],
    [one.apiKeyId, one.secret.toUpperCase()],
    [one.apiKeyId, one.secret.slice('coffer_secret_'.length)],
    [one.apiKeyId, ''],
    [newId('key'), one.secret],
    ['', one.secret],
    [ann.user.userId, one.secret],
  ]
  for (const [apiKeyId, secret] of wrong) {
    expect(await refusal(verify(apiKeyId, secret))).toMatchObject({ code: Code.Unauthenticated })
  }
})

test("a disabled login's keys are refused", async () => {
  const ann = await register(booted)
  const { apiKeyId, secret } = await create(ann.as)
  await booted.database('identity').pool.query(sql.unsafe`
    UPDATE logins SET disabled_at = now() WHERE email = ${ann.email}`)
  expect(await refusal(verify(apiKeyId, secret))).toMatchObject({ code: Code.Unauthenticated })
})

test('a key is verified with few statements', async () => {
  const ann = await register(booted)
  const { apiKeyId, secret } = await create(ann.as)
  // The first use is stored.
  await verify(apiKeyId, secret)
  const sent = await statementsOf(booted, 10, () => verify(apiKeyId, secret))
  expect(sent).toBeLessThanOrEqual(statementsMax.verifyApiKey)
})

test('a key ends when it expires', async () => {
  const start = new Date('2026-03-01T12:00:00Z')
  booted.clock.now = start
  const ann = await register(booted)
  const expiresAt = timestampFromDate(new Date('2026-03-02T12:00:00Z'))
  const { apiKeyId, secret, apiKey } = await create(ann.as, 'Brief', { expiresAt })
  expect(apiKey.expiresAt).toEqual(expiresAt)
  booted.clock.now = new Date('2026-03-02T11:59:59Z')
  await expect(verify(apiKeyId, secret)).resolves.toHaveProperty('credential')
  booted.clock.now = new Date('2026-03-02T12:00:00Z')
  expect(await refusal(verify(apiKeyId, secret))).toMatchObject({ code: Code.Unauthenticated })
  const past = create(ann.as, 'Late', { expiresAt })
  expect(await refusal(past)).toMatchObject({ code: Code.InvalidArgument })
})

test('the use of a key is stored every five minutes, and only with its secret', async () => {
  booted.clock.now = new Date('2026-03-01T12:00:00Z')
  const ann = await register(booted)
  const { apiKeyId, secret } = await create(ann.as)
  const lastUsed = async () => {
    const { apiKeys } = await keys().listApiKeys({}, ann.as)
    return apiKeys[0]?.lastUsedAt && timestampDate(apiKeys[0].lastUsedAt).toISOString()
  }
  const { secret: other } = await create(await register(booted).then(({ as }) => as))
  expect(await refusal(verify(apiKeyId, other))).toMatchObject({ code: Code.Unauthenticated })
  expect(await lastUsed()).toBeUndefined()
  for (const [at, noted] of [
    ['2026-03-01T12:01:00.000Z', '2026-03-01T12:01:00.000Z'],
    ['2026-03-01T12:05:59.000Z', '2026-03-01T12:01:00.000Z'],
    ['2026-03-01T12:06:00.000Z', '2026-03-01T12:06:00.000Z'],
  ] as const) {
    booted.clock.now = new Date(at)
    await verify(apiKeyId, secret)
    expect(await lastUsed()).toBe(noted)
  }
})

test('a read-only key is marked as such, and no RPC with effects accepts it', async () => {
  const ann = await register(booted)
  const { apiKeyId, secret } = await create(ann.as, 'Reader', { scope: 'read' })
  const { credential } = await verify(apiKeyId, secret)
  expect(credential?.isReadOnly).toBe(true)
  const { userId } = ann.user
  const as = booted.as(ann.accountId, { kind: 'key', userId, isReadOnly: true })
  expect(await refusal(keys().createApiKey({ name: 'More' }, as))).toMatchObject({
    code: Code.PermissionDenied,
  })
  const me = await booted.client('identity', UserService).getMe({}, as)
  expect(me.user?.userId).toBe(userId)
})

test('keys are created up to the bound, by concurrent requests too', async () => {
  const ann = await register(booted)
  const calls = Array.from({ length: 8 }, (_, n) => refusal(create(ann.as, `Key ${n}`)))
  const refused = (await Promise.all(calls)).flatMap((error) => error?.rawMessage ?? [])
  const text = 'an account has at most 5 API keys: revoke one first'
  expect(refused).toEqual([text, text, text])
  const { apiKeys } = await keys().listApiKeys({}, ann.as)
  await keys().deleteApiKey({ apiKeyId: apiKeys[0]?.apiKeyId ?? '' }, ann.as)
  expect(await refusal(create(ann.as, 'Room'))).toBeNull()
})
