import type { Take } from '../examples/recorder.ts'

const monthly = 'DTSTART:20260101T060000Z\nRRULE:FREQ=MONTHLY;INTERVAL=1;BYMONTHDAY=1'

/** Plans an expense in a bank account, moves money, and deletes the plans again. */
export async function plansAndDeletes(key: Take): Promise<void> {
  const { body: link } = await key('POST', '/links', { body: { institutionName: 'First Bank' } })
  const { body: account } = await key('POST', '/bank_accounts', {
    body: { linkId: link.linkId, name: 'Checking', availableBalance: 9_000, currentBalance: 9_000 },
  })
  const path = `/bank_accounts/${account.bankAccountId}`
  const { body: pay } = await key('POST', `${path}/funding_schedules`, {
    body: { name: 'Payday', ruleset: monthly },
  })
  const { fundingScheduleId } = pay
  const { body: rent } = await key('POST', `${path}/spending`, {
    body: {
      spendingType: 'expense',
      name: 'Rent',
      fundingScheduleId,
      targetAmount: 1_000,
      ruleset: monthly,
    },
  })
  const { spendingId } = rent
  const one = `${path}/spending/${spendingId}`
  await key('GET', one)
  await key('PATCH', one, { body: { targetAmount: 2_000 } })
  await key('PATCH', `${path}/funding_schedules/${fundingScheduleId}`, { body: { name: 'Wages' } })
  await key('POST', `${path}/spending/transfer`, {
    body: { toSpendingId: spendingId, amount: 900 },
  })
  const { body: made } = await key('POST', `${path}/transactions`, {
    body: { name: 'Tea', amount: 100, date: '2026-03-02T06:00:00Z', spendingId },
  })
  await key('DELETE', `${path}/transactions/${made.transaction.transactionId}`)
  await key('DELETE', one)
  const { body: other } = await key('POST', `${path}/funding_schedules`, {
    body: { name: 'Other', ruleset: monthly },
  })
  await key('DELETE', `${path}/funding_schedules/${other.fundingScheduleId}`)
}
