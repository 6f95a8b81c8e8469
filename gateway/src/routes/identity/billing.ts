import { refused } from '@coffer/kit/rpc/errors'
import {
  BillingService,
  CompleteCheckoutResponseSchema,
  CreateCheckoutResponseSchema,
  CreatePortalResponseSchema,
} from '@coffer/proto/identity/v1/billing'
import type { Client } from '@connectrpc/connect'
import type { FastifyRequest } from 'fastify'
import { z } from 'zod'
import type { RouteDeps } from '../../deps.ts'
import { appPath } from '../../http/fields/fields.ts'
import { type Route, route } from '../../http/route.ts'

// Maximum size of the body of a Stripe event; real events are smaller (docs/billing.md#routes).
const eventBytesMax = 65_535

/** Returns the routes of Stripe billing; none accepts an API key (docs/billing.md#routes). */
export function billingRoutes({ mesh, sessions }: RouteDeps): Route[] {
  const billing = mesh.client('identity', BillingService)
  return [
    route({
      id: 'createCheckout',
      tag: 'Billing',
      method: 'POST',
      path: '/api/billing/create_checkout',
      summary: 'Create a checkout: a page of Stripe where the account subscribes',
      description:
        'The client redirects the browser to the page. 400 while there is a subscription that ' +
        'has not ended: use the portal (docs/billing.md#routes).',
      since: '0.1.0',
      auth: 'session',
      feature: 'billing',
      isBodyOptional: true,
      body: z.strictObject({
        cancelPath: appPath
          .nullable()
          .optional()
          .describe(
            'Path of the client that Stripe leads back to if the checkout is cancelled; begins ' +
              'with one /. Default and for null: /account/subscribe',
          ),
      }),
      answer: CreateCheckoutResponseSchema,
      handler: ({ body, options }) =>
        billing.createCheckout({ cancelPath: body.cancelPath ?? '' }, options),
    }),
    route({
      id: 'getCheckout',
      tag: 'Billing',
      method: 'GET',
      path: '/api/billing/checkout/:checkoutSessionId',
      summary: 'Result of a checkout, for the page that Stripe redirects to',
      description:
        'Reads the subscription from Stripe, so that it counts at once. A checkout of another ' +
        'account is 404.',
      since: '0.1.0',
      auth: 'session',
      feature: 'billing',
      answer: CompleteCheckoutResponseSchema,
      handler: async ({ accountId, params, options }) => {
        const completed = await billing.completeCheckout(params, options)
        // Clears the cached credentials, which contain that the account is not paid up.
        sessions.forgetAccount(accountId)
        return completed
      },
    }),
    route({
      id: 'getBillingPortal',
      tag: 'Billing',
      method: 'GET',
      path: '/api/billing/portal',
      summary: 'A page of Stripe where the subscription is changed or cancelled',
      description: 'Creates a page for this browser. 400 without a subscription.',
      since: '0.1.0',
      auth: 'session',
      feature: 'billing',
      answer: CreatePortalResponseSchema,
      handler: ({ options }) => billing.createPortal({}, options),
    }),
    stripeEventRoute(billing),
  ]
}

function stripeEventRoute(billing: Client<typeof BillingService>): Route {
  return route({
    id: 'receiveStripeEvent',
    tag: 'Webhooks',
    method: 'POST',
    path: '/api/stripe/webhook',
    summary: 'Webhook of Stripe; the event is signed',
    description:
      'For Stripe alone. The body is at most 65,535 bytes; a bad signature is 400. A repeated ' +
      'event does nothing.',
    since: '0.1.0',
    auth: 'none',
    feature: 'billing',
    webhook: 'Stripe-Signature',
    handler: ({ request, options }) => billing.receiveStripeEvent(stripeEventOf(request), options),
  })
}

function stripeEventOf({ headers, body }: FastifyRequest) {
  const signature = headers['stripe-signature']
  if (typeof signature !== 'string') throw refused('Stripe-Signature is missing')
  if (!(body instanceof Uint8Array) || body.length === 0)
    throw refused('a body is required: one JSON value')
  if (body.length > eventBytesMax) throw refused('the body is larger than 64 KiB')
  return { body, signature }
}
