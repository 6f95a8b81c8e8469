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
  createdAt: z.date(),
  createdBy: z.string(),
  updatedAt: z.date(),
  deletedAt: z.date().nullable(),
})
export type FeedBankAccount = z.infer<typeof FeedBankAccount>
