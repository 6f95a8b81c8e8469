import { type Booted, boot, eventually } from '@coffer/host/testing/boot'
import { withClient } from '@coffer/host/testing/database'
import { metricValue } from '@coffer/host/testing/metrics'
import { ledger } from '@coffer/ledger/service'
import { afterAll, beforeAll, expect, test } from '@jest/globals'
import { sql } from 'slonik'
import { z } from 'zod'
import { budgeting } from '../../src/service.ts'
import { advanceOnly, createSeptember, type Funded, shown, untilSynced } from '../advancing.ts'
import { type Backups, comparePlans, createBackups, findings } from './backup.ts'

const stack = new AsyncDisposableStack()
let booted: Booted
let backups: Backups

beforeAll(async () => {
  booted = stack.use(await boot([ledger, budgeting]))
  backups = stack.use(await createBackups(booted))
})

afterAll(async () => {
  await stack.disposeAsync()
})

/** Returns the amounts and contributions that budgeting stores (minor units), keyed by name. */
async function kept({ accountId }: Funded) {
  const Row = z.object({ name: z.string(), held: z.bigint(), used: z.bigint(), next: z.bigint() })
  const rows = await booted.database('budgeting').pool.any(sql.type(Row)`
    SELECT name, current_amount AS held, used_amount AS used, next_contribution_amount AS next
    FROM spending WHERE account_id = ${accountId}`)
  return Object.fromEntries(rows.map(({ name, held, used, next }) => [name, [held, used, next]]))
}

/** Returns how many differences of a kind the comparison has corrected. */
async function differences(kind: string): Promise<number> {
  return (await metricValue('coffer_plans_compared_differences_total', { kind })) ?? 0
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
  await backups.create('before')

  // Changes after the backup: the restored ledger does not have them.
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
  expect(await findings(booted)).toEqual([])
  await backups.restore('before')
  expect((await findings(booted)).map(({ rule }) => rule)).toEqual([
    'an open plan has an open envelope',
    'an open envelope has a plan',
    'an applied run is booked',
  ])

  const kinds = ['plan-without-envelope', 'envelope-without-plan', 'amounts']
  const before = await Promise.all(kinds.map(differences))
  await comparePlans(booted)
  expect(await findings(booted)).toEqual([])
  const counted = await Promise.all(kinds.map(differences))
  expect(counted).toEqual(before.map((count) => count + 1))
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

  // After the comparison, new amounts of the ledger reach the plans again.
  await move(rent.spendingId, 7n)
  await eventually(
    () => kept(home),
    (plans) => plans.rent?.[0] === (paid?.[0] ?? 0n) + 7n,
  )
  await comparePlans(booted)
  expect(await findings(booted)).toEqual([])
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
  await backups.create('before')
  for (const minute of [1, 5, 9]) await moveAt(minute, 100n)
  const lost = await moveAt(9, 100n)
  await holds(1_400n)

  await backups.restore('before')
  // One change, fewer than were lost: if the version only counted changes, it would be one of the
  // lost versions.
  expect(await moveAt(10, 7n)).toBeGreaterThan(lost)
  await holds(1_007n)
  expect(await findings(booted)).toEqual([])
})

/** Deletes all rows of budgeting, or of one account: its database was restored from a backup. */
async function losePlans(accountId: string | null): Promise<void> {
  await withClient(booted.databaseUrl, async (client) => {
    const { rows } = await client.query<{ name: string }>(`
      SELECT table_name AS name FROM information_schema.columns
      JOIN information_schema.tables USING (table_schema, table_name)
      WHERE table_schema = 'budgeting' AND table_type = 'BASE TABLE'
        AND column_name = 'account_id'`)
    await client.query(`BEGIN; SET LOCAL session_replication_role = replica`)
    for (const { name } of rows) {
      await client.query(
        `DELETE FROM budgeting.${name} WHERE account_id = coalesce($1, account_id)`,
        [accountId],
      )
    }
    await client.query('COMMIT')
  })
}

test('envelopes of a bank account that budgeting has no row of are closed', async () => {
  const fund = async () => {
    const home = await createSeptember(booted)
    const rent = await home.expense(home.fundingScheduleId, { name: 'rent' })
    const { bankAccountId, as } = home
    const moved = { bankAccountId, toSpendingId: rent.spendingId, amount: 900n }
    await home.envelopes.transfer(moved, as)
    // Otherwise the consumer of the event locks rows in another order than `losePlans`.
    await untilSynced(booted, home)
    return home
  }
  const [home, other] = [await fund(), await fund()]
  const before = await differences('envelope-without-plan')
  await losePlans(home.accountId)
  expect(await findings(booted)).toMatchObject([{ rule: 'an open envelope has a plan' }])
  await comparePlans(booted)
  expect(await findings(booted)).toEqual([])
  expect(await differences('envelope-without-plan')).toBe(before + 1)
  expect(await home.balances()).toMatchObject({ expenses: 0n, free: 1_000_000n })
  expect(await other.balances()).toMatchObject({ expenses: 900n })

  // An empty budgeting must not close all envelopes.
  await losePlans(null)
  await comparePlans(booted)
  expect(await other.balances()).toMatchObject({ expenses: 900n })
  expect(await differences('envelope-without-plan')).toBeGreaterThan(before + 1)
})

function text(_key: string, value: unknown): unknown {
  return typeof value === 'bigint' ? String(value) : value
}
