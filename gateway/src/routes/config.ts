import { FeatureService } from '@coffer/proto/identity/v1/feature'
import { type Route, route } from '../route.ts'
import type { RouteDeps } from '../routes.ts'

/** What this server offers, before anybody signs in (spec/identity.md 3.2). */
export function configRoutes({ config, mesh }: RouteDeps): Route[] {
  const features = mesh.client('identity', FeatureService)
  const { billingEnabled, feedEnabled, feedAllowedUrls, uploadsEnabled } = config
  const { release, revision, buildTime } = config
  return [
    route({
      method: 'GET',
      path: '/api/config',
      summary: 'What this server offers',
      auth: 'none',
      answer: { json: { type: 'object' } },
      handler: async ({ options }) => {
        const { $typeName: _, ...offered } = await features.getFeatures({}, options)
        return {
          ...offered,
          requireLegalName: false,
          requirePhoneNumber: false,
          // Captchas are not built: proof of work does their part.
          verifyLogin: false,
          verifyRegister: false,
          verifyForgotPassword: false,
          longPollAggregatorSetup: true,
          initialPlan: null,
          billingEnabled,
          iconsEnabled: true,
          aggregatorEnabled: false,
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
  ]
}
