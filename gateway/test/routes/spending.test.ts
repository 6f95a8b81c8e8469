import { create } from '@bufbuild/protobuf'
import { notFound } from '@coffer/kit/rpc/errors'
import { ExplanationSchema } from '@coffer/proto/budgeting/v1/spending'
import { afterEach, expect, test } from '@jest/globals'
import { createGateway, type Gateway } from '../gateway.ts'
import { accountUrl, balances, envelope, ids, spending, transaction } from '../samples.ts'

const url = `${accountUrl}/spending`
const missing = 'required key is missing'
const goal = {
  spendingType: 'goal',
  name: ' Bike ',
  fundingScheduleId: ids.fundingScheduleId,
  targetAmount: 50_000,
  nextRecurrence: '2026-06-01T05:00:00Z',
}
const ruleset = 'DTSTART:20220101T060000Z\nRRULE:FREQ=MONTHLY;BYMONTHDAY=1'
const expense = { ...goal, spendingType: 'expense', ruleset }
const { nextRecurrence: _, ...undated } = expense
const one = `${url}/${ids.spendingId}`

let gateway: Gateway
afterEach(async () => await gateway[Symbol.asyncDispose]())

test.each([
  [goal, { spendingType: 'goal', name: 'Bike', targetAmount: 50_000n }],
  [{ ...goal, ruleset: null, isPaused: true }, { isPaused: true }],
  [
    { ...expense, autoCreateTransaction: true, settlesWhenSpent: true, graceDays: 14 },
    { ruleset, autoCreateTransaction: true, settlesWhenSpent: true, graceDays: 14 },
  ],
  [undated, { ruleset }],
])('%j is an expense or a goal', async (body, expected) => {
  gateway = await createGateway({ spending: { createSpending: () => ({ spending }) } })
  const answer = await gateway.send('POST', url, { body })
  expect(answer.status).toBe(200)
  expect(answer.body).toEqual({
    spendingId: ids.spendingId,
    bankAccountId: ids.bankAccountId,
    fundingScheduleId: ids.fundingScheduleId,
    spendingType: 'goal',
    name: 'Bike',
    targetAmount: 50000,
    currentAmount: 2000,
    usedAmount: 0,
    ruleset: null,
    lastSpentFrom: null,
    lastRecurrence: null,
    nextRecurrence: '2026-01-02T03:04:05Z',
    nextContributionAmount: 4000,
    isBehind: false,
    isPaused: false,
    autoCreateTransaction: false,
    createdAt: '2026-01-02T03:04:05Z',
    periodSpentAmount: 0,
    settlesWhenSpent: false,
    settledAt: null,
    graceDays: 0,
    carryOver: null,
    graceUntil: null,
    graceAmount: 0,
  })
  expect(gateway.received.at(-1)?.message).toMatchObject({
    ...expected,
    bankAccountId: ids.bankAccountId,
  })
})

test.each([
  [{ targetAmount: 0, autoCreateTransaction: true }, 'autoCreateTransaction'],
  [{ spendingType: 'goal', autoCreateTransaction: true }, 'spendingType "goal"'],
])('the shape of %j is recognised by %s', async (body, sign) => {
  gateway = await createGateway({})
  const answer = await gateway.send('POST', url, { body })
  const error = `Invalid request: see problems.oneOf[0], for a body with ${sign}`
  expect([answer.status, answer.body.error]).toEqual([400, error])
  expect(answer.body.problems.oneOf).toHaveLength(2)
})

test('a body of neither shape is reported against both, the expense first', async () => {
  gateway = await createGateway({})
  const { status, body } = await gateway.send('POST', url, { body: {} })
  const shared = {
    spendingType: missing,
    name: missing,
    fundingScheduleId: missing,
    targetAmount: missing,
  }
  expect(status).toBe(400)
  expect(body).toEqual({
    error: 'Invalid request',
    problems: {
      oneOf: [
        { ...shared, ruleset: missing },
        { ...shared, nextRecurrence: missing },
      ],
    },
    hints: ['spendingType is expense or goal'],
  })
})

test.each([
  [{ ...goal, ruleset }, { ruleset: 'must be null: goals do not recur' }],
  [{ ...goal, autoCreateTransaction: true }, { autoCreateTransaction: 'key not expected' }],
  [{ ...goal, currentAmount: 5 }, { currentAmount: 'key not expected' }],
  [{ ...goal, description: '' }, { description: 'key not expected' }],
  [{ ...goal, targetAmount: 0 }, { targetAmount: 'must be greater than 0' }],
  [{ ...goal, nextRecurrence: '' }, { nextRecurrence: 'cannot be blank' }],
  [{ ...goal, isPaused: null }, { isPaused: 'cannot be blank' }],
  [{ ...goal, graceDays: 5 }, { graceDays: 'key not expected' }],
  [{ ...goal, carryOver: true }, { carryOver: 'key not expected' }],
])('the goal %j has a fault', async (body, problems) => {
  gateway = await createGateway({})
  const answer = await gateway.send('POST', url, { body })
  expect(answer.status).toBe(400)
  expect(answer.body.error).toMatch(/^Invalid request: .* spendingType "goal"/)
  expect(answer.body.problems.oneOf[0]).toEqual(problems)
  expect(answer.body.problems.oneOf[1].spendingType).toBe('must be expense')
})

test('a transfer answers with the balances and the changed envelopes, source first', async () => {
  const second = { ...envelope, spendingId: 'spnd_01hzzzzzzzzzzzzzzzzzzzzzzb' }
  gateway = await createGateway({
    envelopes: { transfer: () => ({ balance: balances, envelopes: [envelope, second] }) },
    spending: {
      recalculateSpending: ({ envelopes }) => ({
        spending: envelopes.map(({ spendingId }) => ({ ...spending, spendingId })),
      }),
    },
  })
  const body = { fromSpendingId: ids.spendingId, toSpendingId: second.spendingId, amount: 100 }
  const answer = await gateway.send('POST', `${url}/transfer`, { body })
  expect(answer.status).toBe(200)
  expect(answer.body.balance.free).toBe(45000)
  expect(answer.body.spending.map((one: { spendingId: string }) => one.spendingId)).toEqual([
    ids.spendingId,
    second.spendingId,
  ])
})

test.each([
  [{ amount: 5 }, { fromSpendingId: 'fromSpendingId or toSpendingId is required' }],
  [{ fromSpendingId: null, toSpendingId: null, amount: 5 }, { fromSpendingId: expect.anything() }],
  [{ fromSpendingId: ids.spendingId }, { amount: missing }],
  [{ fromSpendingId: ids.spendingId, amount: 0 }, { amount: 'must be greater than 0' }],
  [{ fromSpendingId: ids.spendingId, amount: -5 }, { amount: 'must be greater than 0' }],
  [{ fromSpendingId: ids.spendingId, amount: '5' }, { amount: 'must be an integer' }],
  [{ fromSpendingId: ids.spendingId, amount: 5, note: 'x' }, { note: 'key not expected' }],
  [{ fromSpendingId: '', amount: 5 }, { fromSpendingId: { oneOf: expect.anything() } }],
  [{ fromSpendingId: ids.linkId, amount: 5 }, { fromSpendingId: { oneOf: expect.anything() } }],
])('the transfer %j is refused', async (body, problems) => {
  gateway = await createGateway({})
  const answer = await gateway.send('POST', `${url}/transfer`, { body })
  expect(answer.status).toBe(400)
  expect(answer.body.problems).toEqual(problems)
})

test('spending objects can be listed, read and deleted, and have transactions', async () => {
  gateway = await createGateway({
    spending: {
      listSpending: () => ({ spending: [spending] }),
      getSpending: () => ({ spending }),
      deleteSpending: () => ({}),
    },
    transactions: { listTransactions: () => ({ transactions: [transaction] }) },
  })
  expect((await gateway.send('GET', url)).body).toHaveLength(1)
  expect((await gateway.send('GET', one)).body.spendingId).toBe(ids.spendingId)
  const spent = await gateway.send('GET', `${one}/transactions?limit=2`)
  expect(spent.body[0].transactionId).toBe(ids.transactionId)
  expect(gateway.received.at(-1)?.message).toMatchObject({ spendingId: ids.spendingId, limit: 2 })
  const deleted = await gateway.send('DELETE', one)
  expect([deleted.status, deleted.text]).toEqual([200, ''])
})

test('the mask of a partial change has every key sent, also a null rule', async () => {
  gateway = await createGateway({ spending: { updateSpending: () => ({ spending }) } })
  const body = { name: ' Bike ', targetAmount: 5, ruleset: null, isPaused: false }
  const answer = await gateway.send('PATCH', one, { body })
  expect(answer.status).toBe(200)
  expect(answer.body.spendingId).toBe(ids.spendingId)
  expect(gateway.received.at(-1)?.message).toMatchObject({
    name: 'Bike',
    targetAmount: 5n,
    isPaused: false,
    spendingId: ids.spendingId,
    updateMask: { paths: ['name', 'target_amount', 'ruleset', 'is_paused'] },
  })
})

test.each([
  [{ spendingType: 'goal' }, { spendingType: 'key not expected' }],
  [{ currentAmount: 5 }, { currentAmount: 'key not expected' }],
  [{ usedAmount: 5 }, { usedAmount: 'key not expected' }],
  [{ isBehind: true }, { isBehind: 'key not expected' }],
  [{ name: null }, { name: 'cannot be blank' }],
  [{ targetAmount: 0 }, { targetAmount: 'must be greater than 0' }],
  [{ fundingScheduleId: null }, { fundingScheduleId: 'cannot be blank' }],
  [
    { fundingScheduleId: ids.linkId },
    {
      fundingScheduleId: expect.stringMatching(
        /^must be an ID that begins with fund_: link_\w+ begins with link_$/,
      ),
    },
  ],
  [{ nextRecurrence: null }, { nextRecurrence: 'cannot be blank' }],
  [{ isPaused: null }, { isPaused: 'cannot be blank' }],
  [
    { ruleset: 'FREQ=DAILY' },
    { ruleset: { oneOf: ['must be null', 'must be a DTSTART line and an RRULE line'] } },
  ],
])('the change %j is refused', async (body, problems) => {
  gateway = await createGateway({ spending: { getSpending: () => ({ spending }) } })
  const answer = await gateway.send('PATCH', one, { body })
  expect(answer.status).toBe(400)
  expect(answer.body.problems).toEqual(problems)
})

test('a malformed rule of an expense is reported under its shape', async () => {
  gateway = await createGateway({})
  const body = { ...expense, ruleset: 'DTSTART:20220101T060000Z\nRRULE:FREQ=SECONDLY' }
  const answer = await gateway.send('POST', url, { body })
  expect(answer.status).toBe(400)
  expect(answer.body.problems.oneOf[0]).toEqual({
    ruleset: 'FREQ must be DAILY, WEEKLY, MONTHLY or YEARLY',
  })
  expect(answer.body.problems.oneOf[1].ruleset).toBe('must be null: goals do not recur')
})

test('a missing spending object is 404 even with a bad body', async () => {
  const getSpending = () => {
    throw notFound('spending')
  }
  gateway = await createGateway({ spending: { getSpending } })
  const answer = await gateway.send('PATCH', one, { body: { targetAmount: 0 } })
  expect(answer.status).toBe(404)
})

test('an explanation has sentences and their figures', async () => {
  const explanation = create(ExplanationSchema, {
    spendingId: ids.spendingId,
    asOf: spending.createdAt,
    nextContributionAmount: 1234n,
    sentences: ['$12.34.'],
    method: 'split',
    need: 12_343n,
    divisor: 10n,
    remainder: 3n,
  })
  gateway = await createGateway({ spending: { explainSpending: () => ({ explanation }) } })
  const answer = await gateway.send('GET', `${one}/explain`)
  expect(answer.status).toBe(200)
  expect(answer.body).toMatchObject({
    spendingId: ids.spendingId,
    asOf: '2026-01-02T03:04:05Z',
    sentences: ['$12.34.'],
    nextContributionAmount: 1234,
    need: 12_343,
    divisor: 10,
    remainder: 3,
    due: null,
    dueDates: [],
    fundingDates: [],
  })
  const refused = await gateway.send('GET', `${one}/explain?language=fr`)
  expect(refused.body.problems).toEqual({ language: 'must be one of: en, de' })
})
