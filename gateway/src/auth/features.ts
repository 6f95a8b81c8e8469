import { refused } from '@coffer/kit/rpc/errors'

/** Parts of the interface that a server can be without. */
export type Feature = 'uploads' | 'feed' | 'billing'

/** Whether each is on. */
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

/** Throws 404 unless the feature is on (spec/decisions.md, General). */
export function requireFeature(feature: Feature, config: FeatureSettings): void {
  if (!config[`${feature}Enabled`]) throw refused(offTexts[feature], { status: 404 })
}
