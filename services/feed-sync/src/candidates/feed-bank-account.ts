import { z } from 'zod'

/** A bank account that a connection offers (spec/interface.md, Feed bank account). */
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
  /** The latest bank account made from it, archived or not; null while there was none. */
  bankAccountId: z.string().nullable(),
  createdAt: z.date(),
  createdBy: z.string(),
  updatedAt: z.date(),
  deletedAt: z.date().nullable(),
})
export type FeedBankAccount = z.infer<typeof FeedBankAccount>

/** What the provider says about an account; the balance is in minor units of the currency. */
export type Discovery = Pick<
  FeedBankAccount,
  'feedId' | 'feedStatus' | 'name' | 'institutionName' | 'provider' | 'currency' | 'currentBalance'
>

/** A candidate that a refresh has found: inactive until somebody uses it (spec/syncs.md 5.3). */
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
 * The candidate once a bank account is made from it. Of several, one after the other, the latest by
 * ID counts; so what is heard twice, late or in another order changes nothing.
 */
export function activateFeedBankAccount(
  candidate: FeedBankAccount,
  bankAccountId: string,
  now: Date,
): FeedBankAccount {
  const isNews = (candidate.bankAccountId ?? '') < bankAccountId
  return isNews ? { ...candidate, bankAccountId, status: 'active', updatedAt: now } : candidate
}

/** The candidate once that bank account is archived, heard in whatever order: free again. */
export function deactivateFeedBankAccount(
  candidate: FeedBankAccount,
  bankAccountId: string,
  now: Date,
): FeedBankAccount {
  const last = candidate.bankAccountId ?? ''
  const isNews = last < bankAccountId || (last === bankAccountId && candidate.status !== 'inactive')
  return isNews ? { ...candidate, bankAccountId, status: 'inactive', updatedAt: now } : candidate
}
