import { z } from 'zod'

/**
 * One firing of a funding schedule, stored before the ledger books it; later only `state` changes.
 * The deposit fields are all set or all null. `depositAmount` is negative, in minor units.
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

/**
 * Amount that a funding moves into one envelope, in minor units. `ceiling` bounds the amount in the
 * envelope afterwards; for a goal, together with the used amount.
 */
export const FundingLine = z.object({
  spendingId: z.string(),
  amount: z.bigint(),
  ceiling: z.bigint(),
})
export type FundingLine = z.infer<typeof FundingLine>

export const RunLine = FundingLine.extend({
  accountId: z.string(),
  bankAccountId: z.string(),
  fundingRunId: z.string(),
})
export type RunLine = z.infer<typeof RunLine>
