import { expect } from '@jest/globals'
import type { Person } from '../harness/person.ts'

// 06:00 UTC is midnight in Chicago, the person's timezone.
export const payday = 'DTSTART:20260115T060000Z\nRRULE:FREQ=MONTHLY;INTERVAL=1;BYMONTHDAY=15,-1'

/** Returns midnight in Chicago of 1 January of the year after next, in RFC 3339. */
function firstOfJanuaryAfterNext(): string {
  return `${new Date().getUTCFullYear() + 2}-01-01T06:00:00Z`
}

/** Budgets and spends as a new person: every answer must agree with the others. */
export async function budgetAndSpend(alice: Person): Promise<void> {
  const { path } = await alice.createBankAccount(100_000)
  const pay = await alice.post(`${path}/funding_schedules`, { name: 'Pay', ruleset: payday })
  expect(pay).toMatchObject({ name: 'Pay', excludeWeekends: false, lastRecurrence: null })
  const rent = await alice.post(`${path}/spending`, {
    spendingType: 'expense',
    name: 'Rent',
    fundingScheduleId: pay.fundingScheduleId,
    targetAmount: 50_000,
    nextRecurrence: firstOfJanuaryAfterNext(),
    ruleset: 'DTSTART:20260101T060000Z\nRRULE:FREQ=MONTHLY;INTERVAL=1;BYMONTHDAY=1',
  })
  expect(rent).toMatchObject({ currentAmount: 0, usedAmount: 0, isPaused: false })
  const moved = await alice.post(`${path}/spending/transfer`, {
    fromSpendingId: null,
    toSpendingId: rent.spendingId,
    amount: 30_000,
  })
  expect(moved.balance).toMatchObject({ available: 100_000, expenses: 30_000, free: 70_000 })
  expect(moved.spending).toMatchObject([{ spendingId: rent.spendingId, currentAmount: 30_000 }])

  // The envelope pays as much as it holds, free-to-use money pays the rest
  // (docs/money.md#spending-from-an-envelope).
  const spent = await alice.post(`${path}/transactions`, {
    name: 'Landlord',
    amount: 45_000,
    date: '2026-03-02T15:30:00-06:00',
    spendingId: rent.spendingId,
    adjustsBalance: true,
  })
  expect(spent.transaction).toMatchObject({
    amount: 45_000,
    spendingAmount: 30_000,
    source: 'manual',
    date: '2026-03-02T06:00:00Z',
    originalName: 'Landlord',
    originalMerchantName: '',
    deletedAt: null,
  })
  expect(spent.transaction).not.toHaveProperty('spending')
  expect(spent.balance).toMatchObject({ available: 55_000, current: 55_000, expenses: 0 })
  expect(spent.balance).toMatchObject({ free: 55_000 })
  expect(spent.spending).toMatchObject({ spendingId: rent.spendingId, currentAmount: 0 })

  const changed = await alice.call(
    'PATCH',
    `${path}/transactions/${spent.transaction.transactionId}`,
    {
      body: { spendingId: null },
    },
  )
  expect(changed.status).toBe(200)
  // On a busy machine the answer may lack the recalculated plan (docs/api.md#recalculation).
  const isPending = changed.headers.get('coffer-recalculation') === 'pending'
  const refunded = await alice.get(`${path}/spending/${rent.spendingId}`)
  expect(isPending ? [refunded] : changed.body.spending).toMatchObject([{ currentAmount: 30_000 }])
  expect(changed.body.transaction).not.toHaveProperty('spendingAmount')
  expect(await alice.get(`${path}/balances`)).toMatchObject({ expenses: 30_000, free: 25_000 })

  const gone = await alice.call('DELETE', `${path}/spending/${rent.spendingId}`)
  expect(gone).toMatchObject({ status: 200, body: null })
  expect(await alice.get(`${path}/spending`)).toEqual([])
  expect(await alice.get(`${path}/balances`)).toMatchObject({ expenses: 0, free: 55_000 })
}
