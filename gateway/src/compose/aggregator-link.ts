import { say } from '@coffer/kit/reasons/reasons'
import { notFound, refused } from '@coffer/kit/rpc/errors'
import type { Mesh } from '@coffer/kit/rpc/mesh'
import { type Link, LinkService } from '@coffer/proto/ledger/v1/link'
import type { CallOptions } from '@connectrpc/connect'
import { requirePart } from '../http/answers/answer.ts'

/** Gets a link over the aggregator (Plaid) that is not deleted, by its ID. */
export type GetAggregatorLink = (linkId: string, options: CallOptions) => Promise<Link>

/**
 * Returns a function that gets a link over the aggregator. It throws notFound for a missing or
 * deleted link, and refused with `text` for a link of another kind.
 */
export function createGetAggregatorLink(mesh: Mesh, text: string): GetAggregatorLink {
  const links = mesh.client('ledger', LinkService)
  return async (linkId, options) => {
    const link = requirePart((await links.getLink({ linkId }, options)).link)
    if (link.deletedAt) throw notFound('link', say('LINK_DELETED'))
    if (link.linkType !== 'aggregator') throw refused(text)
    return link
  }
}
