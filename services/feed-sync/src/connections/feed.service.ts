import { say } from '@coffer/kit/reasons/reasons'
import { refused } from '@coffer/kit/rpc/errors'
import type { ServiceDeps } from '@coffer/kit/service/service'
import type { settings } from '../config.ts'
import type { AnswerParser } from '../provider/feed-answer.ts'
import { feedFailure } from '../provider/feed-fault.ts'
import { createLunchFlow, type Feed } from '../provider/lunch-flow.client.ts'
import { findFeedKey } from './feed-link.sql.ts'
import { type FeedLink, keyOwnerOf } from './feed-link.ts'

/** Dependencies of a client of the provider. */
export type FeedDeps = Pick<ServiceDeps<typeof settings>, 'config' | 'database' | 'secrets'> & {
  parse: AnswerParser
}

/**
 * Returns the client of a connection. Throws refused if the connection has ended, and the error of
 * a fault if its URL is no longer allowed. `attemptMs`: timeout of one attempt, 4 s by default.
 */
export async function openFeed(
  { config, database, secrets, parse }: FeedDeps,
  feedLink: FeedLink,
  { attemptMs = 4_000 } = {},
): Promise<Feed> {
  const { apiUrl } = feedLink
  const sealed = feedLink.status === 'deactivated' ? null : await findFeedKey(database, feedLink)
  if (!sealed) throw refused(say('FEED_LINK_OFF'))
  if (!config.allowedUrls.includes(apiUrl)) {
    throw feedFailure('url-not-allowed', { detail: apiUrl })
  }
  const apiKey = await secrets.open(sealed, keyOwnerOf(feedLink))
  const allowsPrivate = config.privateAddresses
  return createLunchFlow({ apiUrl, apiKey, allowsPrivate, attemptMs, parse })
}
