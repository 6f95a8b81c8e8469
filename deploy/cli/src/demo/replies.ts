import { z } from 'zod'

// Schemas of REST answers, with the fields that the demo reads.

export const Offered = z.object({
  allowSignUp: z.boolean(),
  uploadsEnabled: z.boolean(),
  verifyEmailAddress: z.boolean(),
  requireBetaCode: z.boolean(),
  proofOfWorkEnabled: z.boolean(),
})
export type Offered = z.infer<typeof Offered>

export const Key = z.object({ apiKeyId: z.string(), secret: z.string() })
export const Link = z.object({ linkId: z.string(), institutionName: z.string() })
export const BankAccount = z.object({
  bankAccountId: z.string(),
  linkId: z.string(),
  name: z.string(),
})

export const Balances = z.object({
  currency: z.string(),
  current: z.number(),
  available: z.number(),
  free: z.number(),
  expenses: z.number(),
  goals: z.number(),
})
export type Balances = z.infer<typeof Balances>

export const Spending = z.object({
  spendingId: z.string(),
  name: z.string(),
  targetAmount: z.number(),
  currentAmount: z.number(),
  nextRecurrence: z.coerce.date(),
  nextContributionAmount: z.number(),
  isBehind: z.boolean(),
})
export type Spending = z.infer<typeof Spending>
