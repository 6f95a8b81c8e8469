import type { FeatureService } from '@coffer/proto/identity/v1/feature'
import type { ServiceImpl } from '@connectrpc/connect'
import { type FeatureSettings, featuresOf } from './features.ts'

/** Returns the RPC behind `GET /api/config` (docs/sign-in.md#what-a-server-offers). */
export function features({
  config,
}: {
  config: FeatureSettings
}): ServiceImpl<typeof FeatureService> {
  const { sendsMail: _, ...offered } = featuresOf(config)
  return { getFeatures: () => offered }
}
