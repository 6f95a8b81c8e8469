import { create } from '@bufbuild/protobuf'
import { timestampDate } from '@bufbuild/protobuf/wkt'
import { keepReply, once } from '@coffer/kit/database/idempotency'
import { say } from '@coffer/kit/reasons/reasons'
import { invalid } from '@coffer/kit/rpc/errors'
import { toMessage } from '@coffer/kit/rpc/message'
import { callerOf } from '@coffer/kit/rpc/rpc'
import {
  AggregatorLinkSchema,
  type AggregatorLinkService,
  type CreateAggregatorLinkRequest,
  CreateAggregatorLinkResponseSchema,
} from '@coffer/proto/aggregatorsync/v1/aggregator_link'
import type { HandlerContext, ServiceImpl } from '@connectrpc/connect'
import { findLinks, type ShownLink } from '../connections/aggregator-link.sql.ts'
import { requireChoice } from '../connections/aggregator-link.ts'
import {
  byRequest,
  type LinkDeps,
  refuseContinued,
  requireEnabled,
} from '../connections/upstream-call.service.ts'
import { beginCreation, continueCreation } from './link-creation.service.ts'
import { createLinkToken } from './link-token.service.ts'
import { deleteLinkToken } from './link-token.sql.ts'
import { createUpdateToken, updateLink } from './link-update.service.ts'

const linksMax = 1_000

/** Returns the RPC handlers of aggregator links (docs/banks/aggregator.md#links). */
export function aggregatorLinkRoutes(deps: LinkDeps): ServiceImpl<typeof AggregatorLinkService> {
  const { database } = deps
  return {
    createLinkToken: async ({ useCache: isCacheUsed, user }, context) => {
      requireEnabled(deps)
      const { accountId, userId } = callerOf(context)
      if (!user) throw invalid({ user: say('REQUIRED') })
      const { legalName, email, emailVerifiedAt: at, isTrialing } = user
      const emailVerifiedAt = at ? timestampDate(at) : null
      const linkToken = await createLinkToken(
        deps,
        { accountId, userId, user: { legalName, email, emailVerifiedAt }, isTrialing, isCacheUsed },
        byRequest(context),
      )
      return { linkToken }
    },
    createAggregatorLink: (request, context) => {
      requireEnabled(deps)
      return createAggregatorLink(deps, request, context)
    },
    createUpdateToken: async ({ linkId, selectsAccounts }, context) => {
      requireEnabled(deps)
      const key = { accountId: callerOf(context).accountId, linkId }
      const linkToken = await createUpdateToken(deps, { key, selectsAccounts }, byRequest(context))
      return { linkToken }
    },
    updateAggregatorLink: async (request, context) => {
      requireEnabled(deps)
      const { linkId, publicToken, providerAccountIds: accountIds } = request
      requireChoice(publicToken, accountIds)
      const { accountId } = callerOf(context)
      const update = { key: { accountId, linkId }, publicToken: publicToken.trim(), accountIds }
      return { aggregatorLink: toReply(await updateLink(deps, update, byRequest(context))) }
    },
    listAggregatorLinks: async ({ linkIds }, context) => {
      if (linkIds.length > linksMax) throw invalid({ linkIds: `has more than ${linksMax} IDs` })
      const links = await findLinks(database, callerOf(context).accountId, linkIds)
      return { aggregatorLinks: links.map(toReply) }
    },
  }
}

function createAggregatorLink(
  deps: LinkDeps,
  request: CreateAggregatorLinkRequest,
  context: HandlerContext,
) {
  const { database } = deps
  return once({ database, context, reply: CreateAggregatorLinkResponseSchema }, async (key) => {
    const { accountId, userId } = callerOf(context)
    const { publicToken, providerAccountIds: accountIds, isTrialing } = request
    await deleteLinkToken(database, { accountId, userId })
    requireChoice(publicToken, accountIds)
    const link = await beginCreation(deps, {
      accountId,
      userId,
      publicToken: publicToken.trim(),
      institutionId: request.institutionId ?? '',
      institutionName: request.institutionName ?? '',
      accountIds: [...new Set(accountIds)],
      isTrialing,
    })
    const reply = (linkId: string) => create(CreateAggregatorLinkResponseSchema, { linkId })
    const continued = continueCreation(deps, link, {
      by: byRequest(context),
      finish: (tx, id) => keepReply(tx, key, reply(id)),
    })
    return reply(await continued.catch(refuseContinued))
  })
}

/** The status `creating` is internal: clients see `pending` until the first sync ends. */
function toReply(link: ShownLink) {
  const status = link.status === 'creating' ? 'pending' : link.status
  return toMessage(AggregatorLinkSchema, { ...link, status })
}
