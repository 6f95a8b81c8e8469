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

/** A route's `find`: 404 where identity does not offer the feature, also when the body is bad. */
export function requireOffered(mesh: Mesh, feature: keyof typeof offTexts) {
  const features = mesh.client('identity', FeatureService)
  return async ({ options }: Lookup) => {
    const offered = await features.getFeatures({}, options)
    if (!offered[feature]) throw refused(offTexts[feature], { status: 404 })
  }
}
