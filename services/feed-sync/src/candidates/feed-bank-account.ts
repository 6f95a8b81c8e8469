import { z } from 'zod'

/** A candidate: a bank account that a connection offers (docs/syncs.md#candidates). */
export const FeedBankAccount = z.object({
  accountId: z.string(),
  feedBankAccountId: z.string(),
  feedLinkId: z.string(),
  /** The provider's ID, in its own format. */
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

/**
 * Returns a new candidate, inactive until a bank account is created from it
 * (docs/syncs.md#refresh).
 */
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
 * Returns the candidate after the creation of a bank account from it. Only an event about a newer
 * bank account (by ID) is applied, so repeated or late events change nothing.
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
 * Returns the candidate after the archiving of its bank account: inactive again. The event may
 * arrive before that of the creation. An event about an older bank account (by ID) changes nothing.
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
