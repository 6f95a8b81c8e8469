import { eventually } from '@coffer/host/testing/boot'
import { started } from '@coffer/host/testing/started'
import { expect, test } from '@jest/globals'
import { startCoffer } from '../harness/coffer.ts'
import type { Json } from '../harness/person.ts'

const coffer = started(() => startCoffer())

test('an account that moves to another timezone keeps its days, amounts and journal', async () => {
  const person = await coffer.person()
  const { path } = await person.createBankAccount(100_000)
  const year = new Date().getUTCFullYear() + 1
  const monthly = `DTSTART:${year}0101T060000Z\nRRULE:FREQ=MONTHLY;BYMONTHDAY=1`
  const pay = await person.post(`${path}/funding_schedules`, { name: 'Pay', ruleset: monthly })
  const rent = await person.post(`${path}/spending`, {
    spendingType: 'expense',
    name: 'Rent',
    fundingScheduleId: pay.fundingScheduleId,
    targetAmount: 80_000,
    ruleset: monthly.replace('0101T06', '0201T06').replace('BYMONTHDAY=1', 'BYMONTHDAY=20'),
  })
  const lunch = { name: 'Lunch', amount: 1250, date: '2026-05-03T05:00:00Z', adjustsBalance: true }
  const { transaction } = await person.post(`${path}/transactions`, lunch)
  const read = async () => ({
    balances: await person.get(`${path}/balances`),
    history: await person.get(`${path}/history`),
  })
  const before = await read()
  const body = { timezone: 'Europe/Berlin', currentPassword: person.password }
  const change = (sent: object) =>
    person.call('PUT', '/users/me/timezone', { asSession: true, body: sent })
  expect((await change({ ...body, timezone: 'Berlin' })).body.problems).toHaveProperty('timezone')
  expect((await change({ ...body, currentPassword: 'wrong password' })).status).toBe(401)
  const asked = await change(body)
  expect([asked.status, asked.body.account]).toMatchObject([
    200,
    { timezone: 'America/Chicago', pendingTimezone: 'Europe/Berlin' },
  ])
  const account = async (): Promise<Json> => (await person.get('/users/me')).user.account
  const moved = await eventually(account, ({ timezone }) => timezone === 'Europe/Berlin')
  expect(moved).not.toHaveProperty('pendingTimezone')
  // The history shows the transaction as it is; the journal is as it was.
  const after = await read()
  const dateOf = (entry: Json) => ({ ...entry, transaction: undefined })
  expect(after.balances).toEqual(before.balances)
  expect(after.history.entries.map(dateOf)).toEqual(before.history.entries.map(dateOf))
  const id = transaction.transactionId
  expect((await person.get(`${path}/transactions/${id}`)).date).toBe('2026-05-02T22:00:00Z')
  const schedules: Json[] = await person.get(`${path}/funding_schedules`)
  expect(schedules).toMatchObject([
    {
      nextRecurrence: `${year - 1}-12-31T23:00:00Z`,
      nextRecurrenceOriginal: `${year - 1}-12-31T23:00:00Z`,
      ruleset: monthly.replace(`${year}0101T060000Z`, `${year - 1}1231T230000Z`),
    },
  ])
  const [expense] = await person.get(`${path}/spending`)
  expect(expense).toMatchObject({
    nextRecurrence: `${year}-02-19T23:00:00Z`,
    nextContributionAmount: rent.nextContributionAmount,
  })
  const again = { ...lunch, date: '2026-05-02T22:00:00Z' }
  const created = await eventually(
    () => person.call('POST', `${path}/transactions`, { body: again }),
    ({ status }) => status === 200,
  )
  expect(created.body.transaction.date).toBe('2026-05-02T22:00:00Z')
})
