import { timestampFromDate } from '@bufbuild/protobuf/wkt'
import { afterEach, expect, test } from '@jest/globals'
import { createGateway, type Gateway } from '../gateway.ts'
import { accountUrl, ids } from '../samples.ts'

const url = `${accountUrl}/forecast`
const missing = 'required key is missing'
const at = (text: string) => timestampFromDate(new Date(text))
const ruleset = 'DTSTART:20220101T060000Z\nRRULE:FREQ=MONTHLY;INTERVAL=1;BYMONTHDAY=1'

const funding = {
  date: at('2026-09-11T05:00:00Z'),
  originalDate: at('2026-09-13T05:00:00Z'),
  weekendAvoided: true,
  fundingScheduleId: ids.fundingScheduleId,
}
const held = { heldAmount: 400n, heldContribution: 300n }
const shown = { contributionAmount: 250n, rollingAllocation: 350n, ...held }
const paid = { ...shown, date: funding.date, fromFreeAmount: 0n }
const spending = [
  { ...paid, transactionAmount: 0n, spendingId: ids.spendingId, funding: [funding] },
]
const amounts = { delta: 250n, contribution: 250n, transaction: 0n, balance: 350n }
const forecast = {
  startingTime: at('2026-09-01T12:00:00Z'),
  endingTime: at('2026-11-30T12:00:00Z'),
  startingBalance: 100n,
  endingBalance: 350n,
  events: [{ date: funding.date, ...amounts, spending, funding: [funding] }],
  free: [{ date: funding.date, deposit: 1000n, contribution: 250n, paid: 50n, free: 1700n }],
  lowestFree: -20n,
  lowestFreeDate: funding.date,
}

let gateway: Gateway
afterEach(async () => await gateway[Symbol.asyncDispose]())

test('a forecast has events with the changes of each envelope', async () => {
  gateway = await createGateway({ forecasts: { getForecast: () => ({ forecast }) } })
  const { status, body } = await gateway.send('GET', `${url}?end=2026-11-30T12:00:00Z`)
  expect(status).toBe(200)
  const date = '2026-09-11T05:00:00Z'
  const fired = {
    date,
    originalDate: '2026-09-13T05:00:00Z',
    weekendAvoided: true,
    fundingScheduleId: ids.fundingScheduleId,
  }
  const held = { heldAmount: 400, fromFreeAmount: 0, heldContribution: 300 }
  const moved = { transactionAmount: 0, contributionAmount: 250, rollingAllocation: 350 }
  const one = { date, ...moved, ...held }
  expect(body).toEqual({
    startingTime: '2026-09-01T12:00:00Z',
    endingTime: '2026-11-30T12:00:00Z',
    startingBalance: 100,
    endingBalance: 350,
    events: [
      {
        date,
        delta: 250,
        contribution: 250,
        transaction: 0,
        balance: 350,
        spending: [{ ...one, funding: [fired], spendingId: ids.spendingId }],
        funding: [fired],
      },
    ],
    free: [{ date, deposit: 1000, contribution: 250, paid: 50, free: 1700 }],
    lowestFree: -20,
    lowestFreeDate: date,
    negativeFreeDate: null,
  })
  expect(gateway.received.at(-1)?.message).toMatchObject({ end: at('2026-11-30T12:00:00Z') })
})

test('without an end the service decides; a malformed end is 400', async () => {
  gateway = await createGateway({ forecasts: { getForecast: () => ({ forecast }) } })
  expect(await gateway.send('GET', url)).toMatchObject({ status: 200 })
  expect(gateway.received.at(-1)?.message).not.toHaveProperty('end', expect.anything())
  const problem = 'must be a day like 2026-01-31, or an instant like 2026-01-31T00:00:00Z'
  for (const end of ['tomorrow', '2026-02-30', '2026-11', '2026-02-30T00:00:00Z']) {
    const { status, body } = await gateway.send('GET', `${url}?end=${end}`)
    const isNoDay = end.startsWith('2026-02-30')
    const named = isNoDay ? '2026-02-30 is not a day of the calendar' : problem
    expect([status, body.problems]).toEqual([400, { end: named }])
  }
  const { status, body } = await gateway.send('GET', `${url}?end=`)
  expect([status, body.problems]).toEqual([400, { end: 'cannot be blank' }])
})

test('an end may be a day, which the service reads in the account timezone', async () => {
  gateway = await createGateway({ forecasts: { getForecast: () => ({ forecast }) } })
  expect(await gateway.send('GET', `${url}?end=2026-12-31`)).toMatchObject({ status: 200 })
  expect(gateway.received.at(-1)?.message).toMatchObject({ endDay: '2026-12-31' })
})

const asked = {
  fundingScheduleId: ids.fundingScheduleId,
  targetAmount: 5000,
  currentAmount: 0,
  nextRecurrence: '2026-10-01T05:00:00Z',
}
const expense = { ...asked, spendingType: 'expense', recurrenceRule: ruleset }
const goal = { ...asked, spendingType: 'goal' }

test('an estimate answers with the contribution of each funding', async () => {
  gateway = await createGateway({ forecasts: { estimateCost: () => ({ estimatedCost: 2500n }) } })
  for (const body of [expense, goal, { ...goal, recurrenceRule: null }]) {
    const answer = await gateway.send('POST', `${url}/spending`, { body })
    expect([answer.status, answer.body]).toEqual([200, { estimatedCost: 2500 }])
  }
  const { currentAmount: _, ...unsaved } = expense
  await gateway.send('POST', `${url}/spending`, { body: unsaved })
  expect(gateway.received.at(-1)?.message).toMatchObject({
    bankAccountId: ids.bankAccountId,
    targetAmount: 5000n,
    currentAmount: 0n,
    recurrenceRule: ruleset,
  })
})

test.each([
  [{ ...expense, targetAmount: 0 }, { targetAmount: 'must be greater than 0' }],
  [{ ...expense, currentAmount: -1 }, { currentAmount: 'must not be negative' }],
  [{ ...expense, recurrenceRule: undefined }, { recurrenceRule: missing }],
  [{ ...expense, fundingScheduleId: undefined }, expect.anything()],
  [{ ...expense, nextRecurrence: undefined }, { nextRecurrence: missing }],
  [{ ...expense, ruleset }, { ruleset: 'key not expected' }],
])('the expense %j has a fault', async (body, problems) => {
  gateway = await createGateway({})
  const answer = await gateway.send('POST', `${url}/spending`, { body })
  expect(answer.status).toBe(400)
  expect(answer.body.problems.oneOf[0]).toEqual(problems)
})

test('a goal with a rule is refused', async () => {
  gateway = await createGateway({})
  const body = { ...goal, recurrenceRule: ruleset }
  const answer = await gateway.send('POST', `${url}/spending`, { body })
  const problems = { recurrenceRule: 'must be null: goals do not recur' }
  expect([answer.status, answer.body.problems.oneOf[0]]).toEqual([400, problems])
})

test('the next funding answers with its contributions; its body is closed', async () => {
  const next = { getNextContribution: () => ({ nextContribution: 3125n }) }
  gateway = await createGateway({ forecasts: next })
  const { fundingScheduleId } = ids
  const good = await gateway.send('POST', `${url}/next_funding`, { body: { fundingScheduleId } })
  expect([good.status, good.body]).toEqual([200, { nextContribution: 3125 }])
  const bad = await gateway.send('POST', `${url}/next_funding`, { body: { more: 1 } })
  const problems = { more: 'key not expected', fundingScheduleId: expect.any(String) }
  expect([bad.status, bad.body.problems]).toEqual([400, problems])
})
