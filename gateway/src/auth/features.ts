import { say } from '@coffer/kit/reasons/reasons'
import { refused } from '@coffer/kit/rpc/errors'
import type { Mesh } from '@coffer/kit/rpc/mesh'
import { FeatureService } from '@coffer/proto/identity/v1/feature'
import type { CallOptions } from '@connectrpc/connect'
import type { Feature } from '../http/route.ts'

export interface FeatureSettings {
  uploadsEnabled: boolean
  feedEnabled: boolean
  aggregatorEnabled: boolean
  aggregatorWebhooksEnabled: boolean
  billingEnabled: boolean
}

const off: Record<Feature, { text: string; status: 404 | 406 }> = {
  uploads: { text: say('UPLOADS_OFF'), status: 404 },
  feed: { text: say('FEED_OFF'), status: 404 },
  aggregator: { text: say('AGGREGATOR_OFF'), status: 406 },
  aggregatorWebhooks: {
    text: 'webhooks of the aggregator are not enabled on this server',
    status: 404,
  },
  billing: { text: say('BILLING_OFF'), status: 404 },
}

const offeredOffTexts = {
  allowSignUp: say('SIGN_UP_OFF'),
  verifyEmailAddress: say('VERIFICATION_OFF'),
  allowForgotPassword: say('RESET_OFF'),
  proofOfWorkEnabled: say('PROOF_OF_WORK_OFF'),
} as const

/**
 * Throws refused unless the feature is on: 404, and 406 for the aggregator
 * (docs/api.md#objects-that-are-not-there).
 */
export function requireFeature(feature: Feature, config: FeatureSettings): void {
  const { text, status } = off[feature]
  const isPossible = feature !== 'aggregatorWebhooks' || config.aggregatorEnabled
  if (!config[`${feature}Enabled`] || !isPossible) throw refused(text, { status })
}

/**
 * Returns the `find` of a route, which runs before the body is validated. It throws refused (404)
 * if identity has the feature switched off (docs/sign-in.md#what-a-server-offers).
 */
export function requireOfferedFeature(mesh: Mesh, feature: keyof typeof offeredOffTexts) {
  const features = mesh.client('identity', FeatureService)
  return async ({ options }: { options: CallOptions }) => {
    const offered = await features.getFeatures({}, options)
    if (!offered[feature]) throw refused(offeredOffTexts[feature], { status: 404 })
  }
}
