import { notFound } from '@coffer/kit/rpc/errors'
import { toMessage } from '@coffer/kit/rpc/message'
import { callerOf } from '@coffer/kit/rpc/rpc'
import type { ServiceDeps } from '@coffer/kit/service/service'
import {
  FeedBankAccountSchema,
  type FeedBankAccountService,
} from '@coffer/proto/feedsync/v1/feed_bank_account'
import type { ServiceImpl } from '@connectrpc/connect'
import type { settings } from '../config.ts'
import type { FeedDeps } from '../connections/feed.service.ts'
import { findFeedLinks } from '../connections/feed-link.sql.ts'
import { requireFound } from '../connections/feed-link.ts'
import { changeCandidate } from './candidate-change.service.ts'
import { findFeedBankAccounts, listFeedBankAccounts } from './feed-bank-account.sql.ts'
import {
  activateFeedBankAccount,
  deactivateFeedBankAccount,
  type FeedBankAccount,
} from './feed-bank-account.ts'
import { refreshCandidates } from './feed-refresh.service.ts'

type Deps = FeedDeps & Pick<ServiceDeps<typeof settings>, 'log' | 'clock'>

/** Returns the RPC handlers of bank accounts that a feed offers (docs/banks/feed.md#candidates). */
export function feedBankAccountRoutes(deps: Deps): ServiceImpl<typeof FeedBankAccountService> {
  const { database } = deps
  return {
    findFeedBankAccounts: async ({ feedBankAccountIds }, context) => {
      const { accountId } = callerOf(context)
      const candidates = await findFeedBankAccounts(database, accountId, feedBankAccountIds)
      return { feedBankAccounts: candidates.map(toReply) }
    },
    listFeedBankAccounts: async ({ feedLinkId }, context) => {
      const { accountId } = callerOf(context)
      const candidates = await listFeedBankAccounts(database, { accountId, feedLinkId })
      if (candidates.length === 0) {
        requireFound((await findFeedLinks(database, accountId, [feedLinkId]))[0])
      }
      return { feedBankAccounts: candidates.map(toReply) }
    },
    refreshFeedBankAccounts: async ({ feedLinkId }, context) => {
      const { accountId, userId: createdBy } = callerOf(context)
      const [feedLink] = await findFeedLinks(database, accountId, [feedLinkId])
      const { signal } = context
      await refreshCandidates(deps, { feedLink: requireFound(feedLink), createdBy, signal })
      return {}
    },
    activateFeedBankAccount: async (request, context) => {
      const { accountId } = callerOf(context)
      const candidate = await changeCandidate(
        deps,
        { ...request, accountId },
        activateFeedBankAccount,
      )
      if (!candidate) throw notFound('feed bank account')
      return { feedBankAccount: toReply(candidate) }
    },
    deactivateFeedBankAccount: async (request, context) => {
      const { accountId } = callerOf(context)
      await changeCandidate(deps, { ...request, accountId }, deactivateFeedBankAccount)
      return {}
    },
  }
}

function toReply(candidate: FeedBankAccount) {
  return toMessage(FeedBankAccountSchema, candidate)
}
