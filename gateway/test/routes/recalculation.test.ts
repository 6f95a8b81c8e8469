import { unavailable } from '@coffer/kit/rpc/errors'
import { expect, test } from '@jest/globals'
import { createGateway, type Gateway } from '../gateway.ts'
import { accountUrl, balances, envelope, ids, spending, transaction } from '../samples.ts'
import type { Stubs } from '../stub-mesh.ts'

const moved = { transaction, balance: balances, envelopes: [envelope] }
const stored = { result: { case: 'transaction' as const, value: transaction } }
const ledger: Stubs = {
  transactions: {
    createTransaction: () => ({ transaction, balance: balances, envelope }),
    createTransactions: () => ({ results: [stored], balance: balances, envelopes: [envelope] }),
    updateTransaction: () => moved,
    deleteTransaction: () => ({ balance: balances, envelopes: [envelope] }),
  },
  envelopes: { transfer: () => ({ balance: balances, envelopes: [envelope] }) },
  uploads: { undoUpload: () => ({ balance: balances, envelopes: [envelope] }) },
}

const { spendingId, transactionId, transactionUploadId } = ids
const tea = { name: 'Tea', amount: 5, date: '2026-01-02T00:00:00Z', spendingId }
const transfer = { toSpendingId: spendingId, amount: 5 }
/** Every write that may change an envelope. */
const writes: ['POST' | 'PATCH' | 'DELETE', string, object | undefined][] = [
  ['POST', '/transactions', tea],
  ['POST', '/transactions/bulk', { transactions: [tea] }],
  ['PATCH', `/transactions/${transactionId}`, { spendingId }],
  ['DELETE', `/transactions/${transactionId}?adjusts_balance=true`, undefined],
  ['POST', '/spending/transfer', transfer],
  ['DELETE', `/transactions/upload/${transactionUploadId}`, undefined],
]

const startGateway = (stubs: Stubs) =>
  createGateway({ ...ledger, ...stubs }, { COFFER_UPLOADS_ENABLED: 'true' })

const send = (gateway: Gateway, [method, path, body]: (typeof writes)[number]) =>
  gateway.send(method, `${accountUrl}${path}`, body ? { body } : {})

test.each(writes)('%s %s answers with the recalculated plans', async (...write) => {
  const recalculateSpending = () => ({ spending: [spending] })
  await using gateway = await startGateway({ spending: { recalculateSpending } })
  const answer = await send(gateway, write)
  expect(answer.status).toBe(200)
  expect([answer.body.spending].flat()).toMatchObject([{ spendingId }])
  expect(answer.headers).not.toHaveProperty('coffer-recalculation')
})

test.each(writes)(
  '%s %s succeeds while budgeting is away, with Coffer-Recalculation',
  async (...write) => {
    const recalculateSpending = () => {
      throw unavailable('budgeting is away')
    }
    await using gateway = await startGateway({ spending: { recalculateSpending } })
    const answer = await send(gateway, write)
    expect(answer.status).toBe(200)
    expect(answer.headers['coffer-recalculation']).toBe('pending')
    expect(answer.body.spending ?? []).toEqual([])
    expect(answer.body.balance.free).toBe(45_000)
  },
)

test('each write gives up the recalculation after its timeout', async () => {
  const never = () => new Promise<never>(() => undefined)
  await using silent = await startGateway({ spending: { recalculateSpending: never } })
  const answers = await Promise.all(writes.map((write) => send(silent, write)))
  const told = answers.map(({ status, headers }) => [status, headers['coffer-recalculation']])
  expect(told).toEqual(writes.map(() => [200, 'pending']))
})
