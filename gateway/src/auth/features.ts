import { refused } from '@coffer/kit/rpc/errors'

/** Optional parts of the REST interface. */
export type Feature = 'uploads' | 'feed' | 'billing'

export interface FeatureSettings {
  uploadsEnabled: boolean
  feedEnabled: boolean
  billingEnabled: boolean
}

const offTexts: Record<Feature, string> = {
  uploads: 'uploads are not enabled on this server',
  feed: 'the feed integration is not enabled on this server',
  billing: 'billing is not enabled on this server',
}

/** Throws refused (404) unless the feature is on (docs/api.md#objects-that-are-not-there). */
export function requireFeature(feature: Feature, config: FeatureSettings): void {
  if (!config[`${feature}Enabled`]) throw refused(offTexts[feature], { status: 404 })
}
