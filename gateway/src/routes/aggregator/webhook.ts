import { refused } from '@coffer/kit/rpc/errors'
import { WebhookService } from '@coffer/proto/aggregatorsync/v1/webhook'
import type { FastifyRequest } from 'fastify'
import type { RouteDeps } from '../../deps.ts'
import { type Route, route } from '../../http/route.ts'

/** Returns the route of Plaid's webhooks (docs/banks/webhooks.md). */
export function aggregatorWebhookRoutes({ mesh }: RouteDeps): Route[] {
  const webhooks = mesh.client('aggregator-sync', WebhookService)
  return [
    route({
      id: 'receiveAggregatorWebhook',
      tag: 'Webhooks',
      method: 'POST',
      path: '/api/aggregator/webhook',
      summary: 'Webhook of Plaid; the header Plaid-Verification signs the body',
      description:
        'For Plaid alone. 401 if the verification fails, 424 if it has to be sent again ' +
        '(docs/banks/webhooks.md#verification).',
      since: '0.2.0',
      auth: 'none',
      feature: 'aggregatorWebhooks',
      webhook: 'Plaid-Verification',
      answers: {
        401: 'The signature is missing or wrong',
        424: 'It cannot be verified or applied yet: Plaid repeats it',
      },
      handler: ({ request, options }) => webhooks.receiveWebhook(webhookOf(request), options),
    }),
  ]
}

/** Returns the raw bytes of the body, because they are signed. */
function webhookOf({ headers, body }: FastifyRequest) {
  const verification = headers['plaid-verification']
  if (typeof verification !== 'string' || verification.trim() === '') {
    throw refused('Plaid-Verification is missing', { status: 401 })
  }
  if (!(body instanceof Uint8Array)) throw refused('a body is required: one JSON value')
  return { body, verification }
}
