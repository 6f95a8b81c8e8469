import {
  ListWebhooksResponseSchema,
  WebhookSchema,
  WebhookService,
} from '@coffer/proto/notices/v1/webhook'
import type { Client } from '@connectrpc/connect'
import { z } from 'zod'
import type { RouteDeps } from '../../deps.ts'
import { patchText, valuesOf } from '../../http/bodies/update.ts'
import { boolean, text, timestamp } from '../../http/fields/fields.ts'
import { changeTypes, webhookUrl } from '../../http/fields/webhook.ts'
import { type Route, route } from '../../http/route.ts'

const fields = {
  url: webhookUrl.describe(
    'URL that gets the requests: https at a public address, or a host that the operator allows',
  ),
  types: changeTypes.describe('Types of changes to send; empty for all, later ones included'),
  description: text.describe('Description, for people; up to 300 characters'),
}

const creation = z.strictObject({
  url: fields.url,
  types: fields.types.optional(),
  description: fields.description.optional(),
})

const change = z.strictObject({
  url: fields.url.optional(),
  types: fields.types.optional(),
  description: fields.description.optional(),
  isEnabled: boolean
    .optional()
    .describe('false: nothing is sent, and what waits is given up. true: changes from now on'),
})

const rotation = z.strictObject({
  formerEndsAt: timestamp
    .optional()
    .describe(
      'Instant at which the present secret ends, in the next seven days. Default: 24 hours',
    ),
})

type Webhooks = Client<typeof WebhookService>

/** Returns the routes of webhooks (docs/changes/own-webhooks.md). */
export function webhookRoutes({ mesh }: RouteDeps): Route[] {
  const webhooks = mesh.client('notices', WebhookService)
  return [...readRoutes(webhooks), ...writeRoutes(webhooks), ...secretRoutes(webhooks)]
}

function readRoutes(webhooks: Webhooks): Route[] {
  return [
    route({
      id: 'listWebhooks',
      tag: 'Changes',
      method: 'GET',
      path: '/api/webhooks',
      summary: 'Webhooks of the account, newest first',
      description: 'At most 20, in one answer, without secrets (docs/changes/own-webhooks.md).',
      since: '0.4.0',
      auth: 'key',
      answer: ListWebhooksResponseSchema,
      handler: ({ options }) => webhooks.listWebhooks({}, options),
    }),
    route({
      id: 'getWebhook',
      tag: 'Changes',
      method: 'GET',
      path: '/api/webhooks/:webhookId',
      summary: 'One webhook, without its secret',
      description: 'failingSince and disabledReason tell whether it works.',
      since: '0.4.0',
      auth: 'key',
      tagged: true,
      answer: WebhookSchema,
      handler: async ({ params, options }) => (await webhooks.getWebhook(params, options)).webhook,
    }),
  ]
}

function writeRoutes(webhooks: Webhooks): Route[] {
  return [
    route({
      id: 'createWebhook',
      tag: 'Changes',
      method: 'POST',
      path: '/api/webhooks',
      summary: 'Send changes to a URL from now on; its secret is in this answer only',
      description:
        'Requests are signed by Standard Webhooks. 400 if the account has 20 webhooks ' +
        '(docs/changes/own-webhooks.md).',
      since: '0.4.0',
      auth: 'key',
      tagged: true,
      hasSecret: true,
      body: creation,
      answer: WebhookSchema,
      handler: async ({ body, options }) => {
        return (await webhooks.createWebhook(valuesOf(body), options)).webhook
      },
    }),
    route({
      id: 'updateWebhook',
      tag: 'Changes',
      method: 'PATCH',
      path: '/api/webhooks/:webhookId',
      summary: 'Change a webhook, switch it off or on',
      description: `${patchText} Types are replaced as a whole.`,
      since: '0.4.0',
      auth: 'key',
      isConditional: true,
      tagged: true,
      find: ({ params, options }) => webhooks.getWebhook(params, options),
      body: change,
      answer: WebhookSchema,
      handler: async ({ params, body: { types, ...body }, options }) => {
        const listed = types === undefined ? {} : { types: { types } }
        const request = { ...valuesOf(body), ...listed, ...params }
        return (await webhooks.updateWebhook(request, options)).webhook
      },
    }),
    route({
      id: 'deleteWebhook',
      tag: 'Changes',
      method: 'DELETE',
      path: '/api/webhooks/:webhookId',
      summary: 'Delete a webhook and its deliveries',
      description: 'Nothing more is sent. A repetition is 404.',
      since: '0.4.0',
      auth: 'key',
      isConditional: true,
      handler: ({ params, options }) => webhooks.deleteWebhook(params, options),
    }),
  ]
}

function secretRoutes(webhooks: Webhooks): Route[] {
  return [
    route({
      id: 'rotateWebhookSecret',
      tag: 'Changes',
      method: 'POST',
      path: '/api/webhooks/:webhookId/secret',
      summary: 'Create the next secret of a webhook; it is in this answer only',
      description:
        'Requests have signatures of both secrets until the former one ends, and of the oldest ' +
        'one that has not ended (docs/changes/own-webhooks.md#secrets).',
      since: '0.4.0',
      auth: 'key',
      hasSecret: true,
      find: ({ params, options }) => webhooks.getWebhook(params, options),
      body: rotation,
      isBodyOptional: true,
      answer: WebhookSchema,
      handler: async ({ params, body, options }) => {
        const request = { ...valuesOf(body), ...params }
        return (await webhooks.rotateSecret(request, options)).webhook
      },
    }),
    route({
      id: 'endFormerWebhookSecret',
      tag: 'Changes',
      method: 'DELETE',
      path: '/api/webhooks/:webhookId/secret/former',
      summary: 'End the former secret of a webhook at once',
      description: 'A repetition changes nothing.',
      since: '0.4.0',
      auth: 'key',
      answer: WebhookSchema,
      handler: async ({ params, options }) => {
        return (await webhooks.endFormerSecret(params, options)).webhook
      },
    }),
  ]
}
