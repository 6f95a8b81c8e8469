import { timestampDate } from '@bufbuild/protobuf/wkt'
import { notFound, unavailable } from '@coffer/kit/rpc/errors'
import type { HandlerContext } from '@connectrpc/connect'
import { afterEach, describe, expect, test } from '@jest/globals'
import { createGateway, type Gateway } from '../gateway.ts'
import { accountUrl, balances, envelope, ids, spending, transaction } from '../samples.ts'

const url = `${accountUrl}/transactions`
const oneUrl = `${url}/${ids.transactionId}`
const body = { amount: 4500, date: '2026-01-02T00:00:00-06:00', name: 'Groceries' }
const written = { transaction, balance: balances }
const recalculated = { spending: { recalculateSpending: () => ({ spending: [spending] }) } }

let gateway: Gateway
afterEach(async () => await gateway[Symbol.asyncDispose]())

describe('creating a transaction', () => {
  test('answers with transaction and balances, without spending when unassigned', async () => {
    gateway = await createGateway({ transactions: { createTransaction: () => written } })
    const sent = { ...body, merchantName: null, spendingId: null, isPending: null }
    const answer = await gateway.send('POST', url, { body: sent })
    expect(answer.status).toBe(200)
    expect(answer.body).toEqual({
      transaction: {
        transactionId: ids.transactionId,
        bankAccountId: ids.bankAccountId,
        aggregatorTransaction: null,
        pendingAggregatorTransaction: null,
        amount: 4500,
        spendingId: null,
        createdBySpendingId: null,
        createdByFundingScheduleId: null,
        categories: null,
        category: null,
        date: '2026-01-02T06:00:00Z',
        name: 'Groceries',
        originalName: 'Groceries',
        originalMerchantName: '',
        isPending: false,
        uploadIdentifier: null,
        source: 'manual',
        createdAt: '2026-01-02T03:04:05Z',
        deletedAt: null,
        notes: null,
      },
      balance: {
        bankAccountId: ids.bankAccountId,
        currency: 'USD',
        current: 102500,
        available: 100000,
        limit: 0,
        free: 45000,
        expenses: 25000,
        goals: 30000,
        isCredit: false,
      },
    })
    const { message } = gateway.received.at(-1) as { message: Record<string, never> }
    expect(message).toMatchObject({ bankAccountId: ids.bankAccountId, amount: 4500n })
    expect(timestampDate(message.date as never)).toEqual(new Date('2026-01-02T06:00:00Z'))
    expect(message.merchantName).toBeUndefined()
  })

  test('answers with the recalculated envelope, within a second', async () => {
    const stubs = { createTransaction: () => ({ ...written, envelope }) }
    let leftMs: number | undefined
    const recalculateSpending = (_request: unknown, context: HandlerContext) => {
      leftMs = context.timeoutMs()
      return { spending: [spending] }
    }
    gateway = await createGateway({ transactions: stubs, spending: { recalculateSpending } })
    const sent = { ...body, spendingId: ids.spendingId }
    const answer = await gateway.send('POST', url, { body: sent })
    expect(answer.body.spending).toMatchObject({ spendingId: ids.spendingId, currentAmount: 2000 })
    expect(answer.headers).not.toHaveProperty('coffer-recalculation')
    const asked = gateway.received.at(-1)
    expect(asked?.rpc).toBe('RecalculateSpending')
    expect(asked?.message).toMatchObject({
      bankAccountId: ids.bankAccountId,
      envelopes: [{ spendingId: ids.spendingId, currentAmount: 2000n, version: 7n }],
    })
    expect(leftMs).toBeLessThanOrEqual(1000)
  })

  test('is answered without an error when the recalculation fails or is late', async () => {
    const stubs = { createTransaction: () => ({ ...written, envelope }) }
    const down = () => {
      throw unavailable('down')
    }
    const never = () => new Promise<never>(() => undefined)
    for (const recalculateSpending of [down, never]) {
      gateway = await createGateway({ transactions: stubs, spending: { recalculateSpending } })
      const sent = { ...body, spendingId: ids.spendingId }
      const answer = await gateway.send('POST', url, { body: sent })
      expect(answer.status).toBe(200)
      expect(answer.headers['coffer-recalculation']).toBe('pending')
      expect(answer.body).not.toHaveProperty('spending')
      expect(answer.body.transaction.transactionId).toBe(ids.transactionId)
      await gateway[Symbol.asyncDispose]()
    }
  })

  test('is 404 for a missing bank account also with a bad body', async () => {
    const bankAccounts = {
      describeBankAccount: () => {
        throw notFound('bank account')
      },
    }
    gateway = await createGateway({ bankAccounts })
    expect((await gateway.send('POST', url, { body: {} })).status).toBe(404)
  })

  test.each([
    [{}, { amount: 'required key is missing', date: 'required key is missing' }],
    [{ amount: 0 }, { amount: 'must not be 0' }],
    [{ amount: '45' }, { amount: 'must be an integer' }],
    [{ amount: 1.5 }, { amount: 'must be an integer' }],
    [{ amount: null }, { amount: 'cannot be blank' }],
    [{ date: '2026-02-30T00:00:00Z' }, { date: '2026-02-30 is not a day of the calendar' }],
    [{ date: '2026-01-02T10:00:00' }, { date: expect.stringMatching(/RFC 3339.*T06:00:00Z$/) }],
    [{ date: '0001-01-01T00:00:00Z' }, { date: expect.stringMatching(/between the years/) }],
    [{ name: '  ' }, { name: 'cannot be blank' }],
    [{ name: 'a\tb' }, { name: 'must have printable characters only' }],
    [{ name: 'é'.repeat(301) }, { name: 'must have 1 to 300 characters' }],
    [
      { date: '2026-01-31' },
      {
        date:
          'must have a time with an offset: send 2026-01-31T06:00:00Z, ' +
          'midnight of that day in America/Chicago',
      },
    ],
    [{ date: '2026-02-30' }, { date: '2026-02-30 is not a day of the calendar' }],
    [{ isPending: 'no' }, { isPending: { oneOf: ['must be null', 'must be a boolean'] } }],
    [
      { spendingId: 'fund_01hzzzzzzzzzzzzzzzzzzzzzza' },
      { spendingId: { oneOf: ['must be null', expect.stringMatching(/spnd_/)] } },
    ],
    [{ categories: [], source: 'manual' }, { categories: 'key not expected' }],
    [
      { notes: 'é'.repeat(2001) },
      { notes: { oneOf: ['must be null', 'must have 0 to 2000 characters'] } },
    ],
    [
      { notes: 'a\0b' },
      { notes: { oneOf: ['must be null', 'must have printable characters only'] } },
    ],
  ])('refuses %j', async (change, problems) => {
    gateway = await createGateway({ bankAccounts: { describeBankAccount: () => ({}) } })
    const sent = Object.keys(change).length === 0 ? {} : { ...body, ...change }
    const answer = await gateway.send('POST', url, { body: sent })
    expect(answer.status).toBe(400)
    expect(answer.body).toMatchObject({ error: 'Invalid request', problems })
  })
})

test.each([
  ['{"amount":9007199254740993}', 400],
  ['{"amount":-9007199254740992}', 400],
  ['{"amount":5.0000000000000000001}', 400],
  ['{"amount":1e400}', 400],
  ['{"amount":9007199254740991}', 200],
  ['{"amount":-9007199254740991}', 200],
  ['{"amount":5.0}', 200],
  ['{"amount":5e2}', 200],
])('an amount sent as %s is exact or refused: %i', async (text, status) => {
  const rest = ',"date":"2026-01-02T00:00:00Z","name":"Groceries"}'
  gateway = await createGateway({
    transactions: { createTransaction: () => written },
    bankAccounts: { describeBankAccount: () => ({}) },
  })
  const answer = await gateway.send('POST', url, { body: text.replace('}', rest) })
  expect(answer.status).toBe(status)
  if (status === 200) {
    const { amount } = gateway.received.at(-1)!.message as { amount: bigint }
    expect(amount).toBe(BigInt(JSON.parse(text).amount))
  }
})

describe('changing a transaction', () => {
  const updated = { ...written, envelopes: [] }

  test('null removes it from its envelope; keys that are not sent stay unchanged', async () => {
    gateway = await createGateway({ transactions: { updateTransaction: () => updated } })
    const sent = { spendingId: null, refundSpendingId: null, merchantName: null, name: 'Food' }
    const answer = await gateway.send('PATCH', oneUrl, { body: sent })
    expect(answer.body.spending).toEqual([])
    expect(gateway.received.at(-1)?.message).toMatchObject({
      name: 'Food',
      updateMask: { paths: ['name', 'spending_id', 'refund_spending_id'] },
    })
  })

  test.each([
    [' Two\n lines ', 'Two\n lines'],
    ['é'.repeat(2000), 'é'.repeat(2000)],
    ['', ''],
    [null, undefined],
  ])('takes the notes %j', async (notes, sent) => {
    gateway = await createGateway({ transactions: { updateTransaction: () => updated } })
    expect((await gateway.send('PATCH', oneUrl, { body: { notes } })).status).toBe(200)
    const { message } = gateway.received.at(-1) as { message: { notes?: string } }
    expect(message).toMatchObject({ updateMask: { paths: ['notes'] } })
    expect(message.notes).toBe(sent)
  })

  test('answers with every changed envelope, old before new', async () => {
    const second = { ...envelope, spendingId: 'spnd_01hzzzzzzzzzzzzzzzzzzzzzzb' }
    const both = [spending, { ...spending, spendingId: second.spendingId }]
    gateway = await createGateway({
      transactions: { updateTransaction: () => ({ ...written, envelopes: [envelope, second] }) },
      spending: { recalculateSpending: () => ({ spending: both }) },
    })
    const { body: answered } = await gateway.send('PATCH', oneUrl, { body: { amount: 1 } })
    const order = answered.spending.map((one: { spendingId: string }) => one.spendingId)
    expect(order).toEqual([ids.spendingId, second.spendingId])
  })

  test('a failed recalculation leaves an empty list and says so', async () => {
    gateway = await createGateway({
      transactions: { updateTransaction: () => ({ ...written, envelopes: [envelope] }) },
    })
    const answer = await gateway.send('PATCH', oneUrl, { body: { name: 'Food' } })
    expect([answer.status, answer.body.spending]).toEqual([200, []])
    expect(answer.headers['coffer-recalculation']).toBe('pending')
  })

  test('does not accept adjustsBalance', async () => {
    gateway = await createGateway({ transactions: { getTransaction: () => ({ transaction }) } })
    const answer = await gateway.send('PATCH', oneUrl, { body: { adjustsBalance: true } })
    expect(answer.body.problems).toEqual({ adjustsBalance: 'key not expected' })
  })

  test('is 404 for a soft-deleted one also with a bad body', async () => {
    const gone = { ...transaction, deletedAt: transaction.createdAt as never }
    gateway = await createGateway({
      transactions: { getTransaction: () => ({ transaction: gone }) },
    })
    expect((await gateway.send('PATCH', oneUrl, { body: { bogus: 1 } })).status).toBe(404)
  })
})

test.each([
  ['', { adjustsBalance: false, soft: true }],
  ['?adjusts_balance=T&soft=0', { adjustsBalance: true, soft: false }],
  ['?adjusts_balance=1&adjusts_balance=0', { adjustsBalance: true, soft: true }],
])('deleting with %j', async (query, expected) => {
  gateway = await createGateway({
    transactions: { deleteTransaction: () => ({ balance: balances, envelopes: [envelope] }) },
    ...recalculated,
  })
  const answer = await gateway.send('DELETE', oneUrl + query)
  expect(answer.status).toBe(200)
  expect(Object.keys(answer.body).sort()).toEqual(['balance', 'spending'])
  expect(answer.body.spending).toHaveLength(1)
  const { message } = gateway.received.find(({ rpc }) => rpc === 'DeleteTransaction') ?? {}
  expect(message).toMatchObject(expected)
})

test.each([
  ['', 200, { limit: 25, offset: 0 }],
  ['?limit=100&offset=3', 200, { limit: 100, offset: 3 }],
  ['?limit=ten&offset=', 200, { limit: 25, offset: 0 }],
  ['?limit=5.0', 200, { limit: 25 }],
  ['?limit=99999999999', 400, null],
  ['?offset=99999999999', 400, null],
  ['?limit=0', 400, null],
  ['?limit=101', 400, null],
  ['?limit=-1', 400, null],
  ['?offset=-1', 400, null],
])('the list with %j is %i', async (query, status, expected) => {
  gateway = await createGateway({
    transactions: { listTransactions: () => ({ transactions: [transaction] }) },
  })
  const answer = await gateway.send('GET', url + query)
  expect(answer.status).toBe(status)
  if (expected) expect(gateway.received.at(-1)?.message).toMatchObject(expected)
})

test('one transaction can be read', async () => {
  gateway = await createGateway({ transactions: { getTransaction: () => ({ transaction }) } })
  const { body: answered } = await gateway.send('GET', oneUrl)
  expect(answered).toMatchObject({ transactionId: ids.transactionId, aggregatorTransaction: null })
})
