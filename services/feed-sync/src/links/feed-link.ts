import { invalid, type Problems, refused } from '@coffer/kit/rpc/errors'
import { z } from 'zod'
import { canonicalFeedUrl, feedUrlProblem } from '../provider/feed-url.ts'

/** A connection to an instance of the feed provider (spec/interface.md, Feed link). */
export const FeedLink = z.object({
  accountId: z.string(),
  feedLinkId: z.string(),
  /** The link made over it; null while pending. */
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
 * A new connection, pending until a link is made over it. `allowedUrls` are canonical. Throws
 * invalid by field, or refused where the URL is not on the list (spec/syncs.md 5.1).
 */
export function createFeedLink(
  { feedLinkId, name, feedUrl, apiKey }: NewFeedLink,
  by: { accountId: string; createdBy: string; allowedUrls: readonly string[]; now: Date },
): FeedLink {
  const problems = problemsOf({ name, feedUrl, apiKey })
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
 * The connection once a link stands on it. Its own link may say so again, also after its end, to no
 * effect; a connection that is not pending is refused to any other (spec/syncs.md 5.4).
 */
export function activateFeedLink(feedLink: FeedLink, linkId: string, now: Date): FeedLink {
  if (feedLink.linkId === linkId) return feedLink
  if (feedLink.status !== 'pending') throw refused('feed link must be pending')
  return { ...feedLink, linkId, status: 'active', updatedAt: now }
}

/** What a connection's sealed key is bound to. */
export function keyOwnerOf({ accountId, feedLinkId }: FeedLink): string {
  return `${accountId}/${feedLinkId}`
}

/**
 * Refuses to ask the provider over a connection that has ended, or whose URL is no longer one of
 * `allowedUrls` (spec/syncs.md 6.1).
 */
export function requireUsable({ status, apiUrl }: FeedLink, allowedUrls: readonly string[]): void {
  if (status === 'deactivated') throw refused('the feed link is deactivated')
  if (!allowedUrls.includes(apiUrl)) {
    throw refused('its URL is not one of the provider URLs this server allows')
  }
}

/**
 * The connection once its link is deleted, also where the link was deleted before the connection
 * heard of it. What is over, or another link's, stays as it is (spec/syncs.md 6.6).
 */
export function releaseFeedLink(feedLink: FeedLink, linkId: string, now: Date): FeedLink {
  const isOwn = feedLink.linkId === null || feedLink.linkId === linkId
  if (!isOwn || feedLink.deletedAt !== null) return feedLink
  return { ...feedLink, linkId, status: 'deactivated', updatedAt: now, deletedAt: now }
}

function problemsOf({ name, feedUrl, apiKey }: Omit<NewFeedLink, 'feedLinkId'>): Problems {
  const problems: Problems = {}
  const nameLength = [...name].length
  if (nameLength < 1 || nameLength > 300) problems.name = 'must be 1 to 300 characters long'
  const feedUrlText = feedUrlProblem(feedUrl)
  if (feedUrlText !== null) problems.feedURL = feedUrlText
  if (!/^[A-Za-z0-9]{1,100}$/.test(apiKey)) {
    problems.apiKey = 'must be 1 to 100 letters and digits'
  }
  return problems
}
