import { say } from '@coffer/kit/reasons/reasons'
import { invalid, notFound, type Problems, refused } from '@coffer/kit/rpc/errors'
import { values } from '@coffer/proto/values'
import { z } from 'zod'
import { describeFault, FaultCode } from '../provider/feed-fault.ts'
import { canonicalFeedUrl, findUrlProblem } from '../provider/feed-url.ts'

/** A stored code. An unknown code, of a newer version of this service, is read as `internal`. */
export const StoredFaultCode = FaultCode.nullable().catch('internal')

/** A connection to an instance of the feed provider (docs/banks/feed.md#connections). */
export const FeedLink = z.object({
  accountId: z.string(),
  feedLinkId: z.string(),
  /** ID of the link that uses the connection; null while it is pending. */
  linkId: z.string().nullable(),
  name: z.string(),
  apiUrl: z.string(),
  status: z.enum(values['FeedLink.status']),
  lastManualSync: z.date().nullable(),
  lastSuccessfulUpdate: z.date().nullable(),
  lastAttemptedUpdate: z.date().nullable(),
  /** The fault of the last sync, kept until the next success; `faultDetail` completes its text. */
  faultCode: StoredFaultCode,
  faultDetail: z.string().nullable(),
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
 * Returns a new feed connection, pending until a link uses it. Throws invalid with all problems,
 * and refused for a URL not in `allowedUrls`, which are canonical (docs/banks/feed.md#urls).
 */
export function createFeedLink(
  { feedLinkId, name, feedUrl, apiKey }: NewFeedLink,
  by: { accountId: string; createdBy: string; allowedUrls: readonly string[]; now: Date },
): FeedLink {
  const problems = findProblems({ name, feedUrl, apiKey })
  if (Object.keys(problems).length > 0) throw invalid(problems)
  const apiUrl = canonicalFeedUrl(feedUrl)
  if (!by.allowedUrls.includes(apiUrl)) {
    throw refused(say('FEED_URL_REFUSED'))
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
    faultCode: null,
    faultDetail: null,
    createdAt: by.now,
    createdBy: by.createdBy,
    updatedAt: by.now,
    deletedAt: null,
  }
}

/** Assigns a feed connection to a link; throws refused unless it is pending or has this link. */
export function activateFeedLink(feedLink: FeedLink, linkId: string, now: Date): FeedLink {
  if (feedLink.linkId === linkId) return feedLink
  if (feedLink.status !== 'pending') throw refused(say('FEED_LINK_NOT_PENDING'))
  return { ...feedLink, linkId, status: 'active', updatedAt: now }
}

/** Returns why syncs of a connection with status error have stopped, in words; otherwise null. */
export function errorOf({ status, faultCode, faultDetail }: FeedLink): string | null {
  if (status !== 'error') return null
  return describeFault({ code: faultCode ?? 'internal', detail: faultDetail ?? '' }).text
}

/** Returns the feed connection; throws notFound for null or undefined. */
export function requireFound(feedLink: FeedLink | null | undefined): FeedLink {
  if (!feedLink) throw notFound('feed link')
  return feedLink
}

/** Returns the additional authenticated data that binds a sealed key to its connection. */
export function keyOwnerOf({ accountId, feedLinkId }: FeedLink): string {
  return `${accountId}/${feedLinkId}`
}

/**
 * Returns the feed connection as deactivated, even a pending one: the deletion of its link may
 * arrive before its activation. Unchanged if it has ended or is assigned to another link.
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
    problems.apiKey = say('FEED_KEY')
  }
  return problems
}
