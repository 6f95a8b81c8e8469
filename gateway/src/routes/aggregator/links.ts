import { say } from '@coffer/kit/reasons/reasons'
import {
  AggregatorLinkService,
  CreateAggregatorLinkResponseSchema,
  CreateLinkTokenResponseSchema,
  CreateUpdateTokenResponseSchema,
} from '@coffer/proto/aggregatorsync/v1/aggregator_link'
import { UserService } from '@coffer/proto/identity/v1/user'
import type { CallOptions } from '@connectrpc/connect'
import { z } from 'zod'
import { createGetAggregatorLink } from '../../compose/aggregator-link.ts'
import { linkAnswer } from '../../compose/link.ts'
import type { RouteDeps } from '../../deps.ts'
import { requirePart } from '../../http/answers/answer.ts'
import { id, ignoringNull, list, text } from '../../http/fields/fields.ts'
import { formShape, lineShape } from '../../http/fields/shapes.ts'
import { boolean } from '../../http/queries/query.ts'
import { type Route, route } from '../../http/route.ts'
import { setUpWaitRoute } from './set-up-wait.ts'

// Timeouts in ms of aggregator-sync, whose own timeout for each answer of the aggregator is 12 s.
const tokenTimeoutMs = 15_000
const callbackTimeoutMs = 25_000

// The result of Plaid Link. It is not validated here, because an invalid one has used up its link
// token too: aggregator-sync first drops the cached token, and then validates the result.
const choice = {
  publicToken: text
    .meta(lineShape({ min: 1, max: 300 }))
    .describe('Public token that Plaid Link handed to the client; used once'),
  accountIds: list(text.meta(formShape('[\\x21-\\x7e]{1,200}'))).meta({
    description: 'IDs at Plaid of the accounts that the user chose, 1 to 200',
    minItems: 1,
    maxItems: 200,
  }),
}

/** Returns the routes of links over the aggregator (docs/links.md#over-the-aggregator). */
export function aggregatorLinkRoutes(deps: RouteDeps): Route[] {
  return [...creationRoutes(deps), setUpWaitRoute(deps), ...updateRoutes(deps)]
}

function creationRoutes(deps: RouteDeps): Route[] {
  const links = deps.mesh.client('aggregator-sync', AggregatorLinkService)
  const getLinkUser = createGetLinkUser(deps)
  return [
    route({
      id: 'createLinkToken',
      tag: 'Aggregator',
      method: 'GET',
      path: '/api/aggregator/token/new',
      summary: 'A link token, with which Plaid Link opens for a new link',
      description:
        'The client opens Plaid Link with it, where the user signs in and chooses accounts ' +
        '(docs/links.md#over-the-aggregator).',
      since: '0.2.0',
      auth: 'paidSession',
      hasSecret: true,
      feature: 'aggregator',
      query: z.object({
        use_cache: boolean(false).describe(
          'Whether the last link token of the user may be answered again. Default: false',
        ),
      }),
      answer: CreateLinkTokenResponseSchema,
      handler: async ({ query: { use_cache: useCache }, options }) => {
        const user = await getLinkUser(options)
        const slow = { ...options, timeoutMs: tokenTimeoutMs }
        return links.createLinkToken({ useCache, user }, slow)
      },
    }),
    route({
      id: 'createAggregatorLink',
      tag: 'Aggregator',
      method: 'POST',
      path: '/api/aggregator/token/callback',
      summary: 'Create a link and its bank accounts, with the public token of Plaid Link',
      description:
        'Exchanges the public token. The first sync runs in the background: wait for the ' +
        'set-up. 400 at the bound of links and for a second link in a trial.',
      since: '0.2.0',
      auth: 'paidSession',
      feature: 'aggregator',
      idempotent: true,
      body: z.strictObject({
        ...choice,
        institutionId: ignoringNull(text).describe(
          'ID of the institution at Plaid, from the metadata of Plaid Link',
        ),
        institutionName: ignoringNull(text).describe(
          'Name of the institution, from the metadata of Plaid Link',
        ),
      }),
      answer: CreateAggregatorLinkResponseSchema,
      handler: async ({ body, options, writeOptions }) => {
        const { accountIds: providerAccountIds, ...chosen } = body
        const { isTrialing } = await getLinkUser(options)
        const slow = { ...writeOptions, timeoutMs: callbackTimeoutMs }
        return links.createAggregatorLink({ ...chosen, providerAccountIds, isTrialing }, slow)
      },
    }),
  ]
}

function updateRoutes({ mesh }: RouteDeps): Route[] {
  const links = mesh.client('aggregator-sync', AggregatorLinkService)
  const getLink = createGetAggregatorLink(mesh, say('NOT_PLAID_UPDATE'))
  return [
    route({
      id: 'createUpdateToken',
      tag: 'Aggregator',
      method: 'PUT',
      path: '/api/aggregator/link/update/:linkId',
      summary: 'A link token, with which Plaid Link opens to renew a link or change its accounts',
      description: 'When the institution asks for a new sign-in, or other accounts are wanted.',
      since: '0.2.0',
      auth: 'paidSession',
      feature: 'aggregator',
      query: z.object({
        update_account_selection: boolean(false).describe(
          'Whether the user may choose other accounts in Plaid Link. Default: false',
        ),
      }),
      answer: CreateUpdateTokenResponseSchema,
      handler: async ({ params: { linkId }, query, options }) => {
        await getLink(linkId, options)
        const slow = { ...options, timeoutMs: tokenTimeoutMs }
        const selectsAccounts = query.update_account_selection
        return links.createUpdateToken({ linkId, selectsAccounts }, slow)
      },
    }),
    route({
      id: 'updateAggregatorLink',
      tag: 'Aggregator',
      method: 'POST',
      path: '/api/aggregator/link/update/callback',
      summary: 'End the update of a link, with the public token of Plaid Link',
      description:
        'Stores the renewed consent and creates bank accounts that are new. 400 for the token ' +
        'of another connection.',
      since: '0.2.0',
      auth: 'paidSession',
      feature: 'aggregator',
      body: z.strictObject({
        linkId: id('link').describe('Link over the aggregator that was updated'),
        ...choice,
      }),
      answer: linkAnswer,
      handler: async ({ body, options }) => {
        const { accountIds: providerAccountIds, linkId, publicToken } = body
        const message = await getLink(linkId, options)
        const slow = { ...options, timeoutMs: callbackTimeoutMs }
        const update = { linkId, publicToken, providerAccountIds }
        const { aggregatorLink } = await links.updateAggregatorLink(update, slow)
        return { message, aggregatorLink: requirePart(aggregatorLink) }
      },
    }),
  ]
}

/** Returns a function that gets name, email and trial state of the caller for aggregator-sync. */
function createGetLinkUser({ mesh }: RouteDeps) {
  const users = mesh.client('identity', UserService)
  return async (options: CallOptions) => {
    const { user, isTrialing } = await users.getMe({}, options)
    const { email, emailVerifiedAt, firstName, lastName } = requirePart(requirePart(user).login)
    const legalName = lastName === '' ? '' : `${firstName} ${lastName}`
    return { legalName, email, emailVerifiedAt, isTrialing }
  }
}
