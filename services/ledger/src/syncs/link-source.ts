import { notFound, refused } from '@coffer/kit/rpc/errors'
import type { Link, LinkType } from '../book/link.ts'

/** Returns the source of the transactions that a sync service imports. */
export function sourceOf(issuer: string): 'aggregator' | 'feed' {
  return issuer === 'feed-sync' ? 'feed' : 'aggregator'
}

/** Returns `sourceOf(issuer)`. Throws `refused` if the link is of another type. */
export function requireSource(
  { linkType }: { linkType: LinkType },
  issuer: string,
): 'aggregator' | 'feed' {
  const source = sourceOf(issuer)
  if (linkType !== source) throw refused(`The link is of kind ${linkType}, not ${source}`)
  return source
}

/**
 * Returns the link. Throws `notFound` if it is missing or deleted, and `refused` if the calling
 * service does not serve its type.
 */
export function requireActiveLink(link: Link | null, issuer: string): Link {
  if (!link || link.deletedAt !== null) throw notFound('link')
  requireSource(link, issuer)
  return link
}
