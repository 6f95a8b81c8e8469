import { refused } from '@coffer/kit/errors'
import type { LinkType } from './link.ts'

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
