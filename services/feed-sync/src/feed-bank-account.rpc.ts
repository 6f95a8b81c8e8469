import { toMessage } from '@coffer/kit/message'
import { callerOf } from '@coffer/kit/rpc'
import type { ServiceDeps } from '@coffer/kit/service'
import {
  FeedBankAccountSchema,
  type FeedBankAccountService,
} from '@coffer/proto/feedsync/v1/feed_bank_account'
import type { ServiceImpl } from '@connectrpc/connect'
import { findFeedBankAccounts } from './feed-bank-account.sql.ts'

/** Candidates that connections offer (spec/interface.md, Feed bank account). */
export function feedBankAccountRoutes({
  database,
}: Pick<ServiceDeps, 'database'>): ServiceImpl<typeof FeedBankAccountService> {
  return {
    findFeedBankAccounts: async ({ feedBankAccountIds }, context) => {
      const { accountId } = callerOf(context)
      const found = await findFeedBankAccounts(database, accountId, feedBankAccountIds)
      return { feedBankAccounts: found.map((one) => toMessage(FeedBankAccountSchema, one)) }
    },
  }
}
