import { expect, test } from '@jest/globals'
import { readArguments, startEnvironment } from '../src/start/start-settings.ts'

const env = { COFFER_DATA_DIR: '/nonexistent', COFFER_PORT: '5000' }
const none = { providers: [], replicas: null }
const both = () => readArguments(['--try-aggregator', '--try-feed'])

test('arguments of npm start choose the simulated providers', () => {
  expect(readArguments([])).toEqual(none)
  expect(both().providers.map(({ name }) => name)).toEqual(['try-feed', 'try-aggregator'])
  expect(startEnvironment(env, none)).not.toHaveProperty('COFFER_AGGREGATOR_ENABLED')
})

test('both simulated providers have settings, which replace those of a real Plaid', () => {
  const real = {
    ...env,
    COFFER_AGGREGATOR_ENABLED: 'true',
    COFFER_AGGREGATOR_CLIENT_ID: 'real',
    COFFER_FEED_ALLOWED_URLS: 'https://feed.example',
    COFFER_TRY_AGGREGATOR_PORT: '5001',
  }
  expect(startEnvironment(real, both())).toMatchObject({
    COFFER_FEED_ENABLED: 'true',
    COFFER_FEED_ALLOWED_URLS: 'https://feed.example,http://127.0.0.1:4035/api/v1',
    COFFER_AGGREGATOR_CLIENT_ID: 'tryAggregatorClient',
    COFFER_AGGREGATOR_URL: 'http://127.0.0.1:5001',
    COFFER_AGGREGATOR_WEBHOOKS_ENABLED: 'true',
    COFFER_AGGREGATOR_WEBHOOKS_DOMAIN: 'localhost:5000',
  })
})

test('the port of a simulated provider must be free of other servers', () => {
  const taken = { ...env, COFFER_TRY_AGGREGATOR_PORT: '4035' }
  expect(() => startEnvironment(taken, both())).toThrow(
    'COFFER_TRY_AGGREGATOR_PORT: 4035 is COFFER_TRY_FEED_PORT already',
  )
  expect(startEnvironment(taken, none)).toMatchObject(env)
})

test('a mesh has one process of each part by default, and time for its balancer', () => {
  expect(readArguments(['--mesh'])).toEqual({ providers: [], replicas: 1 })
  const two = readArguments(['--mesh', '--replicas', '2'])
  expect(two).toEqual({ providers: [], replicas: 2 })
  expect(startEnvironment(env, none)).toMatchObject({ COFFER_LAME_DUCK_SECONDS: '0' })
  expect(startEnvironment(env, two)).toMatchObject({ COFFER_LAME_DUCK_SECONDS: '3' })
})
