import { type Booted, boot, eventually } from '@coffer/host/testing/boot'
import { auditLedger } from '@coffer/ledger/money/audit.sql'
import { auditPages } from '@coffer/ledger/money/audit-pages.sql'
import { ledger } from '@coffer/ledger/service'
import { afterAll, beforeAll, expect, test } from '@jest/globals'
import pg from 'pg'
import { sql } from 'slonik'
import { z } from 'zod'
import { auditPlans } from '../../src/ledger/audit.sql.ts'
import { comparisonActivities } from '../../src/ledger/comparison.activities.ts'
import { budgeting } from '../../src/service.ts'
import { advanceOnly, createSeptember, depsOf, type Funded, shown } from '../advancing.ts'

const stack = new AsyncDisposableStack()
let booted: Booted
let admin: pg.Client

beforeAll(async () => {
  booted = stack.use(await boot([ledger, budgeting]))
  admin = new pg.Client({ connectionString: booted.databaseUrl })
  await admin.connect()
  stack.defer(() => admin.end())
})

afterAll(async () => {
  await stack.disposeAsync()
})

/** The tables of the ledger with their columns, without generated ones. */
async function listTables() {
  const { rows } = await admin.query<{ name: string; columns: string }>(`
    SELECT table_name AS name, string_agg(column_name, ', ') AS columns
    FROM information_schema.columns JOIN information_schema.tables USING (table_schema, table_name)
    WHERE table_schema = 'ledger' AND is_generated = 'NEVER' AND table_type = 'BASE TABLE'
    GROUP BY table_name`)
  return rows
}

async function backUp(): Promise<void> {
  await admin.query('DROP SCHEMA IF EXISTS backup CASCADE; CREATE SCHEMA backup')
  for (const { name } of await listTables()) {
    await admin.query(`CREATE TABLE backup.${name} AS TABLE ledger.${name}`)
  }
}

/** Replaces all rows of the ledger by those of the backup. */
async function restore(): Promise<void> {
  await admin.query('BEGIN; SET LOCAL session_replication_role = replica')
  for (const { name, columns } of await listTables()) {
    await admin.query(`DELETE FROM ledger.${name}`)
    await admin.query(`
      INSERT INTO ledger.${name} (${columns}) OVERRIDING SYSTEM VALUE
      SELECT ${columns} FROM backup.${name}`)
  }
  await admin.query('COMMIT')
}

async function findings() {
  const books = booted.database('ledger')
  return [
    ...(await auditLedger(books)),
    ...(await auditPlans(booted.database('budgeting'), auditPages(books))),
  ]
}

async function comparePlans(): Promise<void> {
  const { comparePage } = comparisonActivities(depsOf(booted))
  expect(await comparePage(null)).toBeNull()
}

/** Stored amounts and contributions of budgeting, by name; minor units. */
async function kept({ accountId }: Funded) {
  const Row = z.object({ name: z.string(), held: z.bigint(), used: z.bigint(), next: z.bigint() })
  const rows = await booted.database('budgeting').pool.any(sql.type(Row)`
    SELECT name, current_amount AS held, used_amount AS used, next_contribution_amount AS next
    FROM spending WHERE account_id = ${accountId}`)
  return Object.fromEntries(rows.map(({ name, held, used, next }) => [name, [held, used, next]]))
}

test('the comparison reconciles the plans with a ledger restored from a backup', async () => {
  const home = await createSeptember(booted)
  const { fundingScheduleId, envelopes, bankAccountId, as } = home
  const move = (toSpendingId: string, amount: bigint) =>
    envelopes.transfer({ bankAccountId, toSpendingId, amount }, as)
  const rent = await home.expense(fundingScheduleId, { name: 'rent', targetAmount: 6_000n })
  const gone = await home.expense(fundingScheduleId, { name: 'gone', targetAmount: 6_000n })
  await move(rent.spendingId, 1_000n)
  await move(gone.spendingId, 500n)
  await eventually(
    () => kept(home),
    ({ gone }) => gone?.[0] === 500n,
  )
  await backUp()

  // Changes after the backup, which the restored ledger lacks.
  const bike = await home.goal(fundingScheduleId, { name: 'bike', targetAmount: 50_000n })
  await move(bike.spendingId, 300n)
  await home.spending.deleteSpending({ bankAccountId, spendingId: gone.spendingId }, as)
  await advanceOnly(booted, home, new Date('2023-10-13T06:00Z'))
  await move(rent.spendingId, 2_000n)
  const after = await shown(home)
  await eventually(
    () => kept(home),
    (plans) => plans.rent?.[0] === after.rent?.[0],
  )
  expect(await findings()).toEqual([])
  await restore()
  expect((await findings()).map(({ rule }) => rule)).toEqual([
    'an open plan has an open envelope',
    'an open envelope has a plan',
    'an applied run is booked',
  ])

  await comparePlans()
  expect(await findings()).toEqual([])
  // The funding is booked again; the later transfer and the new goal are lost.
  const { rent: paid, ...others } = await shown(home)
  expect(others).toEqual({})
  expect(paid?.[0]).toBe((after.rent?.[0] ?? 0n) - 2_000n)
  const balance = await home.balances()
  expect(balance).toMatchObject({ expenses: paid?.[0], goals: 0n, available: 1_200_000n })
  await eventually(
    async () => [await kept(home), await shown(home)],
    ([plans, list]) => JSON.stringify(plans, text) === JSON.stringify(list, text),
  )

  // The plans accept the next change.
  await move(rent.spendingId, 7n)
  await eventually(
    () => kept(home),
    (plans) => plans.rent?.[0] === (paid?.[0] ?? 0n) + 7n,
  )
  await comparePlans()
  expect(await findings()).toEqual([])
})

test('a change after a restore has a newer version than the lost ones', async () => {
  const home = await createSeptember(booted)
  const { fundingScheduleId, envelopes, bankAccountId, as } = home
  const { spendingId } = await home.expense(fundingScheduleId, { name: 'rent' })
  const moveAt = async (minute: number, amount: bigint) => {
    booted.clock.now = new Date(Date.UTC(2023, 8, 28, 12, minute))
    const moved = { bankAccountId, toSpendingId: spendingId, amount }
    const { envelopes: changed } = await envelopes.transfer(moved, as)
    return changed[0]?.version ?? 0n
  }
  const holds = (amount: bigint) =>
    eventually(
      () => kept(home),
      ({ rent }) => rent?.[0] === amount,
    )
  await moveAt(0, 1_000n)
  await backUp()
  for (const minute of [1, 5, 9]) await moveAt(minute, 100n)
  const lost = await moveAt(9, 100n)
  await holds(1_400n)

  await restore()
  // Fewer changes than were lost: a mere counter would repeat a lost version.
  expect(await moveAt(10, 7n)).toBeGreaterThan(lost)
  await holds(1_007n)
  expect(await findings()).toEqual([])
})

function text(_key: string, value: unknown): unknown {
  return typeof value === 'bigint' ? String(value) : value
}
