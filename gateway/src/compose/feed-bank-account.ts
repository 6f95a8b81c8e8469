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
 * Renders bank accounts for REST, with the candidates of feed accounts as `feedBankAccount`. One
 * call reads all candidates, none without feed accounts (docs/architecture.md#ownership).
 */
export async function renderBankAccounts(
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

/** Gets a candidate by ID. Throws invalid if the feed link does not offer it. */
export async function getCandidate(
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

type CandidateDeps = { feedBankAccounts: FeedBankAccounts; options: CallOptions; log: Log }

/**
 * Tells feed-sync that a new bank account uses its candidate, and renders the account for REST. If
 * feed-sync is away, the event of the bank account does the same later.
 */
export async function activateCandidate(
  bankAccount: BankAccount,
  { feedBankAccounts, options, log }: CandidateDeps,
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
    log.warn({ err: error, ...use }, 'the candidate could not be activated: the event will do it')
    return shown
  }
}

/** Tells feed-sync that a bank account is archived; if that fails, the event does it later. */
export async function deactivateCandidate(
  use: { feedBankAccountId: string; bankAccountId: string },
  { feedBankAccounts, options, log }: CandidateDeps,
): Promise<void> {
  try {
    await feedBankAccounts.deactivateFeedBankAccount(use, options)
  } catch (error) {
    log.warn({ err: error, ...use }, 'the candidate could not be deactivated: the event will do it')
  }
}
