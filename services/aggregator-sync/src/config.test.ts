import { readSettings } from '@coffer/host/settings'
import { describe, expect, test } from '@jest/globals'
import { CountryCode } from 'plaid'
import { aggregatorAddresses, requireAggregatorSettings, settings } from './config.ts'
import { countryCodes } from './provider/aggregator.ts'

const keys = {
  COFFER_AGGREGATOR_ENABLED: 'true',
  COFFER_AGGREGATOR_CLIENT_ID: 'client',
  COFFER_AGGREGATOR_CLIENT_SECRET: 'secret',
}

const read = (environment: Record<string, string>) => readSettings(settings, environment)

test('without settings, the aggregator is off', () => {
  const config = read({})
  expect(() => requireAggregatorSettings(config)).not.toThrow()
  expect(config).toMatchObject({
    aggregatorEnabled: false,
    aggregatorUrl: 'https://production.plaid.com',
    countryCodes: ['US'],
  })
  expect(aggregatorAddresses(config)).toEqual({ webhookUrl: null, redirectUri: null })
})

test.each([
  [
    { COFFER_AGGREGATOR_ENABLED: 'true' },
    'COFFER_AGGREGATOR_CLIENT_ID: needed with the aggregator\n' +
      'COFFER_AGGREGATOR_CLIENT_SECRET: needed with the aggregator',
  ],
  [
    { ...keys, COFFER_AGGREGATOR_CLIENT_SECRET: '' },
    'COFFER_AGGREGATOR_CLIENT_SECRET: needed with the aggregator',
  ],
  [
    { ...keys, COFFER_AGGREGATOR_WEBHOOKS_ENABLED: 'true' },
    'COFFER_AGGREGATOR_WEBHOOKS_DOMAIN: needed with webhooks of the aggregator',
  ],
])('%j is refused with a line for each missing setting', (environment, text) => {
  expect(() => requireAggregatorSettings(read(environment))).toThrow(new Error(text))
})

test('webhooks without a domain are ignored while the aggregator is off', () => {
  const config = read({ COFFER_AGGREGATOR_WEBHOOKS_ENABLED: 'true' })
  expect(() => requireAggregatorSettings(config)).not.toThrow()
})

test('the aggregator is told where webhooks and users go', () => {
  const config = read({
    ...keys,
    COFFER_AGGREGATOR_WEBHOOKS_ENABLED: 'true',
    COFFER_AGGREGATOR_WEBHOOKS_DOMAIN: 'money.example:8443',
    COFFER_AGGREGATOR_OAUTH_DOMAIN: 'app.money.example',
  })
  expect(() => requireAggregatorSettings(config)).not.toThrow()
  expect(aggregatorAddresses(config)).toEqual({
    webhookUrl: 'https://money.example:8443/api/aggregator/webhook',
    redirectUri: 'https://app.money.example/aggregator/oauth-return',
  })
})

describe('the address of the aggregator', () => {
  test.each([
    ['https://sandbox.plaid.com', 'https://sandbox.plaid.com'],
    ['https://Sandbox.Plaid.com/', 'https://sandbox.plaid.com'],
    ['http://127.0.0.1:4036', 'http://127.0.0.1:4036'],
    ['http://localhost:4036', 'http://localhost:4036'],
    ['http://[::1]:4036', 'http://[::1]:4036'],
  ])('%s is accepted', (url, origin) => {
    expect(read({ COFFER_AGGREGATOR_URL: url }).aggregatorUrl).toBe(origin)
  })

  test.each([
    ['sandbox.plaid.com', 'must be a URL'],
    ['ftp://sandbox.plaid.com', 'must be an https URL'],
    ['http://sandbox.plaid.com', 'must be an https URL: http is for a loopback address only'],
    ['http://127.0.0.1.example', 'must be an https URL: http is for a loopback address only'],
    ['http://10.0.0.1', 'must be an https URL: http is for a loopback address only'],
    ['https://me:secret@sandbox.plaid.com', 'must not contain credentials'],
    ['https://sandbox.plaid.com/v1', 'must end after the host and port'],
    ['https://sandbox.plaid.com?a=b', 'must end after the host and port'],
    ['https://sandbox.plaid.com#a', 'must end after the host and port'],
  ])('%s prevents the start', (url, problem) => {
    const bad = () => read({ COFFER_AGGREGATOR_URL: url })
    expect(bad).toThrow(new Error(`COFFER_AGGREGATOR_URL: ${problem}`))
  })
})

describe('country codes', () => {
  test('are those of the official client', () => {
    expect(countryCodes).toEqual(Object.values(CountryCode).sort())
  })

  test.each([
    ['US,CA', ['US', 'CA']],
    [' GB , DE ,', ['GB', 'DE']],
    ['US,US', ['US']],
  ])('%j is a list', (text, codes) => {
    expect(read({ COFFER_AGGREGATOR_COUNTRY_CODES: text }).countryCodes).toEqual(codes)
  })

  test.each(['us', 'USA', 'US;CA', ',', 'CH'])('%j is refused', (text) => {
    const bad = () => read({ COFFER_AGGREGATOR_COUNTRY_CODES: text })
    expect(bad).toThrow('COFFER_AGGREGATOR_COUNTRY_CODES: must be some of AT, BE, CA, ')
  })
})

test.each(['money.example', 'money.example:8443', '203.0.113.7', 'localhost:4000'])(
  '%s is a domain',
  (domain) => {
    expect(read({ COFFER_AGGREGATOR_OAUTH_DOMAIN: domain }).oauthDomain).toBe(domain)
  },
)

test.each(['https://money.example', 'money.example/app', 'me@money.example', 'a b', 'a:99999'])(
  '%s is no domain',
  (domain) => {
    const bad = () => read({ COFFER_AGGREGATOR_WEBHOOKS_DOMAIN: domain })
    expect(bad).toThrow('COFFER_AGGREGATOR_WEBHOOKS_DOMAIN: must be a host name or host:port')
  },
)
