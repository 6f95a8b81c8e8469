import type { Mesh } from '@coffer/kit/rpc/mesh'
import { currencies } from '@coffer/kit/values/currency'
import { BillingService } from '@coffer/proto/identity/v1/billing'
import { FeatureService } from '@coffer/proto/identity/v1/feature'
import type { CallOptions } from '@connectrpc/connect'
import type { RouteDeps } from '../deps.ts'
import { type Route, route } from '../http/route.ts'

const flag = { type: 'boolean' }
const text = { type: 'string' }
const price = { type: 'integer', minimum: 0, description: 'Minor units' }
const plan = { type: 'object', properties: { price }, required: ['price'] }

const configProperties = {
  verifyEmailAddress: flag,
  allowSignUp: flag,
  allowForgotPassword: flag,
  requireBetaCode: flag,
  proofOfWorkEnabled: flag,
  requireLegalName: flag,
  requirePhoneNumber: flag,
  verifyLogin: flag,
  verifyRegister: flag,
  verifyForgotPassword: flag,
  longPollAggregatorSetup: flag,
  initialPlan: { anyOf: [plan, { type: 'null' }] },
  billingEnabled: flag,
  iconsEnabled: flag,
  aggregatorEnabled: flag,
  feedEnabled: flag,
  feedAllowedAPIURLs: { type: 'array', items: text },
  manualEnabled: flag,
  uploadsEnabled: flag,
  release: { ...text, description: 'Empty for other builds than releases' },
  revision: text,
  buildType: text,
  buildTime: text,
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
    // The configuration is answered without a price, because clients need it to sign in.
    return null
  }
}
