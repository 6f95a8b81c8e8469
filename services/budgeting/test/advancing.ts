import { loadSigner } from '@coffer/host/rpc/signing-key'
import { type Booted, eventually } from '@coffer/host/testing/boot'
import { expect } from '@jest/globals'
import { sql } from 'slonik'
import { z } from 'zod'
import { advanceActivities } from '../src/advance/advance.activities.ts'
import { type AdvanceDeps, advanceTogether } from '../src/advance/advance-together.service.ts'
import { createPlanWriter } from '../src/plans/writer.service.ts'
import { at, createBudgetHousehold, type Household } from './household.ts'

export type Funded = Household & { fundingScheduleId: string }

/** Runs the hourly job for every bank account that is due at `now` (RFC 3339). */
export async function advance(booted: Booted, now: string): Promise<void> {
  const { advancePage } = advanceActivities(depsOf(booted))
  booted.clock.now = new Date(now)
  expect(await advancePage({ now, after: null })).toEqual({ next: null, failed: 0 })
}

/** Runs the hourly job for the bank account of one household. */
export async function advanceOnly(
  booted: Booted,
  { accountId, bankAccountId }: Household,
  now: Date,
): Promise<void> {
  booted.clock.now = now
  await advanceTogether(depsOf(booted), [{ accountId, bankAccountId }], now)
}

/** Returns dependencies with which a test can call the activities without a workflow. */
export function depsOf(booted: Booted): AdvanceDeps {
  const log = { error: () => {}, info: () => {}, warn: () => {} }
  const database = booted.database('budgeting')
  const clock = () => booted.clock.now ?? new Date()
  return {
    config: { expenseCarryOver: false, advancedAtOnce: 3, advanceShare: 1 },
    mesh: booted.host.mesh,
    signer: loadSigner(booted.keysFolder, 'budgeting'),
    database,
    clock,
    log,
    ...createPlanWriter({ database, clock }),
  } as unknown as AdvanceDeps
}

/**
 * Creates a household on 28 September 2023. Its next payday is Friday 13 October (moved from Sunday
 * the 15th), with an automatic deposit.
 */
export async function createSeptember(booted: Booted): Promise<Funded> {
  booted.clock.now = new Date('2023-09-28T12:00Z')
  const home = await createBudgetHousehold(booted)
  const next = { excludeWeekends: true, nextRecurrence: at('2023-10-13T05:00Z') }
  const deposit = { autoCreateTransaction: true, estimatedDeposit: 200_000n }
  const { fundingScheduleId } = await home.pay({ ...next, ...deposit })
  return { ...home, fundingScheduleId }
}

/** Waits until all plans have the ledger's amounts, compared by version. */
export async function untilSynced(
  booted: Booted,
  { envelopes, bankAccountId, as }: Household,
): Promise<void> {
  const { pool } = booted.database('budgeting')
  const listed = (await envelopes.listEnvelopes({ bankAccountId }, as)).envelopes
  const versions = listed.map(({ spendingId, version }) => `${spendingId} ${version}`)
  const seen = () =>
    pool.anyFirst(sql.type(z.object({ seen: z.string() }))`
      SELECT spending_id || ' ' || amounts_version AS seen FROM spending
      WHERE bank_account_id = ${bankAccountId} ORDER BY spending_id`)
  await eventually(seen, (rows) => JSON.stringify(rows) === JSON.stringify(versions))
}

/** Returns amount, used amount and next contribution of envelopes (minor units), keyed by name. */
export const shown = async ({ list }: Household) =>
  Object.fromEntries(
    (await list()).map(({ name, currentAmount, usedAmount, nextContributionAmount }) => [
      name,
      [currentAmount, usedAmount, nextContributionAmount],
    ]),
  )

/** Returns the state of a household without IDs, so that two households can be compared. */
export async function outcome(home: Household) {
  const { bankAccountId, as } = home
  const named = (await home.list()).map((one) => [one.spendingId, one.name] as const)
  const names = new Map(named)
  const { transactions } = await home.transactions.listTransactions(
    { bankAccountId, limit: 100 },
    as,
  )
  const booked = transactions.map(({ name, amount, date, spendingAmount, ...one }) =>
    [name, amount, date?.seconds, spendingAmount, names.get(one.spendingId ?? '')].join(' '),
  )
  const { fundingSchedules } = await home.schedules.listFundingSchedules({ bankAccountId }, as)
  return {
    schedules: fundingSchedules.map((one) => [one.name, one.nextRecurrence, one.lastRecurrence]),
    plans: (await home.list()).map((one) => [
      one.name,
      one.nextRecurrence,
      one.lastRecurrence,
      one.isBehind,
    ]),
    amounts: await shown(home),
    booked: booked.sort(),
    balances: { ...(await home.balances()), bankAccountId: '' },
  }
}
