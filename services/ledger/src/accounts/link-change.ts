import { nextVersion } from '@coffer/kit/database/version'
import { say } from '@coffer/kit/reasons/reasons'
import { refused } from '@coffer/kit/rpc/errors'
import type { Link } from '../book/link.ts'

export type NewLink = {
  linkId: string
  institutionName: string
  description?: string | null
  feedLinkId?: string | null
}

/** Returns a new link; its type is feed if `feedLinkId` is set, otherwise manual. */
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

/** Returns a new link of type aggregator, with the ID that the service aggregator-sync chose. */
export function createAggregatorLink(
  body: Pick<NewLink, 'linkId' | 'institutionName'>,
  by: { accountId: string; createdBy: string; now: Date },
): Link {
  return { ...createLink(body, by), linkType: 'aggregator' }
}

export type LinkPatch = Partial<{ institutionName: string; description: string | null }>

/** Returns the changed link; null clears the description. Throws `refused` for a deleted link. */
export function changeLink(link: Link, patch: LinkPatch, now: Date): Link {
  refuseDeleted(link)
  const { institutionName = link.institutionName, description = link.description } = patch
  return { ...link, institutionName, description, updatedAt: now }
}

/** Returns the link marked as deleted; throws `refused` if it is deleted already. */
export function deleteLink(link: Link, now: Date): Link {
  refuseDeleted(link)
  return { ...link, deletedAt: now, updatedAt: now }
}

/** Returns an aggregator link as a manual one, after its connection has ended. */
export function detachLink(link: Link, now: Date): Link {
  return { ...link, linkType: 'manual', updatedAt: now }
}

/** Returns the key and the version of events about a link; the version is `updatedAt` in ms. */
export function subjectOf({ accountId, linkId, updatedAt }: Link) {
  return { accountId, entityId: linkId, version: BigInt(updatedAt.getTime()) }
}

/** Returns the link as an entry of the change feed; the version is `updatedAt` in microseconds. */
export function objectOf(
  { linkId: objectId, updatedAt }: Link,
  type: 'link.created' | 'link.updated' | 'link.deleted',
) {
  return { type, objectId, version: nextVersion(0n, updatedAt) }
}

function refuseDeleted(link: Link): void {
  if (link.deletedAt !== null) throw refused(say('LINK_GONE'))
}
