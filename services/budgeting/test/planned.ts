import { timestampFromDate, timestampFromMs } from '@bufbuild/protobuf/wkt'
import type { Booted } from '@coffer/host/testing/boot'
import { midnightOf } from '@coffer/kit/values/day'
import { dayMs } from '@coffer/kit/values/time'
import fc from 'fast-check'
import { occurrenceAfter, occurrencesOf } from '../src/recurrence/recurrence.ts'
import { createBudgetHousehold } from './household.ts'
import { chicago, monthly, twiceMonthly } from './samples.ts'

const rules = [
  twiceMonthly,
  'DTSTART:20230106T060000Z\nRRULE:FREQ=WEEKLY;INTERVAL=1;BYDAY=FR',
  'DTSTART:20230106T060000Z\nRRULE:FREQ=WEEKLY;INTERVAL=2;BYDAY=FR',
  'DTSTART:20230101T060000Z\nRRULE:FREQ=MONTHLY;INTERVAL=1;BYMONTHDAY=1',
]
const dues = [
  monthly,
  'DTSTART:20230108T060000Z\nRRULE:FREQ=MONTHLY;INTERVAL=1;BYMONTHDAY=8',
  'DTSTART:20230108T060000Z\nRRULE:FREQ=MONTHLY;INTERVAL=3;BYMONTHDAY=31,8',
  'DTSTART:20230106T060000Z\nRRULE:FREQ=WEEKLY;INTERVAL=1;BYDAY=WE',
]
const money = { target: fc.bigInt(1n, 9999n), saved: fc.bigInt(0n, 25_000n), spent: spent() }
/**
 * Random plans: money in envelopes, a part of it spent, grace, and bills that are skipped, settled
 * or paid by an automatic transaction.
 */
export const plans = fc.record({
  funding: fc.constantFrom(...rules),
  excludeWeekends: fc.boolean(),
  expenses: fc.array(
    fc.record({
      ...money,
      ruleset: fc.constantFrom(...dues),
      graceDays: fc.integer({ min: 0, max: 7 }),
      isAutomatic: fc.boolean(),
      settlesWhenSpent: fc.boolean(),
    }),
    { minLength: 1, maxLength: 3 },
  ),
  goal: fc.record({ ...money, days: fc.integer({ min: 1, max: 100 }) }),
})
/** Nothing is spent, or up to more than the target, of which the envelope gives a part. */
function spent() {
  return fc.oneof(fc.constant(0n), fc.bigInt(1n, 12_000n))
}
/** A schedule with up to three expenses and a goal. */
export type Plan = typeof plans extends fc.Arbitrary<infer Value> ? Value : never

/** Creates a household with envelopes, some of them due before the first firing of the schedule. */
export async function createPlanned(
  booted: Booted,
  { funding, excludeWeekends, expenses, goal }: Plan,
) {
  const now = new Date('2023-09-28T12:00Z')
  booted.clock.now = now
  const home = await createBudgetHousehold(booted)
  const deposit = { estimatedDeposit: 5000n, autoCreateTransaction: true }
  const { fundingScheduleId } = await home.pay({ ruleset: funding, excludeWeekends, ...deposit })
  const { bankAccountId } = home
  const fill = async (
    { spendingId }: { spendingId: string },
    { saved, spent }: { saved: bigint; spent: bigint },
  ) => {
    const moved = { bankAccountId, toSpendingId: spendingId, amount: saved }
    if (saved > 0n) await home.envelopes.transfer(moved, home.as)
    const paid = { bankAccountId, spendingId, amount: spent, name: 'Shop' }
    const bill = { ...paid, date: timestampFromDate(now), adjustsBalance: true }
    if (spent > 0n) await home.transactions.createTransaction(bill, home.as)
  }
  for (const { ruleset, target, saved, spent, isAutomatic, ...stated } of expenses) {
    const due = occurrenceAfter(occurrencesOf(ruleset, chicago), now.getTime()) ?? 0
    const plan = { ruleset, targetAmount: target, nextRecurrence: timestampFromMs(due) }
    const created = { ...plan, ...stated, autoCreateTransaction: isAutomatic }
    const { spendingId } = await home.expense(fundingScheduleId, created)
    await fill({ spendingId }, { saved, spent })
    if (saved % 3n === 0n) await home.spending.skipSpending({ bankAccountId, spendingId }, home.as)
    if (saved % 2n === 0n)
      await home.spending.settleSpending({ bankAccountId, spendingId }, home.as)
  }
  const due = midnightOf(new Date(now.getTime() + goal.days * dayMs), chicago)
  const plan = { targetAmount: goal.target, nextRecurrence: timestampFromDate(due) }
  await fill(await home.goal(fundingScheduleId, plan), goal)
  return home
}
