import type { Bank, Person } from './person.ts'

/**
 * Creates a bank account with 1,000.00, a goal of 500.00 that holds `amount` minor units, and a
 * funding schedule on the 15th and the last day of each month.
 */
export async function createGoal(
  person: Person,
  amount: number,
): Promise<{ path: string; bank: Bank; spendingId: string }> {
  const { path, bank } = await person.createBankAccount(100_000)
  return { path, bank, spendingId: await createGoalIn(person, path, amount) }
}

/** Creates the same goal and funding schedule in a bank account; returns the goal's ID. */
export async function createGoalIn(person: Person, path: string, amount: number): Promise<string> {
  const { fundingScheduleId } = await person.post(`${path}/funding_schedules`, {
    name: 'Pay',
    ruleset: 'DTSTART:20260115T060000Z\nRRULE:FREQ=MONTHLY;INTERVAL=1;BYMONTHDAY=15,-1',
  })
  const { spendingId } = await person.post(`${path}/spending`, {
    spendingType: 'goal',
    name: 'Bike',
    fundingScheduleId,
    targetAmount: 50_000,
    nextRecurrence: `${new Date().getUTCFullYear() + 2}-01-01T06:00:00Z`,
  })
  await person.post(`${path}/spending/transfer`, { toSpendingId: spendingId, amount })
  return spendingId
}
