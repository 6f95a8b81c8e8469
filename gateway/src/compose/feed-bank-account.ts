import type { JsonObject } from '@bufbuild/protobuf'
import { invalid } from '@coffer/kit/rpc/errors'
import { toRest } from '@coffer/kit/rpc/message'
import type { Log } from '@coffer/kit/service/log'
import {
  type FeedBankAccount,
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

/** The candidate of that ID, if that connection offers it. Throws invalid where it does not. */
export async function candidateOf(
  ids: { feedBankAccountId: string; feedLinkId: string | undefined },
  feedBankAccounts: FeedBankAccounts,
  options: CallOptions,
): Promise<FeedBankAccount> {
  const request = { feedBankAccountIds: [ids.feedBankAccountId] }
  const { feedBankAccounts: found } = await feedBankAccounts.findFeedBankAccounts(request, options)
  const candidate = found.find(({ feedLinkId }) => feedLinkId === ids.feedLinkId)
  if (!candidate) throw invalid({ feedBankAccountId: 'is not an account of this link' })
  return candidate
}

type Neighbour = { feedBankAccounts: FeedBankAccounts; options: CallOptions; log: Log }

/** The REST shape of a new bank account, once its candidate is told that it is used. */
export async function withActivated(
  bankAccount: BankAccount,
  { feedBankAccounts, options, log }: Neighbour,
): Promise<JsonObject> {
  const shown = toRest(BankAccountSchema, bankAccount)
  const { bankAccountId, feedBankAccountId } = bankAccount
  if (feedBankAccountId === undefined) return shown
  const use = { feedBankAccountId, bankAccountId }
  try {
    const told = await feedBankAccounts.activateFeedBankAccount(use, options)
    const { feedBankAccount } = told
    if (!feedBankAccount) return shown
    return { ...shown, feedBankAccount: toRest(FeedBankAccountSchema, feedBankAccount) }
  } catch (error) {
    log.warn({ err: error, ...use }, 'the candidate is activated by an event')
    return shown
  }
}

/** Tells feed-sync that a bank account is archived; where that fails, an event does it again. */
export async function deactivate(
  use: { feedBankAccountId: string; bankAccountId: string },
  { feedBankAccounts, options, log }: Neighbour,
): Promise<void> {
  try {
    await feedBankAccounts.deactivateFeedBankAccount(use, options)
  } catch (error) {
    log.warn({ err: error, ...use }, 'the candidate is deactivated by an event')
  }
}
