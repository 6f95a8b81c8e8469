import type { BankAccountKey } from '@coffer/kit/database/aggregate-key'
import { values } from '@coffer/proto/values'
import { z } from 'zod'
import type { FundingDates, FundingSchedule } from './funding-schedule.ts'

/** The plan of an envelope; amounts in minor units. */
export const Spending = z.object({
  accountId: z.string(),
  spendingId: z.string(),
  bankAccountId: z.string(),
  fundingScheduleId: z.string(),
  spendingType: z.enum(values['Spending.spendingType']),
  name: z.string(),
  targetAmount: z.bigint(),
  // This and the next two amounts are copies from the ledger as of `amountsVersion`.
  currentAmount: z.bigint(),
  usedAmount: z.bigint(),
  periodSpentAmount: z.bigint(),
  periodSpentOn: z.date().nullable(),
  amountsVersion: z.bigint(),
  // An expense has a ruleset, a goal none.
  ruleset: z.string().nullable(),
  lastRecurrence: z.date().nullable(),
  nextRecurrence: z.date(),
  // The contribution is as of `calculatedAt`.
  nextContributionAmount: z.bigint(),
  isBehind: z.boolean(),
  isPaused: z.boolean(),
  autoCreateTransaction: z.boolean(),
  calculatedAt: z.date(),
  createdAt: z.date(),
  // In state `opening` the plan is being created and hidden from clients.
  state: z.enum(['opening', 'open']),
  // Idempotency key and body hash of the creating request, and the number of its attempts.
  openingKey: z.string().nullable(),
  openingBody: z.instanceof(Buffer).nullable(),
  openingAttempts: z.bigint(),
  // Until then, a request that deletes the plan closes its envelope.
  closingUntil: z.date().nullable(),
  settlesWhenSpent: z.boolean(),
  // The bill of this date counts as paid since `settledAt`: by a request, or because its target is
  // spent.
  settledFor: z.date().nullable(),
  settledAt: z.date().nullable(),
  settledByRequest: z.boolean(),
  graceDays: z.number().int(),
  carryOver: z.boolean().nullable(),
  // Until then, the envelope keeps `graceAmount` of a closed period. Both are copies from the
  // ledger.
  graceUntil: z.date().nullable(),
  graceAmount: z.bigint(),
})
export type Spending = z.infer<typeof Spending>

/** Maximum number of days after a due date in which money stays for its bill (docs/limits.md). */
export const graceDaysMax = 14

export interface PlanKey extends BankAccountKey {
  spendingId: string
}

/** Fields of a plan's funding schedule that decide when the schedule fires. */
const Funding = z.object({
  fundingRuleset: z.string(),
  fundingExcludesWeekends: z.boolean(),
  fundingNextRecurrence: z.date(),
})

/** A plan with those fields of its funding schedule that decide when the schedule fires. */
export const FundedSpending = Spending.extend(Funding.shape)
export type FundedSpending = z.infer<typeof FundedSpending>

/** The columns that lists of plans read: those of creation and deletion are left out. */
export const ListedColumns = Spending.omit({
  accountId: true,
  state: true,
  openingKey: true,
  openingBody: true,
  openingAttempts: true,
  closingUntil: true,
})

/** A plan in a list. */
export const ListedSpending = ListedColumns.extend(Funding.shape)
export type ListedSpending = z.infer<typeof ListedSpending>

/** Returns the plan assigned to this schedule, with a copy of the schedule's fields. */
export function withFunding(plan: Spending, schedule: FundingSchedule): FundedSpending {
  return {
    ...plan,
    fundingScheduleId: schedule.fundingScheduleId,
    fundingRuleset: schedule.ruleset,
    fundingExcludesWeekends: schedule.excludeWeekends,
    fundingNextRecurrence: schedule.nextRecurrence,
  }
}

/** Returns the fields of the plan's schedule that decide when the schedule fires. */
export function fundingOf(plan: ListedSpending): FundingDates {
  return {
    ruleset: plan.fundingRuleset,
    excludeWeekends: plan.fundingExcludesWeekends,
    nextRecurrence: plan.fundingNextRecurrence,
  }
}
