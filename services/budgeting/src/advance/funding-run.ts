import { z } from 'zod'

/**
 * One firing of a schedule, stored before the ledger books it. Only `state` changes afterwards. The
 * three deposit fields describe one transaction, or are all null. `depositAmount` is in minor units
 * and negative.
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

/** Amount that a funding moves into one envelope, until `ceiling` is reached; minor units. */
export const FundingLine = z.object({
  spendingId: z.string(),
  amount: z.bigint(),
  ceiling: z.bigint(),
})
export type FundingLine = z.infer<typeof FundingLine>

/** A line with the IDs of its account, bank account and run. */
export const RunLine = FundingLine.extend({
  accountId: z.string(),
  bankAccountId: z.string(),
  fundingRunId: z.string(),
})
export type RunLine = z.infer<typeof RunLine>
