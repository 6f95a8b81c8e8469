import { invalid, type Problems, refused } from '@coffer/kit/rpc/errors'
import { z } from 'zod'
import { canonicalFeedUrl, findUrlProblem } from '../provider/feed-url.ts'

/** A connection to an instance of the feed provider (docs/syncs.md#feed-connections). */
export const FeedLink = z.object({
  accountId: z.string(),
  feedLinkId: z.string(),
  /** The link that uses the connection; null while pending. */
  linkId: z.string().nullable(),
  name: z.string(),
  apiUrl: z.string(),
  status: z.enum(['pending', 'active', 'deactivated', 'error']),
  lastManualSync: z.date().nullable(),
  lastSuccessfulUpdate: z.date().nullable(),
  lastAttemptedUpdate: z.date().nullable(),
  createdAt: z.date(),
  createdBy: z.string(),
  updatedAt: z.date(),
  deletedAt: z.date().nullable(),
})
export type FeedLink = z.infer<typeof FeedLink>

export interface NewFeedLink {
  feedLinkId: string
  name: string
  feedUrl: string
  apiKey: string
}

/**
 * Returns a new connection, pending until a link uses it. `allowedUrls` are canonical. Throws
 * invalid with a problem per field, and refused for a URL that is not allowed
 * (docs/syncs.md#urls-and-keys).
 */
export function createFeedLink(
  { feedLinkId, name, feedUrl, apiKey }: NewFeedLink,
  by: { accountId: string; createdBy: string; allowedUrls: readonly string[]; now: Date },
): FeedLink {
  const problems = findProblems({ name, feedUrl, apiKey })
  if (Object.keys(problems).length > 0) throw invalid(problems)
  const apiUrl = canonicalFeedUrl(feedUrl)
  if (!by.allowedUrls.includes(apiUrl)) {
    throw refused('feedURL is not one of the provider URLs this server allows')
  }
  return {
    accountId: by.accountId,
    feedLinkId,
    linkId: null,
    name,
    apiUrl,
    status: 'pending',
    lastManualSync: null,
    lastSuccessfulUpdate: null,
    lastAttemptedUpdate: null,
    createdAt: by.now,
    createdBy: by.createdBy,
    updatedAt: by.now,
    deletedAt: null,
  }
}

/**
 * Returns the connection assigned to a link (docs/syncs.md#feed-connections). Unchanged if it is
 * assigned to this link already, even if it has ended. Otherwise throws refused unless the
 * connection is pending.
 */
export function activateFeedLink(feedLink: FeedLink, linkId: string, now: Date): FeedLink {
  if (feedLink.linkId === linkId) return feedLink
  if (feedLink.status !== 'pending') throw refused('feed link must be pending')
  return { ...feedLink, linkId, status: 'active', updatedAt: now }
}

/** Returns the additional authenticated data that binds a sealed key to its connection. */
export function keyOwnerOf({ accountId, feedLinkId }: FeedLink): string {
  return `${accountId}/${feedLinkId}`
}

/**
 * Throws refused for a connection that has ended, and for one whose URL was taken out of
 * `allowedUrls` (docs/syncs.md#urls-and-keys).
 */
export function requireUsable({ status, apiUrl }: FeedLink, allowedUrls: readonly string[]): void {
  if (status === 'deactivated') throw refused('the feed link is deactivated')
  if (!allowedUrls.includes(apiUrl)) {
    throw refused('its URL is not one of the provider URLs this server allows')
  }
}

/**
 * Returns the connection of a deleted link as deactivated (docs/syncs.md#feed-connections). A
 * pending connection ends too, since the deletion may arrive before the activation. A connection
 * that has ended, or is assigned to another link, is returned unchanged.
 */
export function releaseFeedLink(feedLink: FeedLink, linkId: string, now: Date): FeedLink {
  const isOwn = feedLink.linkId === null || feedLink.linkId === linkId
  if (!isOwn || feedLink.deletedAt !== null) return feedLink
  return { ...feedLink, linkId, status: 'deactivated', updatedAt: now, deletedAt: now }
}

function findProblems({ name, feedUrl, apiKey }: Omit<NewFeedLink, 'feedLinkId'>): Problems {
  const problems: Problems = {}
  const nameLength = [...name].length
  if (nameLength < 1 || nameLength > 300) problems.name = 'must be 1 to 300 characters long'
  const feedUrlText = findUrlProblem(feedUrl)
  if (feedUrlText !== null) problems.feedURL = feedUrlText
  if (!/^[A-Za-z0-9]{1,100}$/.test(apiKey)) {
    problems.apiKey = 'must be 1 to 100 letters and digits'
  }
  return problems
}
