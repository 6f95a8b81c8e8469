import type { Transaction } from '@coffer/kit/database'
import { columnsOf } from '@coffer/kit/rows'
import { prepare } from '@coffer/kit/statement'
import { type CommonQueryMethods, sql } from 'slonik'
import { FundingSchedule } from './funding-schedule.ts'
import { idsOf, type PlanScope } from './spending.sql.ts'

// Rows of many bank accounts, whosever they are. A lateral searches for each by its key, one after
// the other as they are given: whoever locks them gives them in the order of their keys.

/** A schedule, named with the bank account it belongs to. */
export interface ScheduleKey extends PlanScope {
  fundingScheduleId: string
}

const scopeNames = ['accountIds', 'bankAccountIds'] as const

const schedulesStatement = prepare(
  scopeNames,
  ({ accountIds, bankAccountIds }) => sql.type(FundingSchedule)`
    SELECT ${columnsOf(FundingSchedule, { table: 'found' })}
    FROM unnest(${accountIds}::text[], ${bankAccountIds}::text[])
      AS wanted (account_id, bank_account_id)
    CROSS JOIN LATERAL (
      SELECT * FROM funding_schedules AS schedule
      WHERE schedule.account_id = wanted.account_id
        AND schedule.bank_account_id = wanted.bank_account_id AND deleted_at IS NULL
      ORDER BY funding_schedule_id OFFSET 0
    ) AS found`,
)

/** The schedules of bank accounts, of each by ID. */
export function schedulesOfAll(
  connection: CommonQueryMethods,
  scopes: readonly PlanScope[],
): Promise<readonly FundingSchedule[]> {
  return connection.any(schedulesStatement(idsOf(scopes)))
}

const lockSchedulesStatement = prepare(
  [...scopeNames, 'fundingScheduleIds'],
  ({ accountIds, bankAccountIds, fundingScheduleIds }) => sql.type(FundingSchedule)`
    SELECT ${columnsOf(FundingSchedule, { table: 'found' })}
    FROM unnest(${accountIds}::text[], ${bankAccountIds}::text[], ${fundingScheduleIds}::text[])
      AS wanted (account_id, bank_account_id, funding_schedule_id)
    CROSS JOIN LATERAL (
      SELECT * FROM funding_schedules AS schedule
      WHERE schedule.account_id = wanted.account_id
        AND schedule.bank_account_id = wanted.bank_account_id
        AND schedule.funding_schedule_id = wanted.funding_schedule_id AND deleted_at IS NULL
      LIMIT 1 FOR NO KEY UPDATE
    ) AS found`,
)

/** These schedules, locked; those that are gone are missing. */
export function lockSchedules(
  tx: Transaction,
  keys: readonly ScheduleKey[],
): Promise<readonly FundingSchedule[]> {
  const fundingScheduleIds = keys.map(({ fundingScheduleId }) => fundingScheduleId)
  return tx.any(lockSchedulesStatement({ ...idsOf(keys), fundingScheduleIds }))
}

const datesStatement = prepare(
  [...scopeNames, 'fundingScheduleIds', 'last', 'next', 'nextOriginal'],
  ({ accountIds, bankAccountIds, fundingScheduleIds, last, next, nextOriginal }) => sql.unsafe`
    UPDATE funding_schedules SET last_recurrence = fired.last, next_recurrence = fired.next,
      next_recurrence_original = fired.next_original
    FROM unnest(${accountIds}::text[], ${bankAccountIds}::text[], ${fundingScheduleIds}::text[],
      ${last}::timestamptz[], ${next}::timestamptz[], ${nextOriginal}::timestamptz[])
      AS fired (account_id, bank_account_id, funding_schedule_id, last, next, next_original)
    CROSS JOIN LATERAL (
      SELECT ctid AS place FROM funding_schedules AS schedule
      WHERE schedule.account_id = fired.account_id
        AND schedule.bank_account_id = fired.bank_account_id
        AND schedule.funding_schedule_id = fired.funding_schedule_id
      LIMIT 1
    ) AS locked
    WHERE funding_schedules.ctid = locked.place`,
)

/** Saves the dates of schedules that are locked. */
export async function saveDates(
  tx: Transaction,
  schedules: readonly FundingSchedule[],
): Promise<void> {
  await tx.query(
    datesStatement({
      ...idsOf(schedules),
      fundingScheduleIds: schedules.map(({ fundingScheduleId }) => fundingScheduleId),
      last: schedules.map(({ lastRecurrence }) => lastRecurrence?.toISOString() ?? null),
      next: schedules.map(({ nextRecurrence }) => nextRecurrence.toISOString()),
      nextOriginal: schedules.map((one) => one.nextRecurrenceOriginal.toISOString()),
    }),
  )
}
