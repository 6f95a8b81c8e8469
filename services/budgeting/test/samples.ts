import type { FundingSchedule } from '../src/book/funding-schedule.ts'
import type { FundedSpending } from '../src/book/spending.ts'

export const chicago = 'America/Chicago'
export const twiceMonthly = 'DTSTART:20211231T060000Z\nRRULE:FREQ=MONTHLY;BYMONTHDAY=15,-1'
export const monthly = 'DTSTART:20220101T060000Z\nRRULE:FREQ=MONTHLY;BYMONTHDAY=1'
export const fridays = 'DTSTART:20231006T050000Z\nRRULE:FREQ=WEEKLY'

/** A schedule that fires next on Friday 13 October 2023, moved from Sunday the 15th. */
export const pay: FundingSchedule = {
  accountId: 'acct_1',
  fundingScheduleId: 'fund_1',
  bankAccountId: 'bac_1',
  name: 'Pay',
  description: 'Salary',
  ruleset: twiceMonthly,
  excludeWeekends: true,
  waitForDeposit: false,
  autoCreateTransaction: false,
  estimatedDeposit: 200_000n,
  lastRecurrence: null,
  nextRecurrence: new Date('2023-10-13T05:00Z'),
  nextRecurrenceOriginal: new Date('2023-10-15T05:00Z'),
  createdAt: new Date('2023-01-01'),
  deletedAt: null,
}

/** An expense without money, funded by the schedule `pay`, due on 1 November 2023. */
export const rent: FundedSpending = {
  accountId: 'acct_1',
  spendingId: 'spnd_1',
  bankAccountId: 'bac_1',
  fundingScheduleId: 'fund_1',
  spendingType: 'expense',
  name: 'Rent',
  ruleset: monthly,
  targetAmount: 1000n,
  currentAmount: 0n,
  usedAmount: 0n,
  periodSpentAmount: 0n,
  amountsVersion: 1n,
  nextContributionAmount: 500n,
  isBehind: false,
  isPaused: false,
  autoCreateTransaction: false,
  lastRecurrence: null,
  nextRecurrence: new Date('2023-11-01T05:00Z'),
  calculatedAt: new Date('2023-10-09T13:32Z'),
  createdAt: new Date('2023-01-01'),
  state: 'open',
  openingKey: null,
  openingBody: null,
  openingAttempts: 1n,
  closingUntil: null,
  settlesWhenSpent: false,
  settledFor: null,
  settledAt: null,
  settledByRequest: false,
  graceDays: 0,
  carryOver: null,
  graceUntil: null,
  graceAmount: 0n,
  periodSpentOn: null,
  fundingRuleset: pay.ruleset,
  fundingExcludesWeekends: pay.excludeWeekends,
  fundingNextRecurrence: pay.nextRecurrence,
}
