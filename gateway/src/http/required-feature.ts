import type { Mesh } from '@coffer/kit/rpc/client'
import { refused } from '@coffer/kit/rpc/errors'
import { FeatureService } from '@coffer/proto/identity/v1/feature'
import type { Lookup } from './route.ts'

const offTexts = {
  allowSignUp: 'sign-up is not enabled on this server',
  verifyEmailAddress: 'email verification is not enabled on this server',
  allowForgotPassword: 'password reset by mail is not enabled on this server',
  proofOfWorkEnabled: 'proof of work is not enabled on this server',
} as const

/**
 * Returns the `find` of a route that needs a feature of identity. It throws refused (404) where the
 * feature is off, before a bad body is reported (docs/sign-in.md#what-a-server-offers).
 */
export function requireOfferedFeature(mesh: Mesh, feature: keyof typeof offTexts) {
  const features = mesh.client('identity', FeatureService)
  return async ({ options }: Lookup) => {
    const offered = await features.getFeatures({}, options)
    if (!offered[feature]) throw refused(offTexts[feature], { status: 404 })
  }
}
