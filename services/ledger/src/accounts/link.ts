import { refused } from '@coffer/kit/rpc/errors'
import { z } from 'zod'

export const LinkType = z.enum(['manual', 'aggregator', 'feed', 'unknown'])
export type LinkType = z.infer<typeof LinkType>

/** A connection to one financial institution; it owns bank accounts (docs/links.md#links). */
export const Link = z.object({
  accountId: z.string(),
  linkId: z.string(),
  linkType: LinkType,
  feedLinkId: z.string().nullable(),
  institutionName: z.string(),
  description: z.string().nullable(),
  createdAt: z.date(),
  createdBy: z.string(),
  updatedAt: z.date(),
  deletedAt: z.date().nullable(),
})
export type Link = z.infer<typeof Link>

/** The key of a link within its account. */
export const LinkKey = Link.pick({ accountId: true, linkId: true })
export type LinkKey = z.infer<typeof LinkKey>

export type NewLink = {
  linkId: string
  institutionName: string
  description?: string | null
  feedLinkId?: string | null
}

/**
 * Returns a new link: of type feed if it has a feed link, otherwise manual (docs/links.md#links).
 */
export function createLink(
  body: NewLink,
  by: { accountId: string; createdBy: string; now: Date },
): Link {
  const feedLinkId = body.feedLinkId ?? null
  return {
    accountId: by.accountId,
    linkId: body.linkId,
    linkType: feedLinkId === null ? 'manual' : 'feed',
    feedLinkId,
    institutionName: body.institutionName,
    description: body.description ?? null,
    createdAt: by.now,
    createdBy: by.createdBy,
    updatedAt: by.now,
    deletedAt: null,
  }
}

/**
 * Returns a new link of type aggregator. The call is idempotent: aggregator-sync chooses the ID.
 */
export function createAggregatorLink(
  body: Pick<NewLink, 'linkId' | 'institutionName'>,
  by: { accountId: string; createdBy: string; now: Date },
): Link {
  return { ...createLink(body, by), linkType: 'aggregator' }
}

export type LinkPatch = Partial<{ institutionName: string; description: string | null }>

/**
 * Returns the link after a PATCH; a null description is cleared. Throws `refused` if it is deleted.
 */
export function changeLink(link: Link, patch: LinkPatch, now: Date): Link {
  refuseDeleted(link)
  const changed = { ...link, updatedAt: now }
  if (patch.institutionName !== undefined) {
    changed.institutionName = patch.institutionName
  }
  if (patch.description !== undefined) {
    changed.description = patch.description
  }
  return changed
}

/**
 * Returns the link with `deletedAt`. Throws `refused` if it is deleted already
 * (docs/links.md#deleting-a-link).
 */
export function deleteLink(link: Link, now: Date): Link {
  refuseDeleted(link)
  return { ...link, deletedAt: now, updatedAt: now }
}

function refuseDeleted(link: Link): void {
  if (link.deletedAt !== null) throw refused('The link has been deleted')
}
