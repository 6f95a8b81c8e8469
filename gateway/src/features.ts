import { refused } from '@coffer/kit/errors'

/** Parts of the interface that a server can be without. */
export type Feature = 'uploads' | 'feed'

const offTexts: Record<Feature, string> = {
  uploads: 'uploads are not enabled on this server',
  feed: 'the feed integration is not enabled on this server',
}

/** Throws 404 unless the feature is on (spec/decisions.md, General). */
export function requireFeature(
  feature: Feature,
  config: { uploadsEnabled: boolean; feedEnabled: boolean },
): void {
  const isOn = feature === 'uploads' ? config.uploadsEnabled : config.feedEnabled
  if (!isOn) throw refused(offTexts[feature], { status: 404 })
}
