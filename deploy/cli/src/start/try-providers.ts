import { type Environment, readSettings } from '@coffer/host/settings'
import { machineConfig } from '@coffer/local/config'
import { settings } from '../settings/config.ts'

/** A simulated provider of bank data that `npm start` can run beside Coffer. */
export interface TryProvider {
  /** Name of the argument of `npm start` without dashes, and of the script in `test/providers`. */
  name: string
  /** Meaning of the argument. */
  about: string
  /** Name of the simulated server in error texts. */
  server: string
  portSetting: string
  portOf: (environment: Environment) => number
  /** Path of the base URL. */
  path: string
  /** Settings of Coffer that let links use the provider at its base URL. */
  settingsOf: (environment: Environment, url: string) => Environment
  /** Arguments of the script after the port and the data directory. */
  argumentsOf: (environment: Environment) => string[]
  /** Returns the `coffer` command that links the provider's bank accounts. */
  linkCommandOf: (url: string) => string
}

const apiKey = 'tryFeedKey'
const client = { id: 'tryAggregatorClient', secret: 'tryAggregatorSecret' }

const feed: TryProvider = {
  name: 'try-feed',
  about: 'also start a simulated feed of bank data, to link and sync',
  server: 'the simulated feed',
  portSetting: 'COFFER_TRY_FEED_PORT',
  portOf: (environment) => machineConfig(environment).tryPorts.feed,
  path: '/api/v1',
  settingsOf: ({ COFFER_FEED_ALLOWED_URLS: others }, url) => ({
    COFFER_FEED_ENABLED: 'true',
    COFFER_FEED_ALLOWED_URLS: [others, url].filter(Boolean).join(','),
  }),
  argumentsOf: () => [apiKey],
  linkCommandOf: (url) => `feed:link --url ${url} --key ${apiKey}`,
}

const aggregator: TryProvider = {
  name: 'try-aggregator',
  about: 'also start a simulated Plaid, to link and sync',
  server: 'the simulated Plaid',
  portSetting: 'COFFER_TRY_AGGREGATOR_PORT',
  portOf: (environment) => machineConfig(environment).tryPorts.aggregator,
  path: '',
  settingsOf: (environment, url) => ({
    COFFER_AGGREGATOR_ENABLED: 'true',
    COFFER_AGGREGATOR_CLIENT_ID: client.id,
    COFFER_AGGREGATOR_CLIENT_SECRET: client.secret,
    COFFER_AGGREGATOR_URL: url,
    COFFER_AGGREGATOR_LINK_URL: `${url}/link/v2/stable/link-initialize.js`,
    COFFER_AGGREGATOR_COUNTRY_CODES: 'US',
    COFFER_AGGREGATOR_WEBHOOKS_ENABLED: 'true',
    COFFER_AGGREGATOR_WEBHOOKS_DOMAIN: `localhost:${gatewayPortOf(environment)}`,
  }),
  // The last argument replaces the address of webhooks: Plaid requires https there, but the gateway
  // of `npm start` serves http.
  argumentsOf: (environment) => [
    client.id,
    client.secret,
    `http://127.0.0.1:${gatewayPortOf(environment)}`,
  ],
  linkCommandOf: () => `aggregator:link --secret ${client.secret}`,
}

/** All simulated providers. */
export const tryProviders: readonly TryProvider[] = [feed, aggregator]

/** Returns the environment with the settings that let links use these providers. */
export function tryEnvironment(
  environment: Environment,
  providers: readonly TryProvider[],
): Environment {
  const all = providers.map((one) => one.settingsOf(environment, urlOf(one, environment)))
  return Object.assign({ ...environment }, ...all)
}

/** Returns the base URL of a provider. */
export function urlOf({ portOf, path }: TryProvider, environment: Environment): string {
  return `http://127.0.0.1:${portOf(environment)}${path}`
}

function gatewayPortOf(environment: Environment): number {
  return readSettings(settings, environment).port
}
