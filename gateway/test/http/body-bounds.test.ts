import { afterAll, expect, test } from '@jest/globals'
import { byPending, createGateway } from '../gateway.ts'
import { listRoutes } from '../routes.ts'

const gateway = await createGateway(
  {
    features: {
      getFeatures: () => ({
        allowSignUp: true,
        verifyEmailAddress: true,
        allowForgotPassword: true,
        proofOfWorkEnabled: true,
      }),
    },
  },
  {
    COFFER_BILLING_ENABLED: 'true',
    COFFER_AGGREGATOR_ENABLED: 'true',
    COFFER_AGGREGATOR_WEBHOOKS_ENABLED: 'true',
  },
)
afterAll(async () => await gateway[Symbol.asyncDispose]())

const routes = listRoutes(gateway)
const beforeSignIn = routes.filter(({ auth, body }) => {
  return body !== undefined && (auth === 'none' || auth === 'multifactor')
})
const webhooks = routes.filter(({ webhook }) => webhook !== undefined)
const KiB = 1024

test('the routes before sign-in, and those of webhooks, are known', () => {
  expect(beforeSignIn.map(({ id }) => id).sort()).toEqual([
    'completeSignIn',
    'createChallenge',
    'registerAccount',
    'requestPasswordReset',
    'requestPasswordResetByMail',
    'resendVerificationMail',
    'resetPassword',
    'signIn',
    'verifyEmail',
  ])
  expect(webhooks.map(({ id }) => id).sort()).toEqual([
    'receiveAggregatorWebhook',
    'receiveStripeEvent',
  ])
})

test.each(beforeSignIn)('$method $path takes 64 KiB, 32 levels, 1,000 tokens', async (route) => {
  const { method, path } = route
  const send = async (body: string) => {
    const answer = await gateway.send(method, path, { as: byPending, body })
    return [answer.status, answer.body.error]
  }
  const sized = (bytes: number) => `{"email":"${'a'.repeat(bytes - 12)}"}`
  expect(await send(sized(64 * KiB))).toEqual([400, 'Invalid request'])
  expect(await send(sized(64 * KiB + 1))).toEqual([413, 'the body is larger than 64 KiB'])
  expect(await send(`{"email":${'['.repeat(60 * KiB)}`)).toEqual([
    400,
    'the body is nested deeper than 32 levels',
  ])
  expect(await send(`{"email":[${'[],'.repeat(1_000)}`)).toEqual([
    400,
    'the body has more than 1000 opening brackets, colons and commas',
  ])
})

test.each(webhooks)('$method $path takes 1 MiB and parses nothing', async (route) => {
  const { method, path, webhook = '' } = route
  const headers = { [webhook]: 'signature' }
  const large = Buffer.alloc(KiB * KiB + 1, '[')
  const { status, body } = await gateway.send(method, path, { as: null, body: large, headers })
  expect([status, body.error]).toEqual([413, 'the body is larger than 1 MiB'])
  expect(gateway.received.map(({ rpc }) => rpc)).not.toContain('ReceiveWebhook')
})
