import { createDatabase } from '@coffer/host/database/pool'
import { type Booted, boot, eventually, holdTransaction } from '@coffer/host/testing/boot'
import type { Database } from '@coffer/kit/database/database'
import { startProxy, type TcpProxy } from '@coffer/kit/testing/proxy'
import { newId } from '@coffer/kit/values/id'
import { afterAll, beforeAll, expect, test } from '@jest/globals'
import { sql } from 'slonik'
import { z } from 'zod'
import type { FundingSchedule } from '../../src/book/funding-schedule.ts'
import { createPlanWriter, type PlanWriter } from '../../src/plans/writer.service.ts'
import { budgeting } from '../../src/service.ts'
import { pay } from '../samples.ts'

const stack = new AsyncDisposableStack()
let booted: Booted
let proxy: TcpProxy
let writer: PlanWriter
/** Direct connections to the database that `writer` reaches through the proxy. */
let database: Database

beforeAll(async () => {
  booted = stack.use(await boot([budgeting]))
  database = booted.database('budgeting')
  proxy = stack.use(await startProxy(booted.databaseUrl))
  const options = { schema: 'budgeting', poolSizeMax: 4, statementTimeoutMs: 10_000 }
  const remote = stack.use(await createDatabase({ url: proxy.url, ...options }))
  writer = createPlanWriter({ database: remote, clock: () => new Date() })
})

afterAll(async () => {
  await stack.disposeAsync()
})

/**
 * Creates a schedule. `raise` adds 1 minor unit to its estimated deposit, `deposit` reads it.
 * `where` selects the version row of the bank account.
 */
async function createSchedule() {
  const key = { accountId: newId('acct'), bankAccountId: newId('bac') }
  const fundingScheduleId = newId('fund')
  const schedule: FundingSchedule = {
    ...pay,
    ...key,
    fundingScheduleId,
    estimatedDeposit: 0n,
  }
  await writer.write({ scope: key, decide: () => ({ schedules: [schedule], reply: null }) })
  const raise = () =>
    writer.write({
      scope: { ...key, fundingScheduleIds: [fundingScheduleId] },
      decide: ({ schedules }) => ({
        schedules: schedules.map((one) => ({
          ...one,
          estimatedDeposit: (one.estimatedDeposit ?? 0n) + 1n,
        })),
        reply: 'raised',
      }),
    })
  const deposit = () =>
    database.pool.oneFirst(sql.type(z.object({ deposit: z.bigint() }))`
      SELECT estimated_deposit AS deposit FROM funding_schedules
      WHERE funding_schedule_id = ${fundingScheduleId}`)
  const where = sql.fragment`WHERE bank_account_id = ${key.bankAccountId}`
  return { raise, deposit, where }
}

/** Waits until `count` statements wait for a lock; Postgres grants the lock in their order. */
async function untilWaiting(count: number): Promise<void> {
  const waiting = () =>
    database.pool.any(sql.unsafe`
      SELECT FROM pg_stat_activity
      WHERE datname = current_database() AND wait_event_type = 'Lock'`)
  await eventually(waiting, ({ length }) => length === count)
}

test('a change whose answer is lost is saved once', async () => {
  const { raise, deposit } = await createSchedule()
  const isLost = proxy.loseAnswerTo('"read_version"', 0)
  expect(await raise()).toBe('raised')
  expect(isLost()).toBe(true)
  expect(await deposit()).toBe(1n)
})

test('a change whose answer is lost is found after a later change', async () => {
  const { raise, deposit, where } = await createSchedule()
  const row = sql.unsafe`SELECT FROM plan_books ${where} FOR NO KEY UPDATE`
  const { release } = await holdTransaction(database, row)
  // Loses the answer of the second attempt to save: the first attempt skips the locked row, the
  // second waits for it.
  const isLost = proxy.loseAnswerTo('"read_version"', 1)
  const raised = raise()
  await untilWaiting(1)
  const other = database.pool.query(sql.unsafe`
    UPDATE plan_books SET version = version + 1, save_id = NULL ${where}`)
  await untilWaiting(2)
  await Promise.all([release(), other])
  expect(await raised).toBe('raised')
  expect(isLost()).toBe(true)
  expect(await deposit()).toBe(1n)
})
