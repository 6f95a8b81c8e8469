import { invalid } from '@coffer/kit/rpc/errors'
import { type FeedLink, FeedLinkSchema, FeedLinkService } from '@coffer/proto/feedsync/v1/feed_link'
import {
  type Link,
  LinkSchema,
  LinkService,
  UpdateLinkRequestSchema,
} from '@coffer/proto/ledger/v1/link'
import type { CallOptions } from '@connectrpc/connect'
import { z } from 'zod'
import { requireFeature } from '../../auth/features.ts'
import type { RouteDeps } from '../../deps.ts'
import { requirePart } from '../../http/answer.ts'
import { id, name, nullOr, text } from '../../http/bodies/fields.ts'
import { type Lookup, type Route, route } from '../../http/route.ts'
import { updateOf, valuesOf } from '../../http/update.ts'

const answer = { message: LinkSchema, with: { feedLink: FeedLinkSchema } }

/** A link; if it is a feed link, with its feed connection. */
type ShownLink = { message: Link; feedLink?: FeedLink }

/** Returns the routes of links (docs/links.md#links). */
export function linkRoutes(deps: RouteDeps): Route[] {
  const { mesh } = deps
  const links = mesh.client('ledger', LinkService)
  const feedLinks = createFeedLinks(deps)
  const find = ({ params, options }: Lookup<{ linkId: string }>) => links.getLink(params, options)
  return [
    route({
      method: 'GET',
      path: '/api/links',
      summary: 'Live links',
      auth: 'key',
      answer: { list: answer },
      handler: async ({ options }) => {
        const listed = await links.listLinks({}, options)
        return feedLinks.join(listed.links, options)
      },
    }),
    route({
      method: 'GET',
      path: '/api/links/:linkId',
      summary: 'One link, deleted ones included',
      auth: 'key',
      answer,
      handler: async (call) => {
        const { link } = await find(call)
        return (await feedLinks.join([requirePart(link)], call.options))[0]
      },
    }),
    creation(deps),
    route({
      method: 'PATCH',
      path: '/api/links/:linkId',
      summary: 'Change the name or the note of a link',
      auth: 'key',
      find,
      body: z.strictObject({
        institutionName: name.optional(),
        description: nullOr(text).optional(),
      }),
      answer,
      handler: async ({ params, body, options }) => {
        const update = { ...updateOf(UpdateLinkRequestSchema, body), ...params }
        const { link } = await links.updateLink(update, options)
        return (await feedLinks.join([requirePart(link)], options))[0]
      },
    }),
    route({
      method: 'DELETE',
      path: '/api/links/:linkId',
      summary: 'Delete a link with everything under it',
      auth: 'key',
      handler: ({ params, options }) => links.deleteLink(params, options),
    }),
  ]
}

function creation(deps: RouteDeps): Route {
  const { mesh, config } = deps
  const links = mesh.client('ledger', LinkService)
  const connections = mesh.client('feed-sync', FeedLinkService)
  const feedLinks = createFeedLinks(deps)
  return route({
    method: 'POST',
    path: '/api/links',
    summary: 'Create a manual link, or a feed link over a pending feed connection',
    auth: 'key',
    idempotent: true,
    body: z.strictObject({
      institutionName: name,
      description: nullOr(text).optional(),
      feedLinkId: nullOr(id('lfx')).optional(),
    }),
    answer: LinkSchema,
    handler: async ({ body, options, writeOptions, request }) => {
      const { institutionName, feedLinkId } = body
      if (feedLinkId) {
        requireFeature('feed', config)
        const { feedLink } = await connections.getFeedLink({ feedLinkId }, options)
        // With an idempotency key, the request may be a repetition, whose first execution has made
        // the feed connection no longer pending. The ledger uses each feed connection once.
        const isFirst = request.headers['idempotency-key'] === undefined
        if (isFirst && feedLink?.status !== 'pending') {
          throw invalid({ feedLinkId: 'is not pending' }, 'the feed link is not pending')
        }
      }
      const { link } = await links.createLink({ ...valuesOf(body), institutionName }, writeOptions)
      const { linkId } = requirePart(link)
      if (feedLinkId) await feedLinks.activate({ feedLinkId, linkId }, options)
      return link
    },
  })
}

/** Returns the functions that join links and feed connections (docs/architecture.md#ownership). */
function createFeedLinks({ mesh, log }: RouteDeps) {
  const feedLinks = mesh.client('feed-sync', FeedLinkService)
  return {
    /** Joins links with their feed connections. One call reads all; no call without feed links. */
    join: async (links: Link[], options: CallOptions): Promise<ShownLink[]> => {
      const feedLinkIds = links.flatMap(({ feedLinkId }) => feedLinkId ?? [])
      if (feedLinkIds.length === 0) return links.map((message) => ({ message }))
      const { feedLinks: found } = await feedLinks.listFeedLinks({ feedLinkIds }, options)
      const byId = new Map(found.map((one) => [one.feedLinkId, one]))
      return links.map((message) => {
        const feedLink = byId.get(message.feedLinkId ?? '')
        return feedLink ? { message, feedLink } : { message }
      })
    },
    /** Notifies feed-sync that a link uses a feed connection; on failure, an event will. */
    activate: async (ids: { feedLinkId: string; linkId: string }, options: CallOptions) => {
      try {
        await feedLinks.activateFeedLink(ids, options)
      } catch (error) {
        const text = 'the feed link could not be activated: the event will do it'
        log.warn({ err: error, ...ids }, text)
      }
    },
  }
}
