import { timestampFromDate } from '@bufbuild/protobuf/wkt'
import { booting } from '@coffer/host/testing/booting'
import { newId } from '@coffer/kit/values/id'
import { expect, test } from '@jest/globals'
import { auditLedger } from '../../src/money/audit.sql.ts'
import { renderTransaction } from '../../src/records/transaction-records.ts'
import { ledger } from '../../src/service.ts'
import { createFundedHousehold, type FundedHousehold } from '../funded-household.ts'
import { aTransaction } from '../imports/samples.ts'
import { refusals } from '../outcomes.ts'

const booted = booting([ledger])

const date = timestampFromDate(new Date('2026-03-02T06:00:00Z'))

function create({ transactions, bankAccountId, as }: FundedHousehold, body: object) {
  return transactions.createTransaction(
    { bankAccountId, date, name: 'Shoes', adjustsBalance: true, ...body },
    as,
  )
}

test('concurrent and bulk refunds together give back no more than was taken', async () => {
  const home = await createFundedHousehold(booted)
  const { transactions, bankAccountId, as, goal } = home
  await create(home, { amount: 10_000n, spendingId: goal })
  const refund = { amount: -2_000n, refundSpendingId: goal }
  const one = { name: 'Shoes', date, adjustsBalance: true, ...refund }
  const bulk = { bankAccountId, transactions: [one, one, one] }
  await Promise.all([
    transactions.createTransactions(bulk, as),
    ...Array.from({ length: 4 }, () => create(home, refund)),
  ])
  const { envelopes } = await home.envelopes.listEnvelopes({ bankAccountId }, as)
  const of = envelopes.find(({ spendingId }) => spendingId === goal)
  expect(of).toMatchObject({ currentAmount: 40_000n, usedAmount: 0n })
  const page = { bankAccountId, limit: 25, offset: 0 }
  const listed = await transactions.listTransactions({ ...page, spendingId: goal }, as)
  const refunds = listed.transactions.filter(({ refundSpendingId }) => refundSpendingId === goal)
  expect(refunds.map(({ refundAmount }) => Number(refundAmount)).sort()).toEqual([
    0, 0, 2000, 2000, 2000, 2000, 2000,
  ])
  expect(refunds[0]?.spendingId).toBeUndefined()
  await home.envelopes.closeEnvelope({ bankAccountId, spendingId: goal }, as)
  const after = await transactions.listTransactions({ ...page, free: true }, as)
  expect(after.transactions).toHaveLength(8)
  expect(after.transactions.every(({ refundAmount }) => refundAmount === undefined)).toBe(true)
  expect(await auditLedger(booted.database('ledger'))).toEqual([])
})

test('a row without an envelope shows no refund', () => {
  const shown = renderTransaction(aTransaction({ amount: -5n, refundAmount: 5n }))
  expect([shown.refundSpendingId, shown.refundAmount]).toEqual([undefined, undefined])
})

test('a goal whose payment is deleted after its refund has used nothing, and no less', async () => {
  const home = await createFundedHousehold(booted)
  const { transactions, bankAccountId, as, goal } = home
  const paid = await create(home, { amount: 10_000n, spendingId: goal })
  const back = await create(home, { amount: -10_000n, refundSpendingId: goal })
  const amounts: bigint[][] = []
  for (const { transaction } of [paid, back]) {
    const { transactionId = '' } = transaction ?? {}
    const key = { bankAccountId, transactionId, adjustsBalance: true, soft: true }
    const { envelopes } = await transactions.deleteTransaction(key, as)
    amounts.push(envelopes.flatMap((one) => [one.currentAmount, one.usedAmount]))
  }
  expect(amounts).toEqual([
    [50_000n, 0n],
    [40_000n, 0n],
  ])
  expect(await auditLedger(booted.database('ledger'))).toEqual([])
})

test('a refund is refused unless a deposit names an open envelope of its account', async () => {
  const home = await createFundedHousehold(booted)
  const other = await createFundedHousehold(booted)
  const { transactions, bankAccountId, as, goal } = home
  const { transaction } = await create(home, { amount: -500n, refundSpendingId: goal })
  const key = { bankAccountId, transactionId: transaction?.transactionId ?? '' }
  const patch = (path: string, body: object) =>
    transactions.updateTransaction({ ...key, ...body, updateMask: { paths: [path] } }, as)
  const outcomes = await refusals(
    create(home, { amount: 500n, refundSpendingId: goal }),
    create(home, { amount: -500n, spendingId: goal }),
    create(home, { amount: -500n, refundSpendingId: other.goal }),
    create(home, { amount: -500n, refundSpendingId: newId('spnd') }),
    patch('amount', { amount: 500n }),
    patch('spending_id', { spendingId: goal }),
    patch('refund_spending_id', { refundSpendingId: other.goal }),
  )
  expect(outcomes).toEqual(Array(7).fill('InvalidArgument'))
  const { transaction: after } = await patch('refund_spending_id', {})
  expect(after?.refundSpendingId).toBeUndefined()
})
