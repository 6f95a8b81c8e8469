import { accountBound, setting } from '@coffer/kit/service/config'
import { z } from 'zod'
import { canonicalFeedUrl, findUrlProblem } from './provider/feed-url.ts'

/** Parses comma-separated URLs; a bad one prevents the start (docs/syncs.md#urls-and-keys). */
const FeedUrls = z
  .string()
  .default('')
  .transform((text, context) => {
    const entries = text.split(',').map((entry) => entry.trim())
    const urls = entries.filter((entry) => entry !== '')
    for (const url of urls) {
      const problem = findUrlProblem(url)
      if (problem !== null) context.addIssue(`${url} ${problem}`)
    }
    return context.issues.length > 0 ? z.NEVER : urls.map(canonicalFeedUrl)
  })

export const settings = {
  linksMax: setting(
    'COFFER_LINKS_MAX',
    accountBound(1_000),
    'Links of an account, and connections to the feed provider',
  ),
  allowedUrls: setting(
    'COFFER_FEED_ALLOWED_URLS',
    FeedUrls,
    'Base URLs of the feed provider that feed links may use, separated by commas',
  ),
}
