import { z } from 'zod'

/**
 * The plan of an envelope: an expense recurs on its ruleset, a goal has none. Money in minor units.
 * The amounts are the ledger's as of `amountsVersion`, kept as input of the rules and never served.
 */
export const Spending = z.object({
  accountId: z.string(),
  spendingId: z.string(),
  bankAccountId: z.string(),
  fundingScheduleId: z.string(),
  spendingType: z.enum(['expense', 'goal']),
  name: z.string(),
  targetAmount: z.bigint(),
  currentAmount: z.bigint(),
  usedAmount: z.bigint(),
  amountsVersion: z.bigint(),
  ruleset: z.string().nullable(),
  lastRecurrence: z.date().nullable(),
  nextRecurrence: z.date(),
  nextContributionAmount: z.bigint(),
  isBehind: z.boolean(),
  isPaused: z.boolean(),
  autoCreateTransaction: z.boolean(),
  createdAt: z.date(),
})
export type Spending = z.infer<typeof Spending>
