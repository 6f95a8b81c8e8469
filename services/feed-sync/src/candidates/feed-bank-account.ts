import { z } from 'zod'

/** A candidate: a bank account that a feed connection offers (docs/syncs.md#candidates). */
export const FeedBankAccount = z.object({
  accountId: z.string(),
  feedBankAccountId: z.string(),
  feedLinkId: z.string(),
  /** ID of the bank account at the feed provider, in the provider's format. */
  feedId: z.string(),
  feedStatus: z.enum(['ACTIVE', 'DISCONNECTED', 'ERROR']),
  name: z.string(),
  institutionName: z.string(),
  provider: z.string(),
  currency: z.string(),
  status: z.enum(['active', 'inactive', 'error']),
  /** Minor units of the currency. */
  currentBalance: z.bigint(),
  /** ID of the latest bank account created from the candidate, archived or not; null if none. */
  bankAccountId: z.string().nullable(),
  createdAt: z.date(),
  createdBy: z.string(),
  updatedAt: z.date(),
  deletedAt: z.date().nullable(),
})
export type FeedBankAccount = z.infer<typeof FeedBankAccount>

/** The provider's fields of a candidate; the balance is in minor units of the currency. */
export type Discovery = Pick<
  FeedBankAccount,
  'feedId' | 'feedStatus' | 'name' | 'institutionName' | 'provider' | 'currency' | 'currentBalance'
>

/** Returns a new candidate, inactive until a user creates a bank account from it. */
export function createFeedBankAccount(
  discovery: Discovery,
  by: Pick<FeedBankAccount, 'accountId' | 'feedBankAccountId' | 'feedLinkId' | 'createdBy'> & {
    now: Date
  },
): FeedBankAccount {
  const { now, ...owner } = by
  return {
    ...owner,
    ...discovery,
    status: 'inactive',
    bankAccountId: null,
    createdAt: now,
    updatedAt: now,
    deletedAt: null,
  }
}

/**
 * Returns the candidate as active with a new bank account. Repeated and late events change nothing:
 * the candidate has the same or a newer bank account (by ID).
 */
export function activateFeedBankAccount(
  candidate: FeedBankAccount,
  bankAccountId: string,
  now: Date,
): FeedBankAccount {
  const isNewer = (candidate.bankAccountId ?? '') < bankAccountId
  return isNewer ? { ...candidate, bankAccountId, status: 'active', updatedAt: now } : candidate
}

/**
 * Returns the candidate as inactive, after its bank account was archived; the event of the bank
 * account's creation may arrive later. If the candidate has a newer bank account (by ID), nothing
 * changes.
 */
export function deactivateFeedBankAccount(
  candidate: FeedBankAccount,
  bankAccountId: string,
  now: Date,
): FeedBankAccount {
  const last = candidate.bankAccountId ?? ''
  const isNewer =
    last < bankAccountId || (last === bankAccountId && candidate.status !== 'inactive')
  return isNewer ? { ...candidate, bankAccountId, status: 'inactive', updatedAt: now } : candidate
}
