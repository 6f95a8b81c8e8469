import type { Mesh } from '@coffer/kit/rpc/mesh'
import { currencies } from '@coffer/kit/values/currency'
import { BillingService } from '@coffer/proto/identity/v1/billing'
import { FeatureService } from '@coffer/proto/identity/v1/feature'
import type { CallOptions } from '@connectrpc/connect'
import type { RouteDeps } from '../deps.ts'
import { type Route, route } from '../http/route.ts'

const flag = (description: string) => ({ type: 'boolean', description })
const text = (description: string) => ({ type: 'string', description })
const price = { type: 'integer', minimum: 0, description: 'Price of a period, in minor units' }
const plan = { type: 'object', properties: { price }, required: ['price'] }

const configProperties = {
  verifyEmailAddress: flag('Whether a new login has to verify its address by a mailed link'),
  allowSignUp: flag('Whether registration is open'),
  allowForgotPassword: flag('Whether a mailed link resets a password'),
  requireBetaCode: flag('Whether registration needs a beta code'),
  proofOfWorkEnabled: flag('Whether requests of sign-in need a solved challenge'),
  requireLegalName: flag('Always false'),
  requirePhoneNumber: flag('Always false: phone numbers are not stored'),
  verifyLogin: flag('Always false: proof of work replaces captchas at sign-in'),
  verifyRegister: flag('Always false: proof of work replaces captchas at registration'),
  verifyForgotPassword: flag('Always false: proof of work replaces captchas at password resets'),
  longPollAggregatorSetup: flag('Always true: the set-up of a link is awaited by a long poll'),
  initialPlan: {
    description: 'Subscription of a new account. Null without billing, or while Stripe is away',
    anyOf: [plan, { type: 'null' }],
  },
  billingEnabled: flag('Whether accounts need a subscription'),
  iconsEnabled: flag('Always true: icons of brands are searched on this server'),
  aggregatorEnabled: flag('Whether links over the aggregator (Plaid) can be created'),
  feedEnabled: flag('Whether feed links can be created'),
  feedAllowedAPIURLs: {
    type: 'array',
    items: { type: 'string' },
    description: 'Base URLs of feed providers that this server accepts',
  },
  manualEnabled: flag('Always true: manual links can be created'),
  uploadsEnabled: flag('Whether files of transactions can be uploaded'),
  release: text('Version of the release; empty for other builds'),
  revision: text('Revision of the source; empty if it is not known'),
  buildType: text('Always binary'),
  buildTime: text('Time at which the server was built; empty if it is not known'),
}

const configSchema = {
  type: 'object',
  properties: configProperties,
  required: Object.keys(configProperties),
}

/** Returns the routes of features and currencies (docs/sign-in.md#what-a-server-offers). */
export function configRoutes({ config, mesh }: RouteDeps): Route[] {
  const features = mesh.client('identity', FeatureService)
  const { billingEnabled, aggregatorEnabled, feedEnabled, feedAllowedUrls, uploadsEnabled } = config
  const { release, revision, buildTime } = config
  return [
    route({
      id: 'getConfig',
      tag: 'Server',
      method: 'GET',
      path: '/api/config',
      summary: 'Features of this server',
      description:
        'Needs no credential. A feature that is off answers 404, the aggregator 406 ' +
        '(docs/sign-in.md#what-a-server-offers).',
      since: '0.1.0',
      auth: 'none',
      answer: { json: configSchema },
      handler: async ({ options }) => {
        const [{ $typeName: _, ...offered }, initialPlan] = await Promise.all([
          features.getFeatures({}, options),
          billingEnabled ? planOf(mesh, options) : null,
        ])
        return {
          ...offered,
          requireLegalName: false,
          requirePhoneNumber: false,
          // Captchas are not implemented: proof of work replaces them.
          verifyLogin: false,
          verifyRegister: false,
          verifyForgotPassword: false,
          longPollAggregatorSetup: true,
          initialPlan,
          billingEnabled,
          iconsEnabled: true,
          aggregatorEnabled,
          feedEnabled: feedEnabled && feedAllowedUrls.length > 0,
          feedAllowedAPIURLs: feedAllowedUrls,
          manualEnabled: true,
          uploadsEnabled,
          release: release ?? '',
          revision,
          buildType: 'binary',
          buildTime,
        }
      },
    }),
    route({
      id: 'listCurrencies',
      tag: 'Server',
      method: 'GET',
      path: '/api/locale/currency',
      summary: 'ISO 4217 codes of the currencies an account can be kept in',
      description: 'Ascending. Bank accounts accept these codes as currency (docs/api.md#money).',
      since: '0.1.0',
      auth: 'key',
      answer: { json: { type: 'array', items: { type: 'string' } } },
      handler: () => currencies(),
    }),
  ]
}

/** Returns the price of a subscription, in minor units; null without a price or on failure. */
async function planOf(mesh: Mesh, options: CallOptions): Promise<{ price: number } | null> {
  try {
    const { price } = await mesh.client('identity', BillingService).getPlan({}, options)
    return price === undefined ? null : { price: Number(price) }
  } catch {
    // Answers without a price, because clients need the configuration to sign in.
    return null
  }
}
