import type { CreatedBankAccount, Person } from '@coffer/test/harness/person.ts'

const chicago = 'T060000Z'

/** A person's bank account with a payday, envelopes and payments, as the app shows them. */
export interface Household extends CreatedBankAccount {
  fundingScheduleId: string
  spendingId: string
  transactionId: string
}

/** Creates a household: 1,000.00, of which 120.00 is in the expense "Groceries". */
export async function createHousehold(person: Person): Promise<Household> {
  const account = await person.createBankAccount(100_000)
  const { client } = person
  const { bank } = account
  const rule = `DTSTART:20260116${chicago}\nRRULE:FREQ=WEEKLY;INTERVAL=2;BYDAY=FR`
  const schedule = { name: 'Payday', ruleset: rule, estimatedDeposit: 180_000 }
  const { fundingScheduleId } = (await client.createFundingSchedule({ ...bank, body: schedule }))
    .data
  const plan = { name: 'Groceries', fundingScheduleId, targetAmount: 40_000 }
  const monthly = `DTSTART:20260101${chicago}\nRRULE:FREQ=MONTHLY;INTERVAL=1;BYMONTHDAY=1`
  const expense = { ...plan, spendingType: 'expense', ruleset: monthly } as const
  const { spendingId } = (await client.createSpending({ ...bank, body: expense })).data
  const moved = { toSpendingId: spendingId, fromSpendingId: null, amount: 12_000 }
  await client.transferBetweenEnvelopes({ ...bank, body: moved })
  const date = new Date().toISOString()
  const tags = ['<i>food</i>', 'tax 2026']
  const payment = { name: '<b>Corner</b> shop', amount: 2_350, date, tags }
  const { transaction } = (await client.createTransaction({ ...bank, body: payment })).data
  return { ...account, fundingScheduleId, spendingId, transactionId: transaction.transactionId }
}
