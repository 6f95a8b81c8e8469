import { type Booted, boot } from '@coffer/host/testing/boot'
import { inBulk } from '@coffer/host/testing/database'
import type { Transaction } from '@coffer/kit/database/database'
import { headers } from '@coffer/kit/rpc/rpc'
import { slowScans } from '@coffer/kit/testing/plans'
import { newId } from '@coffer/kit/values/id'
import { ledger } from '@coffer/ledger/service'
import { afterAll, beforeAll, expect, test } from '@jest/globals'
import { sql } from 'slonik'
import { budgeting } from '../../src/service.ts'
import { removePlansOf } from '../../src/tenancy/removal.activities.ts'
import { advanceOnly, createSeptember, depsOf } from '../advancing.ts'

let booted: Booted

beforeAll(async () => {
  booted = await boot([ledger, budgeting])
})

afterAll(async () => {
  await booted[Symbol.asyncDispose]()
})

const tenantTables = [
  'funding_schedules',
  'spending',
  'funding_runs',
  'funding_run_lines',
  'ended_bank_accounts',
  'account_settings',
  'idempotency_keys',
]

/** Fills the tables with fifty other accounts, so that a sequential scan is expensive. */
async function fillTables(tx: Transaction): Promise<void> {
  await tx.query(sql.unsafe`
    INSERT INTO funding_schedules (account_id, bank_account_id, funding_schedule_id, name, ruleset,
      exclude_weekends, wait_for_deposit, auto_create_transaction, next_recurrence,
      next_recurrence_original, created_at)
    SELECT 'acct_' || a, 'bac_' || a || '_' || b, 'fund_' || n, 'Pay ' || n, '', false, false,
      false, now(), now(), now()
    FROM generate_series(1, 50) AS a, generate_series(1, 20) AS b, generate_series(1, 2) AS n`)
  await tx.query(sql.unsafe`
    INSERT INTO spending (account_id, bank_account_id, spending_id, funding_schedule_id,
      spending_type, name, target_amount, current_amount, used_amount, amounts_version, ruleset,
      next_recurrence, next_contribution_amount, is_behind, is_paused, auto_create_transaction,
      calculated_at, created_at, state, opening_attempts)
    SELECT account_id, bank_account_id, funding_schedule_id || n, funding_schedule_id, 'expense',
      funding_schedule_id || n, 1, 0, 0, 1, '', now(), 0, false, false, false, now(), now(),
      'open', 1
    FROM funding_schedules, generate_series(1, 10) AS n`)
  await tx.query(sql.unsafe`
    INSERT INTO funding_runs (account_id, bank_account_id, funding_run_id, funding_schedule_id,
      occurrence, state, created_at)
    SELECT account_id, bank_account_id, funding_schedule_id || n, funding_schedule_id,
      now() + make_interval(days => n), CASE WHEN n = 1 THEN 'pending' ELSE 'applied' END, now()
    FROM funding_schedules, generate_series(1, 10) AS n`)
  await tx.query(sql.unsafe`
    INSERT INTO funding_run_lines (account_id, bank_account_id, funding_run_id, spending_id, amount,
      ceiling)
    SELECT account_id, bank_account_id, funding_run_id, 'spnd_' || n, 1, 1
    FROM funding_runs, generate_series(1, 3) AS n`)
  await tx.query(sql.unsafe`
    INSERT INTO ended_bank_accounts (account_id, bank_account_id, reason, ended_at)
    SELECT 'acct_' || a, 'bac_x' || b, 'removed', now()
    FROM generate_series(1, 50) AS a, generate_series(1, 50) AS b`)
  await tx.query(sql.unsafe`
    INSERT INTO account_settings (account_id, timezone, version)
    SELECT 'acct_' || a, 'UTC', 1 FROM generate_series(1, 10000) AS a`)
  await tx.query(sql.unsafe`
    INSERT INTO idempotency_keys (account_id, route, key, body_hash, reply)
    SELECT account_id, 'CreateSpending', spending_id || bank_account_id, '', '' FROM spending`)
}

test('every statement on an account uses an index on the account', async () => {
  const database = booted.database('budgeting')
  const before = new Set(database.texts())
  const home = await createSeptember(booted)
  const { bankAccountId, fundingScheduleId, as, schedules, spending, envelopes } = home
  await schedules.listFundingSchedules({ bankAccountId }, as)
  await schedules.getFundingSchedule({ bankAccountId, fundingScheduleId }, as)
  const { spendingId } = await home.expense(fundingScheduleId, { name: 'Rent' })
  const keyed = { ...as, headers: { [headers.idempotencyKey]: newId('k') } }
  const { $typeName, ...trip } = await home.goal(fundingScheduleId, { name: 'Trip' })
  await expect(spending.createSpending(trip, keyed)).rejects.toThrow('similar object')
  await spending.getSpending({ bankAccountId, spendingId }, as)
  await home.list()
  const moved = await envelopes.transfer(
    { bankAccountId, toSpendingId: spendingId, amount: 5n },
    as,
  )
  await spending.recalculateSpending({ bankAccountId, envelopes: moved.envelopes }, as)
  await advanceOnly(booted, home, new Date('2023-12-01T12:00Z'))
  await spending.deleteSpending({ bankAccountId, spendingId }, as)
  await removePlansOf(depsOf(booted), home)
  const statements = database.texts().filter((text) => !before.has(text))
  expect(statements.length).toBeGreaterThan(20)
  const place = { url: booted.databaseUrl, schema: 'budgeting' }
  // Before the first ANALYZE the planner estimates from the table size alone.
  await inBulk(place, fillTables)
  expect(await slowScans(place, { statements, tables: tenantTables })).toEqual([])
  await database.pool.query(sql.unsafe`ANALYZE`)
  expect(await slowScans(place, { statements, tables: tenantTables })).toEqual([])
})
