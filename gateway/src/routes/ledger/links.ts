import { say } from '@coffer/kit/reasons/reasons'
import { invalid } from '@coffer/kit/rpc/errors'
import { FeedLinkService } from '@coffer/proto/feedsync/v1/feed_link'
import {
  type GetLinkResponse,
  LinkSchema,
  LinkService,
  UpdateLinkRequestSchema,
} from '@coffer/proto/ledger/v1/link'
import { SyncHealthSchema } from '@coffer/proto/sync/v1/health'
import { z } from 'zod'
import { requireFeature } from '../../auth/features.ts'
import { createConnections, linkAnswer } from '../../compose/link.ts'
import { createGetLinkHealth } from '../../compose/link-health.ts'
import type { RouteDeps } from '../../deps.ts'
import { requirePart } from '../../http/answers/answer.ts'
import { patchText, updateOf, valuesOf } from '../../http/bodies/update.ts'
import { id, name, nullOr, text } from '../../http/fields/fields.ts'
import { type Lookup, type Route, route } from '../../http/route.ts'

/** Returns the routes of links (docs/links.md#links). */
export function linkRoutes(deps: RouteDeps): Route[] {
  const { mesh } = deps
  const links = mesh.client('ledger', LinkService)
  const connections = createConnections(deps)
  const find = ({ params, options }: Lookup<{ linkId: string }>) => links.getLink(params, options)
  return [
    route({
      id: 'listLinks',
      tag: 'Links',
      method: 'GET',
      path: '/api/links',
      summary: 'Live links',
      description: 'In the order of their IDs, so of their creation; without deleted ones.',
      since: '0.1.0',
      auth: 'key',
      pagedBy: { id: 'linkId', newestFirst: false },
      answer: { list: linkAnswer },
      handler: async ({ options }) => {
        const listed = await links.listLinks({}, options)
        return connections.join(listed.links, options)
      },
    }),
    route({
      id: 'getLink',
      tag: 'Links',
      method: 'GET',
      path: '/api/links/:linkId',
      summary: 'One link, deleted ones included',
      description: 'A deleted link has deletedAt; everything under it is 404.',
      since: '0.1.0',
      auth: 'key',
      tagged: true,
      answer: linkAnswer,
      handler: async (call) => {
        const { link } = await find(call)
        return (await connections.join([requirePart(link)], call.options))[0]
      },
    }),
    creation(deps),
    update(deps, find),
    route({
      id: 'deleteLink',
      tag: 'Links',
      method: 'DELETE',
      path: '/api/links/:linkId',
      summary: 'Delete a link with everything under it',
      description:
        'Its bank accounts, transactions, expenses, goals and schedules are 404 at once and ' +
        'removed in the background; the credential of a provider is released. Cannot be ' +
        'reversed (docs/links.md#deleting-a-link).',
      since: '0.1.0',
      auth: 'key',
      isConditional: true,
      handler: ({ params, options }) => links.deleteLink(params, options),
    }),
    health(deps),
  ]
}

function update(
  deps: RouteDeps,
  find: (lookup: Lookup<{ linkId: string }>) => Promise<GetLinkResponse>,
): Route {
  const links = deps.mesh.client('ledger', LinkService)
  const connections = createConnections(deps)
  return route({
    id: 'updateLink',
    tag: 'Links',
    method: 'PATCH',
    path: '/api/links/:linkId',
    summary: 'Change the name or the note of a link',
    description: `${patchText} Works for every type of link; a deleted one is 400.`,
    since: '0.1.0',
    auth: 'key',
    isConditional: true,
    tagged: true,
    find,
    body: z.strictObject({
      institutionName: name.optional().describe('New name of the institution'),
      description: nullOr(text).optional().describe('New free text; null clears it'),
    }),
    answer: linkAnswer,
    handler: async ({ params, body, options }) => {
      const update = { ...updateOf(UpdateLinkRequestSchema, body), ...params }
      const { link } = await links.updateLink(update, options)
      return connections.joinChanged(requirePart(link), options)
    },
  })
}

function creation(deps: RouteDeps): Route {
  const { mesh, config } = deps
  const links = mesh.client('ledger', LinkService)
  const feedLinks = mesh.client('feed-sync', FeedLinkService)
  const connections = createConnections(deps)
  return route({
    id: 'createLink',
    tag: 'Links',
    method: 'POST',
    path: '/api/links',
    summary: 'Create a manual link, or a feed link over a pending feed connection',
    description:
      'Links over the aggregator are created with Plaid Link instead. A feed connection has at ' +
      'most one link (docs/links.md#links).',
    since: '0.1.0',
    auth: 'key',
    tagged: true,
    idempotent: true,
    body: z.strictObject({
      institutionName: name.describe('Name of the institution; it need not be unique'),
      description: nullOr(text).optional().describe('Free text. Default: null'),
      feedLinkId: nullOr(id('lfx'))
        .optional()
        .describe('Pending feed connection that the link follows; without it the link is manual'),
    }),
    answer: LinkSchema,
    handler: async ({ body, options, writeOptions, request }) => {
      const { institutionName, feedLinkId } = body
      if (feedLinkId) {
        requireFeature('feed', config)
        const { feedLink } = await feedLinks.getFeedLink({ feedLinkId }, options)
        // Not checked with an idempotency key: in a retry, the feed connection is not pending any
        // more. The ledger ensures that each feed connection is used once.
        const isFirst = request.headers['idempotency-key'] === undefined
        if (isFirst && feedLink?.status !== 'pending') {
          throw invalid({ feedLinkId: say('FEED_LINK_STATUS') }, say('FEED_LINK_USED'))
        }
      }
      const { link } = await links.createLink({ ...valuesOf(body), institutionName }, writeOptions)
      const { linkId } = requirePart(link)
      if (feedLinkId) await connections.activate({ feedLinkId, linkId }, options)
      return link
    },
  })
}

function health(deps: RouteDeps): Route {
  const links = deps.mesh.client('ledger', LinkService)
  const getHealth = createGetLinkHealth(deps)
  return route({
    id: 'getLinkHealth',
    tag: 'Links',
    method: 'GET',
    path: '/api/links/:linkId/health',
    summary: 'Syncs of a link: the last, the next, failures with advice, and numbers of changes',
    description:
      'Every link has a health, a deleted one too; only feed and aggregator links have syncs ' +
      '(docs/links.md#health).',
    since: '0.2.0',
    auth: 'key',
    answer: SyncHealthSchema,
    handler: async ({ params, options }) => {
      const { link } = await links.getLink(params, options)
      return getHealth(requirePart(link), options)
    },
  })
}
