import { say } from '@coffer/kit/reasons/reasons'
import { invalid } from '@coffer/kit/rpc/errors'
import { readRuleset } from '@coffer/kit/values/ruleset'
import type { FundingSchedule } from '../book/funding-schedule.ts'
import { firstFunding } from '../contributions/funding-dates.ts'
import { noDateLeft } from '../recurrence/date-problems.ts'
import { renderRuleset } from '../recurrence/ruleset-text.ts'

/** Fields of a request that creates a schedule; the gateway has validated their types. */
export type NewFundingSchedule = Pick<
  FundingSchedule,
  | 'name'
  | 'description'
  | 'ruleset'
  | 'excludeWeekends'
  | 'autoCreateTransaction'
  | 'estimatedDeposit'
> & { nextRecurrence: Date | null }

/**
 * Returns the fields of a new schedule, with the normalised rule and the first firing. Throws
 * invalid for a bad or ended rule, and for automatic deposits that are not allowed.
 */
export function newFundingSchedule(
  input: NewFundingSchedule,
  { timezone, now, isManualLink }: { timezone: string; now: Date; isManualLink: boolean },
): Omit<FundingSchedule, 'accountId' | 'fundingScheduleId' | 'bankAccountId' | 'createdAt'> {
  const ruleset = normalizeRuleset(input.ruleset)
  requireDepositAllowed(input, isManualLink)
  const first = firstFunding({ ...input, ruleset }, timezone, now)
  if (first === null) throw invalid({ ruleset: noDateLeft })
  return {
    ...input,
    ruleset,
    waitForDeposit: false,
    lastRecurrence: null,
    deletedAt: null,
    nextRecurrence: first.date,
    nextRecurrenceOriginal: first.original,
  }
}

/** Returns the normalised text of a ruleset (docs/recurrence.md#rules-accepted). Throws invalid. */
export function normalizeRuleset(ruleset: string): string {
  const read = readRuleset(ruleset)
  if ('problem' in read) throw invalid({ ruleset: say('RULESET', { fault: read.problem }) })
  return renderRuleset(read.rule)
}

/** Throws invalid for automatic deposits without an estimate above 0 or without a manual link. */
export function requireDepositAllowed(
  deposit: Pick<FundingSchedule, 'autoCreateTransaction' | 'estimatedDeposit'>,
  isManualLink: boolean,
): void {
  if (deposit.autoCreateTransaction && (deposit.estimatedDeposit ?? 0n) <= 0n) {
    const text = say('DEPOSIT_NOT_ESTIMATED')
    throw invalid({ estimatedDeposit: text }, text)
  }
  if (deposit.autoCreateTransaction && !isManualLink) {
    const text = say('DEPOSIT_NOT_MANUAL')
    throw invalid({ autoCreateTransaction: text }, text)
  }
}
