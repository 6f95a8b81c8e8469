import type { Bound } from '@coffer/kit/account-bound.sql'
import type { Database, Transaction as Tx } from '@coffer/kit/database'
import { duplicate } from '@coffer/kit/errors'
import { assignmentsOf, columnsOf, insertOf } from '@coffer/kit/rows'
import { sql, UniqueIntegrityConstraintViolationError } from 'slonik'
import { FundingSchedule } from './funding-schedule.ts'

const columns = columnsOf(FundingSchedule, { table: 'funding_schedules' })

/** Schedules of a bank account, by ID. */
export function listFundingSchedules(
  { pool }: Database,
  accountId: string,
  bankAccountId: string,
): Promise<readonly FundingSchedule[]> {
  return pool.any(sql.type(FundingSchedule)`
    SELECT ${columns} FROM funding_schedules
    WHERE account_id = ${accountId} AND bank_account_id = ${bankAccountId} AND deleted_at IS NULL
    ORDER BY funding_schedule_id`)
}

export function findFundingSchedule(
  { pool }: Database,
  accountId: string,
  { bankAccountId, fundingScheduleId }: { bankAccountId: string; fundingScheduleId: string },
): Promise<FundingSchedule | null> {
  return pool.maybeOne(sql.type(FundingSchedule)`
    SELECT ${columns} FROM funding_schedules
    WHERE account_id = ${accountId} AND bank_account_id = ${bankAccountId}
      AND funding_schedule_id = ${fundingScheduleId} AND deleted_at IS NULL`)
}

/** Throws UniqueIntegrityConstraintViolationError when the bank account has one of that name. */
export async function insertFundingSchedule(tx: Tx, schedule: FundingSchedule): Promise<void> {
  await tx.query(sql.unsafe`${insertOf('funding_schedules', FundingSchedule, schedule)}`)
}

export function fundingScheduleBound(
  max: number,
  { accountId, bankAccountId }: Pick<FundingSchedule, 'accountId' | 'bankAccountId'>,
): Bound {
  return {
    scope: `funding_schedules ${bankAccountId}`,
    rows: sql.fragment`
      SELECT FROM funding_schedules
      WHERE account_id = ${accountId} AND bank_account_id = ${bankAccountId}
        AND deleted_at IS NULL`,
    max,
    refusal: `a bank account has at most ${max} funding schedules: delete one first`,
  }
}

/** Throws UniqueIntegrityConstraintViolationError when there is another of that name. */
export async function saveFundingSchedule(tx: Tx, schedule: FundingSchedule): Promise<void> {
  const { accountId, bankAccountId, fundingScheduleId, createdAt, ...fields } = schedule
  const names = Object.keys(fields) as (keyof typeof fields)[]
  await tx.query(sql.unsafe`
    UPDATE funding_schedules SET ${assignmentsOf(schedule, names)}
    WHERE account_id = ${accountId} AND bank_account_id = ${bankAccountId}
      AND funding_schedule_id = ${fundingScheduleId}`)
}

/** Makes the fault of a name that is taken the refusal a client gets. */
export function refuseTaken(error: unknown): never {
  const isTaken = error instanceof UniqueIntegrityConstraintViolationError
  if (isTaken && error.constraint === 'funding_schedules_name') {
    const name = 'is taken by another schedule of the bank account'
    throw duplicate('funding schedule', { name })
  }
  throw error
}
