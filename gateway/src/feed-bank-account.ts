import type { JsonObject } from '@bufbuild/protobuf'
import { toRest } from '@coffer/kit/message'
import {
  FeedBankAccountSchema,
  type FeedBankAccountService,
} from '@coffer/proto/feedsync/v1/feed_bank_account'
import { type BankAccount, BankAccountSchema } from '@coffer/proto/ledger/v1/bank_account'
import type { CallOptions, Client } from '@connectrpc/connect'

export type FeedBankAccounts = Client<typeof FeedBankAccountService>

/**
 * The REST shapes of bank accounts, with the candidates that feed accounts were made from. They
 * come with one call, and only where an account needs them (design 4).
 */
export async function withFeedBankAccounts(
  bankAccounts: BankAccount[],
  feedBankAccounts: FeedBankAccounts,
  options: CallOptions,
): Promise<JsonObject[]> {
  const shown = bankAccounts.map((one) => toRest(BankAccountSchema, one))
  const feedBankAccountIds = bankAccounts.flatMap((one) => one.feedBankAccountId ?? [])
  if (feedBankAccountIds.length === 0) return shown
  const request = { feedBankAccountIds }
  const { feedBankAccounts: found } = await feedBankAccounts.findFeedBankAccounts(request, options)
  const byId = new Map(
    found.map((one) => [one.feedBankAccountId, toRest(FeedBankAccountSchema, one)]),
  )
  return shown.map((one) => {
    const feedBankAccount = byId.get(String(one.feedBankAccountId))
    return feedBankAccount ? { ...one, feedBankAccount } : one
  })
}
