import type { FeatureService } from '@coffer/proto/identity/v1/feature'
import type { ServiceImpl } from '@connectrpc/connect'
import { type FeatureSettings, featuresOf } from './features.ts'

/** What this server offers, for `GET /api/config`. */
export function features({
  config,
}: {
  config: FeatureSettings
}): ServiceImpl<typeof FeatureService> {
  const { sendsMail: _, ...offered } = featuresOf(config)
  return { getFeatures: () => offered }
}
