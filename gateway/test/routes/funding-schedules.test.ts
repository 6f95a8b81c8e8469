import { invalid, notFound, refused } from '@coffer/kit/rpc/errors'
import { afterEach, expect, test } from '@jest/globals'
import { createGateway, type Gateway } from '../gateway.ts'
import { accountUrl, fundingSchedule, ids, spending } from '../samples.ts'

const one = `${accountUrl}/funding_schedules/${ids.fundingScheduleId}`

let gateway: Gateway
afterEach(async () => await gateway[Symbol.asyncDispose]())

test('a change answers with the schedule and the recalculated objects', async () => {
  const updateFundingSchedule = () => ({ fundingSchedule, spending: [spending] })
  gateway = await createGateway({ fundingSchedules: { updateFundingSchedule } })
  const body = { description: null, estimatedDeposit: 0, excludeWeekends: null, name: ' Pay ' }
  const answer = await gateway.send('PATCH', one, { body })
  expect(answer.status).toBe(200)
  expect(Object.keys(answer.body)).toEqual(['fundingSchedule', 'spending'])
  expect(answer.body.fundingSchedule.fundingScheduleId).toBe(ids.fundingScheduleId)
  expect(answer.body.spending[0].spendingId).toBe(ids.spendingId)
  expect(gateway.received.at(-1)?.message).toMatchObject({
    name: 'Pay',
    estimatedDeposit: 0n,
    fundingScheduleId: ids.fundingScheduleId,
    updateMask: { paths: ['name', 'description', 'estimated_deposit'] },
  })
})

test('an empty change is accepted', async () => {
  const updateFundingSchedule = () => ({ fundingSchedule, spending: [] })
  gateway = await createGateway({ fundingSchedules: { updateFundingSchedule } })
  const answer = await gateway.send('PATCH', one, { body: {} })
  expect([answer.status, answer.body.spending]).toEqual([200, []])
})

test.each([
  [{ waitForDeposit: true }, { waitForDeposit: 'key not expected' }],
  [{ lastRecurrence: null }, { lastRecurrence: 'key not expected' }],
  [{ name: '' }, { name: 'cannot be blank' }],
  [{ ruleset: null }, { ruleset: 'cannot be blank' }],
  [{ ruleset: 'x' }, { ruleset: 'must be a DTSTART line and an RRULE line' }],
  [{ nextRecurrence: null }, { nextRecurrence: 'cannot be blank' }],
  [{ estimatedDeposit: -1 }, { estimatedDeposit: { oneOf: expect.anything() } }],
])('the change %j is refused', async (body, problems) => {
  const getFundingSchedule = () => ({ fundingSchedule })
  gateway = await createGateway({ fundingSchedules: { getFundingSchedule } })
  const answer = await gateway.send('PATCH', one, { body })
  expect(answer.status).toBe(400)
  expect(answer.body.problems).toEqual(problems)
})

test('a past date is refused with the text of the service', async () => {
  const text = 'Next recurrence must be in the future'
  const updateFundingSchedule = () => {
    throw invalid({ nextRecurrence: text }, text)
  }
  gateway = await createGateway({ fundingSchedules: { updateFundingSchedule } })
  const answer = await gateway.send('PATCH', one, { body: { name: 'Pay' } })
  expect(answer.status).toBe(400)
  expect(answer.body).toEqual({ error: text, problems: { nextRecurrence: text } })
})

test.each([
  [notFound('schedule', 'cannot remove it, it does not exist'), 404, 'it does not exist'],
  [refused('cannot remove it, goals are on it'), 400, 'goals are on it'],
])('the refusal of a deletion reaches the client', async (error, status, text) => {
  const deleteFundingSchedule = () => {
    throw error
  }
  gateway = await createGateway({ fundingSchedules: { deleteFundingSchedule } })
  const answer = await gateway.send('DELETE', one)
  expect(answer.status).toBe(status)
  expect(answer.body).toEqual({ error: `cannot remove it, ${text}` })
})

test('a deletion answers with an empty body', async () => {
  gateway = await createGateway({ fundingSchedules: { deleteFundingSchedule: () => ({}) } })
  const answer = await gateway.send('DELETE', one)
  expect([answer.status, answer.text]).toEqual([200, ''])
})
