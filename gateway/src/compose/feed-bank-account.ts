import { say } from '@coffer/kit/reasons/reasons'
import { invalid } from '@coffer/kit/rpc/errors'
import type { Mesh } from '@coffer/kit/rpc/mesh'
import type { Log } from '@coffer/kit/service/log'
import {
  type FeedBankAccount,
  FeedBankAccountSchema,
  FeedBankAccountService,
} from '@coffer/proto/feedsync/v1/feed_bank_account'
import { type BankAccount, BankAccountSchema } from '@coffer/proto/ledger/v1/bank_account'
import type { CallOptions } from '@connectrpc/connect'
import { afterCommit } from './after-commit.ts'

/** Shape of a bank account in an answer (docs/links.md#bank-accounts). */
export const bankAccountAnswer = {
  message: BankAccountSchema,
  with: { feedBankAccount: { optional: FeedBankAccountSchema } },
}

/** A bank account, with the account of a feed link (candidate) that it uses, if any. */
type ShownBankAccount = { message: BankAccount; feedBankAccount?: FeedBankAccount }

type Use = { feedBankAccountId: string; bankAccountId: string }

export type Candidates = ReturnType<typeof createCandidates>

/**
 * Returns functions that join bank accounts with their candidates, the accounts that feed links
 * offer (docs/architecture.md#ownership).
 */
export function createCandidates({ mesh, log }: { mesh: Mesh; log: Log }) {
  const candidates = mesh.client('feed-sync', FeedBankAccountService)
  const join = async (
    bankAccounts: BankAccount[],
    options: CallOptions,
  ): Promise<ShownBankAccount[]> => {
    const feedBankAccountIds = bankAccounts.flatMap((one) => one.feedBankAccountId ?? [])
    if (feedBankAccountIds.length === 0) return bankAccounts.map((message) => ({ message }))
    const found = await candidates.findFeedBankAccounts({ feedBankAccountIds }, options)
    const byId = new Map(found.feedBankAccounts.map((one) => [one.feedBankAccountId, one]))
    return bankAccounts.map((message) => {
      const feedBankAccount = byId.get(message.feedBankAccountId ?? '')
      return feedBankAccount ? { message, feedBankAccount } : { message }
    })
  }
  return {
    /** Joins bank accounts with their candidates (accounts of feed links), by at most one call. */
    join,
    /** Joins a changed bank account with its candidate, if feed-sync is available. */
    joinChanged: async (message: BankAccount, options: CallOptions) => {
      const [shown] = await afterCommit({ log }, () => join([message], options), {
        otherwise: [{ message }],
        text: 'a bank account is answered without its candidate',
        about: { bankAccountId: message.bankAccountId },
      })
      return shown ?? { message }
    },
    /** Gets a candidate by ID. Throws invalid if the feed link does not offer it. */
    get: async (
      ids: { feedBankAccountId: string; feedLinkId: string | undefined },
      options: CallOptions,
    ): Promise<FeedBankAccount> => {
      const request = { feedBankAccountIds: [ids.feedBankAccountId] }
      const { feedBankAccounts } = await candidates.findFeedBankAccounts(request, options)
      const candidate = feedBankAccounts.find(({ feedLinkId }) => feedLinkId === ids.feedLinkId)
      if (!candidate)
        throw invalid({
          feedBankAccountId: say('CANDIDATE_UNKNOWN'),
        })
      return candidate
    },
    /** Tells feed-sync that a bank account uses a candidate; on failure, a later event does so. */
    activate: async (message: BankAccount, options: CallOptions): Promise<ShownBankAccount> => {
      const { bankAccountId, feedBankAccountId } = message
      if (feedBankAccountId === undefined) return { message }
      const use: Use = { feedBankAccountId, bankAccountId }
      const activate = () => candidates.activateFeedBankAccount(use, options)
      const activated = await afterCommit({ log }, activate, {
        otherwise: null,
        text: 'the candidate could not be activated: the event will do it',
        about: use,
      })
      const feedBankAccount = activated?.feedBankAccount
      return feedBankAccount ? { message, feedBankAccount } : { message }
    },
    /** Tells feed-sync that a bank account is archived; on failure, a later event does so. */
    deactivate: async (use: Use, options: CallOptions): Promise<void> => {
      await afterCommit({ log }, () => candidates.deactivateFeedBankAccount(use, options), {
        otherwise: null,
        text: 'the candidate could not be deactivated: the event will do it',
        about: use,
      })
    },
  }
}
