import { z } from 'zod'

/**
 * One firing of a schedule, decided before the ledger books it; amounts in minor units. The deposit
 * is one transaction of a negative amount; its three fields are null where there is none.
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

/** What a funding moves into one envelope, in minor units, lifting it up to `ceiling` at most. */
export const FundingLine = z.object({
  spendingId: z.string(),
  amount: z.bigint(),
  ceiling: z.bigint(),
})
export type FundingLine = z.infer<typeof FundingLine>

/** A line beside the run that it is of. */
export const RunLine = FundingLine.extend({
  accountId: z.string(),
  bankAccountId: z.string(),
  fundingRunId: z.string(),
})
export type RunLine = z.infer<typeof RunLine>
