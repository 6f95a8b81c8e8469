import { say } from '@coffer/kit/reasons/reasons'
import { isId } from '@coffer/kit/values/id'
import { DeliverySchema, DeliveryService } from '@coffer/proto/notices/v1/delivery'
import { WebhookService } from '@coffer/proto/notices/v1/webhook'
import { values } from '@coffer/proto/values'
import type { Client } from '@connectrpc/connect'
import { z } from 'zod'
import type { RouteDeps } from '../../deps.ts'
import { timestamp } from '../../http/fields/fields.ts'
import { encodeCursor, nextPageLink } from '../../http/queries/cursor.ts'
import { paged, value } from '../../http/queries/query.ts'
import { type Route, route } from '../../http/route.ts'

const position = z
  .tuple([z.string().refine((sent) => isId('dlv', sent))])
  .transform(([deliveryId]) => deliveryId)

const statuses = values['Delivery.status']

const query = paged(position).extend({
  status: value
    .refine((sent) => sent === undefined || (statuses as readonly string[]).includes(sent), {
      error: say('NOT_ONE_OF', { values: statuses.join(', ') }),
    })
    .meta({ type: 'string', enum: [...statuses] })
    .describe('Only deliveries with this status'),
})

const since = z.strictObject({
  since: timestamp.describe('Instant in the last 30 days: all changes from then on are sent again'),
})

const answer = {
  object: {
    deliveries: { list: DeliverySchema },
    nextCursor: { nullable: { json: { type: 'string' } } },
  },
}

type Deliveries = Client<typeof DeliveryService>

/** Returns the routes of deliveries (docs/changes/own-webhooks.md#deliveries). */
export function deliveryRoutes({ mesh }: RouteDeps): Route[] {
  const deliveries = mesh.client('notices', DeliveryService)
  const webhooks = mesh.client('notices', WebhookService)
  return [...readRoutes(deliveries), ...resendRoutes(deliveries, webhooks)]
}

function readRoutes(deliveries: Deliveries): Route[] {
  return [
    route({
      id: 'listDeliveries',
      tag: 'Changes',
      method: 'GET',
      path: '/api/webhooks/:webhookId/deliveries',
      summary: 'Deliveries of a webhook in the last 30 days, newest first',
      description:
        'A delivery is listed after its first attempt. nextCursor goes into after, and is null ' +
        'on the last page (docs/changes/own-webhooks.md#deliveries).',
      since: '0.4.0',
      auth: 'key',
      query,
      isFiltered: true,
      isPaged: true,
      answer,
      handler: async ({ params, query: { limit, after, status }, options, request, reply }) => {
        const from = after === undefined ? {} : { before: after }
        const page = { ...params, limit, ...from, ...(status === undefined ? {} : { status }) }
        const found = await deliveries.listDeliveries(page, options)
        const last = found.deliveries.at(-1)
        const next = found.hasMore && last ? [last.deliveryId] : null
        if (next) reply.header('link', nextPageLink(request.url, next))
        return { deliveries: found.deliveries, nextCursor: next && encodeCursor(next) }
      },
    }),
    route({
      id: 'getDelivery',
      tag: 'Changes',
      method: 'GET',
      path: '/api/webhooks/:webhookId/deliveries/:deliveryId',
      summary: 'One delivery, with the last answer',
      description: 'Kept for 30 days.',
      since: '0.4.0',
      auth: 'key',
      answer: DeliverySchema,
      handler: async ({ params, options }) => {
        return (await deliveries.getDelivery(params, options)).delivery
      },
    }),
  ]
}

function resendRoutes(deliveries: Deliveries, webhooks: Client<typeof WebhookService>): Route[] {
  return [
    route({
      id: 'resendDelivery',
      tag: 'Changes',
      method: 'POST',
      path: '/api/webhooks/:webhookId/deliveries/:deliveryId/resend',
      summary: 'Send a delivery again, soon after this answer',
      description: 'Attempts begin anew. 400 while the webhook is switched off.',
      since: '0.4.0',
      auth: 'key',
      answer: DeliverySchema,
      handler: async ({ params, options }) => {
        return (await deliveries.resendDelivery(params, options)).delivery
      },
    }),
    route({
      id: 'resendDeliveriesSince',
      tag: 'Changes',
      method: 'POST',
      path: '/api/webhooks/:webhookId/resend',
      summary: 'Send all changes since an instant again, soon after this answer',
      description:
        'Also those that were answered by 2xx, and those of a time in which the webhook was ' +
        'switched off. Each is a new delivery with the webhook-id of its change. 400 while the ' +
        'webhook is switched off.',
      since: '0.4.0',
      auth: 'key',
      find: ({ params, options }) => webhooks.getWebhook(params, options),
      body: since,
      handler: async ({ params, body, options }) => {
        await deliveries.resendSince({ ...params, ...body }, options)
      },
    }),
    route({
      id: 'pingWebhook',
      tag: 'Changes',
      method: 'POST',
      path: '/api/webhooks/:webhookId/ping',
      summary: 'Send a test of type webhook.ping, soon after this answer',
      description:
        'The delivery shows what came of it. 400 while the webhook is switched off, or ten tests ' +
        'wait.',
      since: '0.4.0',
      auth: 'key',
      answer: DeliverySchema,
      handler: async ({ params, options }) => {
        return (await deliveries.pingWebhook(params, options)).delivery
      },
    }),
  ]
}
