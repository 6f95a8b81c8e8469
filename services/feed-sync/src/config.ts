import { accountBound, setting } from '@coffer/kit/service/config'
import { z } from 'zod'
import { canonicalFeedUrl, findUrlProblem } from './provider/feed-url.ts'

/** Parses comma-separated URLs; a bad one prevents the start (docs/banks/feed.md#urls). */
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
  feedEnabled: setting(
    'COFFER_FEED_ENABLED',
    z.stringbool().default(false),
    'Enable the integration of the feed provider',
  ),
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
  privateAddresses: setting(
    'COFFER_FEED_PRIVATE_ADDRESSES',
    z.stringbool().default(false),
    'Allow feed URLs whose host name leads to a private address',
  ),
  syncShare: setting(
    'COFFER_FEED_SYNC_SHARE',
    z.coerce.number().gt(0).max(1).default(0.5),
    'Duty cycle of scheduled feed syncs: their share of time; less while requests wait',
  ),
}
