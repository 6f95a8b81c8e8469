import { z } from 'zod'

/**
 * One firing of a schedule: stored before the ledger books it, and never changed but for its state.
 * The three deposit fields are one transaction, or all null. `depositAmount` is in minor units and
 * negative.
 */
export const FundingRun = z.object({
  accountId: z.string(),
  bankAccountId: z.string(),
  fundingRunId: z.string(),
  fundingScheduleId: z.string(),
  occurrence: z.date(),
  depositTransactionId: z.string().nullable(),
  depositName: z.string().nullable(),
  depositAmount: z.bigint().nullable(),
  state: z.enum(['pending', 'applied']),
  createdAt: z.date(),
})
export type FundingRun = z.infer<typeof FundingRun>

/** Amount that a funding moves into one envelope, up to `ceiling` in it; minor units. */
export const FundingLine = z.object({
  spendingId: z.string(),
  amount: z.bigint(),
  ceiling: z.bigint(),
})
export type FundingLine = z.infer<typeof FundingLine>

/** A line with the key of its run. */
export const RunLine = FundingLine.extend({
  accountId: z.string(),
  bankAccountId: z.string(),
  fundingRunId: z.string(),
})
export type RunLine = z.infer<typeof RunLine>
