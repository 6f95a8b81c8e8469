import { refused } from '@coffer/kit/rpc/errors'
import type { LinkType } from '../accounts/link.ts'

/** The kind of the transactions that a sync service brings; refuses links of another kind. */
export function sourceOf(
  { linkType }: { linkType: LinkType },
  issuer: string,
): 'aggregator' | 'feed' {
  const source = issuer === 'feed-sync' ? 'feed' : 'aggregator'
  if (linkType !== source) {
    throw refused(`The link is of kind ${linkType}, not ${source}`)
  }
  return source
}
