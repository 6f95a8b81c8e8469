import { create } from '@bufbuild/protobuf'
import { notFound } from '@coffer/kit/rpc/errors'
import type { CreateTransactionsRequest } from '@coffer/proto/ledger/v1/transaction'
import { ProblemsSchema } from '@coffer/proto/options/v1/options'
import { afterEach, expect, test } from '@jest/globals'
import { createGateway, type Gateway } from '../gateway.ts'
import { accountUrl, balances, envelope, ids, spending, transaction } from '../samples.ts'

const url = `${accountUrl}/transactions/bulk`
const good = { amount: 4500, date: '2026-01-02T00:00:00-06:00', name: 'Groceries' }

let gateway: Gateway
afterEach(async () => await gateway[Symbol.asyncDispose]())

/** Stub of the ledger: refuses transactions named Late and stores all others. */
function createTransactions({ transactions }: CreateTransactionsRequest) {
  const problems = create(ProblemsSchema, { problems: [{ path: ['name'], message: 'too late' }] })
  const refused = { error: 'Invalid request', problems }
  return {
    results: transactions.map(({ name }) => ({
      result:
        name === 'Late'
          ? { case: 'refused' as const, value: refused }
          : { case: 'transaction' as const, value: { ...transaction, name } },
    })),
    balance: balances,
    envelopes: [envelope],
  }
}

test('each item has the result of a single request, at its index', async () => {
  gateway = await createGateway({
    transactions: { createTransactions },
    spending: { recalculateSpending: () => ({ spending: [spending] }) },
  })
  const sent = [
    { ...good, name: 'A' },
    { ...good, amount: 1.5, colour: 'red' },
    { ...good, name: 'Late' },
    'Lunch',
    { ...good, name: 'B', merchantName: null, spendingId: ids.spendingId },
  ]
  const { status, body } = await gateway.send('POST', url, { body: { transactions: sent } })
  expect(status).toBe(200)
  expect(body).toEqual({
    results: [
      { transaction: expect.objectContaining({ name: 'A', amount: 4500 }) },
      {
        error: 'Invalid request',
        problems: { amount: 'must be an integer', colour: 'key not expected' },
        hints: [expect.stringContaining('minor units')],
        code: 'INVALID_REQUEST',
        errors: [
          { pointer: '#/amount', detail: 'must be an integer', code: 'NOT_INTEGER' },
          { pointer: '#/colour', detail: 'key not expected', code: 'KEY_UNKNOWN' },
        ],
      },
      {
        error: 'Invalid request',
        problems: { name: 'too late' },
        code: 'INVALID_REQUEST',
        errors: [{ pointer: '#/name', detail: 'too late' }],
      },
      { error: 'must be an object', code: 'NOT_OBJECT' },
      { transaction: expect.objectContaining({ name: 'B' }) },
    ],
    balance: expect.objectContaining({ free: 45_000 }),
    spending: [expect.objectContaining({ spendingId: ids.spendingId })],
  })
  const [asked] = gateway.received.filter(({ rpc }) => rpc === 'CreateTransactions')
  const { transactions } = asked!.message as CreateTransactionsRequest
  expect(transactions.map(({ name, amount }) => [name, amount])).toEqual([
    ['A', 4500n],
    ['Late', 4500n],
    ['B', 4500n],
  ])
  expect(transactions[2]?.spendingId).toBe(ids.spendingId)
})

test.each([
  [{}, { transactions: 'required key is missing' }],
  [{ transactions: null }, { transactions: 'must be a list' }],
  [{ transactions: {} }, { transactions: 'must be a list' }],
  [{ transactions: [] }, { transactions: 'must have 1 to 500 items' }],
  [{ transactions: Array(501).fill(good) }, { transactions: 'must have 1 to 500 items' }],
  [{ transactions: [good], atomic: true }, { atomic: 'key not expected' }],
])('a body that is not a bulk request is 400, %#', async (sent, problems) => {
  gateway = await createGateway({ bankAccounts: { describeBankAccount: () => ({}) } })
  const { status, body } = await gateway.send('POST', url, { body: sent })
  expect([status, body]).toEqual([400, { error: 'Invalid request', problems }])
})

test('a missing bank account is 404 also with a bad body', async () => {
  const describeBankAccount = () => {
    throw notFound('bank account')
  }
  gateway = await createGateway({ bankAccounts: { describeBankAccount } })
  expect((await gateway.send('POST', url, { body: {} })).status).toBe(404)
})

test('the OpenAPI document describes the items', async () => {
  gateway = await createGateway({})
  const { body } = await gateway.send('GET', '/api/openapi.json', { as: null })
  const { post } = body.paths['/api/bank_accounts/{bankAccountId}/transactions/bulk']
  const { transactions } = post.requestBody.content['application/json'].schema.properties
  expect(transactions).toMatchObject({ type: 'array', minItems: 1, maxItems: 500 })
  expect(transactions.items.required).toEqual(['amount', 'date', 'name'])
  expect(transactions.items.additionalProperties).toBe(false)
})
