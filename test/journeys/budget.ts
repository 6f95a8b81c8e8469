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
  const { client } = alice
  const { bank } = await alice.createBankAccount(100_000)
  const schedule = { name: 'Pay', ruleset: payday }
  const { data: pay } = await client.createFundingSchedule({ ...bank, body: schedule })
  expect(pay).toMatchObject({ name: 'Pay', excludeWeekends: false, lastRecurrence: null })
  const { data: rent } = await client.createSpending({
    ...bank,
    body: {
      spendingType: 'expense',
      name: 'Rent',
      fundingScheduleId: pay.fundingScheduleId,
      targetAmount: 50_000,
      nextRecurrence: firstOfJanuaryAfterNext(),
      ruleset: 'DTSTART:20260101T060000Z\nRRULE:FREQ=MONTHLY;INTERVAL=1;BYMONTHDAY=1',
    },
  })
  expect(rent).toMatchObject({ currentAmount: 0, usedAmount: 0, isPaused: false })
  const { spendingId } = rent
  const toRent = { fromSpendingId: null, toSpendingId: spendingId, amount: 30_000 }
  const { data: moved } = await client.transferBetweenEnvelopes({ ...bank, body: toRent })
  expect(moved.balance).toMatchObject({ available: 100_000, expenses: 30_000, free: 70_000 })
  expect(moved.spending).toMatchObject([{ spendingId, currentAmount: 30_000 }])

  // The envelope pays as much as it holds, free-to-use money pays the rest
  // (docs/money.md#spending-from-an-envelope).
  const { data: spent } = await client.createTransaction({
    ...bank,
    body: {
      name: 'Landlord',
      amount: 45_000,
      date: '2026-03-02T15:30:00-06:00',
      spendingId,
      adjustsBalance: true,
    },
  })
  const { transactionId } = spent.transaction
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
  expect(spent.spending).toMatchObject({ spendingId, currentAmount: 0 })

  const envelope = { path: { ...bank.path, spendingId } }
  const { data: changed, response } = await client.updateTransaction({
    path: { ...bank.path, transactionId },
    body: { spendingId: null },
  })
  // On a busy machine the answer may lack the recalculated plan (docs/api.md#recalculation).
  const isPending = response.headers.get('coffer-recalculation') === 'pending'
  const { data: refunded } = await client.getSpending(envelope)
  expect(isPending ? [refunded] : changed.spending).toMatchObject([{ currentAmount: 30_000 }])
  expect(changed.transaction).not.toHaveProperty('spendingAmount')
  const { data: balances } = await client.getBalances(bank)
  expect(balances).toMatchObject({ expenses: 30_000, free: 25_000 })

  await returnShoes(alice, { bank, spendingId })
  expect((await client.deleteSpending(envelope)).data).toBeNull()
  expect((await client.listSpending(bank)).data).toEqual([])
  expect((await client.getBalances(bank)).data).toMatchObject({ expenses: 0, free: 57_000 })
}

/** Buys for 5,000 from an envelope that holds 30,000, and gets 7,000 (docs/money/refunds.md). */
async function returnShoes(
  { client }: Person,
  { bank, spendingId }: { bank: { path: { bankAccountId: string } }; spendingId: string },
): Promise<void> {
  const shoes = { name: 'Shoes', date: '2026-03-03T06:00:00Z', adjustsBalance: true }
  await client.createTransaction({ ...bank, body: { ...shoes, amount: 5_000, spendingId } })
  const deposit = { ...shoes, amount: -7_000, refundSpendingId: spendingId }
  const { data } = await client.createTransaction({ ...bank, body: deposit })
  const { transaction, balance, hints } = data
  expect(transaction).toMatchObject({ refundSpendingId: spendingId, refundAmount: 5_000 })
  expect(transaction).toMatchObject({ amount: -7_000, spendingId: null })
  expect(balance).toMatchObject({ available: 57_000, expenses: 30_000, free: 27_000 })
  expect(hints).toHaveLength(1)
  const { data: listed } = await client.listSpendingTransactions({
    path: { ...bank.path, spendingId },
  })
  expect(listed.map(({ amount }) => amount)).toEqual([-7_000, 5_000])
}
