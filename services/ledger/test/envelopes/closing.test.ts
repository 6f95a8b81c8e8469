import { timestampFromDate } from '@bufbuild/protobuf/wkt'
import { untilLockAwaited } from '@coffer/host/testing/boot'
import { booting } from '@coffer/host/testing/booting'
import { createHousehold } from '@coffer/host/testing/household'
import { newId } from '@coffer/kit/values/id'
import { expect, test } from '@jest/globals'
import { sql } from 'slonik'
import { ledger } from '../../src/service.ts'
import { auditing } from '../auditing.ts'
import { hold, isFree } from '../held-row.ts'
import { listed } from '../outcomes.ts'

const booted = auditing(booting([ledger]))

const date = timestampFromDate(new Date('2026-03-02T06:00:00Z'))

/**
 * Creates a bank account with 10,000 minor units. An envelope got 3,000 of them, and has paid five
 * bills of 100 each.
 */
async function householdWithBills() {
  const home = await createHousehold(booted, { availableBalance: 10_000n })
  const { envelopes, transactions, bankAccountId, as } = home
  const spendingId = newId('spnd')
  await envelopes.openEnvelope({ bankAccountId, spendingId, spendingType: 'expense' }, as)
  await envelopes.transfer({ bankAccountId, toSpendingId: spendingId, amount: 3000n }, as)
  const bill = { bankAccountId, amount: 100n, date, name: 'Bill', adjustsBalance: true }
  const post = (spent: { spendingId?: string } = {}) =>
    transactions.createTransaction({ ...bill, ...spent }, as)
  await Promise.all(Array.from({ length: 5 }, () => post({ spendingId })))
  return { ...home, spendingId, post }
}

test('a closing clears its transactions without a lock on the bank account', async () => {
  const { spendingId, post, ...home } = await householdWithBills()
  const { bankAccountId, envelopes, as } = home
  const database = booted.database('ledger')
  const release = await hold(database, sql.fragment`transactions WHERE spending_id = ${spendingId}`)
  const closed = envelopes.closeEnvelope({ bankAccountId, spendingId }, as)
  await untilLockAwaited(database)
  expect(await isFree(database, home)).toBe(true)
  await post()
  await post({ spendingId })
  // The closing of the envelope is not committed, so its six transactions still name the envelope.
  expect((await listed(home)).filter((one) => one.spendingId === spendingId)).toHaveLength(6)
  await Promise.all([closed, release()])
  const after = await listed(home)
  expect(after).toHaveLength(7)
  expect(after.filter((one) => one.spendingId !== undefined)).toEqual([])
  expect(await home.balances()).toMatchObject({ available: 9300n, free: 9300n, expenses: 0n })
})

test('a transaction that moves to another envelope during the closing stays there', async () => {
  const { spendingId, ...home } = await householdWithBills()
  const { bankAccountId, envelopes, as } = home
  const other = newId('spnd')
  await envelopes.openEnvelope({ bankAccountId, spendingId: other, spendingType: 'goal' }, as)
  const database = booted.database('ledger')
  const transactionId = (await listed(home))[0]?.transactionId ?? ''
  const release = await hold(
    database,
    sql.fragment`transactions WHERE transaction_id = ${transactionId}`,
  )
  const closed = envelopes.closeEnvelope({ bankAccountId, spendingId }, as)
  await untilLockAwaited(database)
  await release(sql.unsafe`
    UPDATE transactions SET spending_id = ${other}, spending_amount = 0
    WHERE transaction_id = ${transactionId}`)
  await closed
  const assigned = (await listed(home)).filter((one) => one.spendingId !== undefined)
  expect(assigned).toMatchObject([{ transactionId, spendingId: other, spendingAmount: 0n }])
})

test('what a closed envelope has paid does not wait for another one', async () => {
  const { spendingId, post, ...home } = await householdWithBills()
  const { bankAccountId, accounts, envelopes, transactions, as } = home
  await post()
  await envelopes.closeEnvelope({ bankAccountId, spendingId }, as)
  const waiting = await transactions.listTransactions(
    { bankAccountId, free: true, undecided: true, limit: 25 },
    as,
  )
  expect(waiting.transactions).toHaveLength(1)
  const overview = await accounts.listOverviews({}, as)
  expect(overview.bankAccounts).toMatchObject([{ unassignedCount: 1 }])
})
