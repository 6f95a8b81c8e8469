import { refused } from '@coffer/kit/rpc/errors'
import type { LinkType } from '../accounts/link.ts'

/**
 * Returns the source of a sync service's transactions. Throws refused for a link of another kind.
 */
export function requireSource(
  { linkType }: { linkType: LinkType },
  issuer: string,
): 'aggregator' | 'feed' {
  const source = issuer === 'feed-sync' ? 'feed' : 'aggregator'
  if (linkType !== source) throw refused(`The link is of kind ${linkType}, not ${source}`)
  return source
}
