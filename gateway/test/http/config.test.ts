import { unavailable } from '@coffer/kit/rpc/errors'
import { afterEach, expect, test } from '@jest/globals'
import { createGateway, type Gateway } from '../gateway.ts'

let gateway: Gateway
afterEach(async () => await gateway[Symbol.asyncDispose]())

const features = { getFeatures: () => ({ allowSignUp: true }) }

test('features that are off are false, and unknown build values are empty', async () => {
  gateway = await createGateway({ features })
  const { status, body } = await gateway.send('GET', '/api/config', { as: null })
  expect(status).toBe(200)
  expect(body).toMatchObject({
    allowSignUp: true,
    allowForgotPassword: false,
    verifyEmailAddress: false,
    requireBetaCode: false,
    proofOfWorkEnabled: false,
    billingEnabled: false,
    initialPlan: null,
    uploadsEnabled: false,
    aggregatorEnabled: false,
    longPollAggregatorSetup: true,
    feedEnabled: false,
    feedAllowedAPIURLs: [],
    release: '',
  })
})

test.each([
  ['true', 'https://feed.example', true],
  ['true', '', false],
  ['false', 'https://feed.example', false],
])('with COFFER_FEED_ENABLED=%s and the URLs "%s", feedEnabled is %s', async (on, urls, is) => {
  const environment = { COFFER_FEED_ENABLED: on, COFFER_FEED_ALLOWED_URLS: urls }
  gateway = await createGateway({ features }, environment)
  const { body } = await gateway.send('GET', '/api/config', { as: null })
  expect(body).toMatchObject({ feedEnabled: is, feedAllowedAPIURLs: urls ? [urls] : [] })
})

test('the aggregator is on where its setting is', async () => {
  gateway = await createGateway({ features }, { COFFER_AGGREGATOR_ENABLED: 'true' })
  const { body } = await gateway.send('GET', '/api/config', { as: null })
  expect(body.aggregatorEnabled).toBe(true)
})

test.each([
  ['a price', () => ({ price: 499n }), { price: 499 }],
  ['no price', () => ({}), null],
  [
    'no answer',
    () => {
      throw unavailable('Stripe is away')
    },
    null,
  ],
])(
  'with billing and %s from identity, initialPlan is the price or null',
  async (_, getPlan, plan) => {
    const environment = { COFFER_BILLING_ENABLED: 'true' }
    gateway = await createGateway({ features, billing: { getPlan } }, environment)
    const { status, body } = await gateway.send('GET', '/api/config', { as: null })
    expect([status, body.billingEnabled, body.initialPlan]).toEqual([200, true, plan])
  },
)
