import { create } from '@bufbuild/protobuf'
import {
  ChangeTransactionsResponseSchema,
  UndoOperationResponseSchema,
} from '@coffer/proto/ledger/v1/bulk_change'
import { expect, test } from '@jest/globals'
import { createGateway } from '../gateway.ts'
import { accountUrl, balances, ids, transaction } from '../samples.ts'

const url = `${accountUrl}/transactions/bulk`
const { transactionId, bulkOperationId: operationId, spendingId } = ids
const refused = {
  error: 'Invalid request',
  problems: { problems: [{ path: ['spendingId'], message: 'is closed' }] },
}
const results = [
  { transactionId, result: { case: 'transaction' as const, value: transaction } },
  { transactionId, result: { case: 'refused' as const, value: refused } },
]
const answered = [
  { transactionId, transaction: expect.objectContaining({ transactionId }) },
  { transactionId, error: 'Invalid request', problems: { spendingId: 'is closed' } },
]
const shown = { results, balance: balances }
const undoOperation = () => create(UndoOperationResponseSchema, shown)
const nothingChanged = () => create(ChangeTransactionsResponseSchema, shown)

test.each([
  [
    { items: [transactionId], set: { notes: null, spendingId } },
    {
      items: [transactionId],
      set: { spendingId, updateMask: { paths: ['spending_id', 'notes'] } },
    },
  ],
  [
    { filter: { spendingId: 'free', from: '2026-01-31', amountFrom: -5 }, restore: {} },
    { filter: { free: true, from: '2026-01-31', amountFrom: -5n }, restore: {} },
  ],
  [
    { filter: { spendingId: 'undecided' }, set: { spendingId: null } },
    { filter: { free: true, undecided: true }, set: { updateMask: { paths: ['spending_id'] } } },
  ],
  [
    {
      items: [transactionId],
      correct: { amount: 5, date: '2026-01-02T00:00:00Z', isPending: false },
    },
    { correct: { amount: 5n, date: { seconds: 1_767_312_000n }, isPending: false } },
  ],
  [
    { filter: { spendingId }, delete: { adjustsBalance: true } },
    { filter: { spendingId, free: false }, delete: { adjustsBalance: true } },
  ],
])('PATCH bulk of %j is one call, with a result each', async (body, message) => {
  const changeTransactions = () => ({ ...nothingChanged(), operationId })
  await using gateway = await createGateway({ bulkChanges: { changeTransactions } })
  const answer = await gateway.send('PATCH', url, { body })
  expect(answer.body).toMatchObject({ operationId, results: answered, spending: [] })
  expect(gateway.received.at(-1)?.message).toMatchObject(message)
})

test('an operation is undone by its ID; without a change there is none', async () => {
  await using gateway = await createGateway({
    bulkChanges: { undoOperation, changeTransactions: nothingChanged },
  })
  const { body } = await gateway.send('DELETE', `/api/operations/${operationId}`)
  expect(body).toMatchObject({ results: answered, balance: { free: 45_000 }, spending: [] })
  const changed = await gateway.send('PATCH', url, {
    body: { items: [transactionId], restore: {} },
  })
  expect(changed.body).not.toHaveProperty('operationId')
})

test.each([
  [{ items: [] }, { items: 'must have 1 to 500 items' }],
  [{ items: Array(501).fill(transactionId) }, { items: 'must have 1 to 500 items' }],
  [
    { filter: { from: '2026-02-30' } },
    { filter: { from: '2026-02-30 is not a day of the calendar' } },
  ],
  [{ correct: { notes: 'x' } }, { correct: { notes: 'key not expected' } }],
  [{ set: { merchant: 'x' } }, { set: { merchant: 'key not expected' } }],
])('PATCH bulk of %j is 400', async (body, problems) => {
  await using gateway = await createGateway({})
  const answer = await gateway.send('PATCH', url, { body })
  expect([answer.status, answer.body.problems]).toEqual([400, problems])
})
