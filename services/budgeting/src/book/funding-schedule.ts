import { z } from 'zod'

/**
 * The rule by which envelopes of a bank account get money, such as each payday; amounts in minor
 * units. A row with `deletedAt` is hidden until the ledger has removed its references to the
 * schedule.
 */
export const FundingSchedule = z.object({
  accountId: z.string(),
  fundingScheduleId: z.string(),
  bankAccountId: z.string(),
  name: z.string(),
  description: z.string().nullable(),
  ruleset: z.string(),
  excludeWeekends: z.boolean(),
  waitForDeposit: z.boolean(),
  autoCreateTransaction: z.boolean(),
  estimatedDeposit: z.bigint().nullable(),
  lastRecurrence: z.date().nullable(),
  nextRecurrence: z.date(),
  nextRecurrenceOriginal: z.date(),
  createdAt: z.date(),
  deletedAt: z.date().nullable(),
})
export type FundingSchedule = z.infer<typeof FundingSchedule>

export type ScheduleKey = Pick<FundingSchedule, 'accountId' | 'bankAccountId' | 'fundingScheduleId'>

/** Returns the schedule with this ID; undefined if it is missing or deleted. */
export function findLiveSchedule(
  schedules: readonly FundingSchedule[],
  fundingScheduleId: string,
): FundingSchedule | undefined {
  return schedules.find((one) => {
    return one.fundingScheduleId === fundingScheduleId && one.deletedAt === null
  })
}

/** The fields that decide when a schedule fires. */
export type FundingDates = Pick<FundingSchedule, 'ruleset' | 'excludeWeekends' | 'nextRecurrence'>

/** Returns whether a schedule or plan is never due again: its last and next date are equal then. */
export function isOver(dates: { lastRecurrence: Date | null; nextRecurrence: Date }): boolean {
  return dates.lastRecurrence?.getTime() === dates.nextRecurrence.getTime()
}
