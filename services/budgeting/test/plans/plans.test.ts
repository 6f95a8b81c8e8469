import { booting } from '@coffer/host/testing/booting'
import { fillFrom } from '@coffer/host/testing/database'
import { headers } from '@coffer/kit/rpc/rpc'
import { slowScans } from '@coffer/kit/testing/plans'
import { newId } from '@coffer/kit/values/id'
import { ledger } from '@coffer/ledger/service'
import { expect, test } from '@jest/globals'
import { sql } from 'slonik'
import { budgeting } from '../../src/service.ts'
import { removePlansOf } from '../../src/tenancy/removal.activities.ts'
import { advanceOnly, createSeptember, depsOf } from '../advancing.ts'

const booted = booting([ledger, budgeting])

const tenantTables = [
  'funding_schedules',
  'spending',
  'funding_runs',
  'funding_run_lines',
  'ended_bank_accounts',
  'account_settings',
  'idempotency_keys',
]

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
  await home.overview()
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
  await fillFrom(place, new URL('./crowd.sql', import.meta.url))
  expect(await slowScans(place, { statements, tables: tenantTables })).toEqual([])
  await database.pool.query(sql.unsafe`ANALYZE`)
  expect(await slowScans(place, { statements, tables: tenantTables })).toEqual([])
})
