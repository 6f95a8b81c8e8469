import type { Booted } from '@coffer/host/testing/boot'
import { loadSigner } from '@coffer/kit/rpc/caller'
import { expect } from '@jest/globals'
import { advanceActivities } from '../src/advance/advance.activities.ts'
import { type AdvanceDeps, advanceTogether } from '../src/advance/advance-together.activities.ts'
import { createPlanWriter } from '../src/plans/writer.service.ts'
import { at, type Household, household } from './household.ts'

export type Funded = Household & { fundingScheduleId: string }

/** Advances every bank account that is due, as the hourly run does. */
export async function advance(booted: Booted, now: string): Promise<void> {
  const { advancePage } = advanceActivities(depsOf(booted))
  booted.clock.now = new Date(now)
  expect(await advancePage({ now, after: null })).toEqual({ next: null, failed: 0 })
}

/** Advances one household alone, as a page that holds nothing else would. */
export async function advanceOnly(
  booted: Booted,
  { accountId, bankAccountId }: Household,
  now: Date,
): Promise<void> {
  booted.clock.now = now
  await advanceTogether(depsOf(booted), [{ accountId, bankAccountId }], now)
}

/** What the activities are made from, for running one step of them. */
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

/** A household on 28 September 2023 whose next payday is 13 October, early for the 15th. */
export async function september(booted: Booted): Promise<Funded> {
  booted.clock.now = new Date('2023-09-28T12:00Z')
  const home = await household(booted)
  const next = { excludeWeekends: true, nextRecurrence: at('2023-10-13T05:00Z') }
  const deposit = { autoCreateTransaction: true, estimatedDeposit: 200_000n }
  const { fundingScheduleId } = await home.pay({ ...next, ...deposit })
  return { ...home, fundingScheduleId }
}

/** By name: what an envelope holds, what a goal has used, what it gets next. */
export const shown = async ({ list }: Household) =>
  Object.fromEntries(
    (await list()).map(({ name, currentAmount, usedAmount, nextContributionAmount }) => [
      name,
      [currentAmount, usedAmount, nextContributionAmount],
    ]),
  )

/** What a household has come to, in terms that two alike have in common. */
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
