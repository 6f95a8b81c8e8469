import { accountBound, setting } from '@coffer/kit/service/config'
import { z } from 'zod'
import { canonicalFeedUrl, feedUrlProblem } from './provider/feed-url.ts'

/** Canonical URLs; an entry that no feed link could have stops the server (spec/syncs.md 5.1). */
const FeedUrls = z
  .string()
  .default('')
  .transform((text, context) => {
    const entries = text.split(',').map((entry) => entry.trim())
    const urls = entries.filter((entry) => entry !== '')
    for (const url of urls) {
      const problem = feedUrlProblem(url)
      if (problem !== null) context.addIssue(`${url} ${problem}`)
    }
    return context.issues.length > 0 ? z.NEVER : urls.map(canonicalFeedUrl)
  })

export const settings = {
  linksMax: setting(
    'COFFER_LINKS_MAX',
    accountBound(1_000),
    'Links an account may have, and connections to the feed provider',
  ),
  allowedUrls: setting(
    'COFFER_FEED_ALLOWED_URLS',
    FeedUrls,
    'Base URLs of feed provider instances that feed links may use, separated by commas.',
  ),
}
