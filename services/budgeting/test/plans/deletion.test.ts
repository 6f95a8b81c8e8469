import { holdTransaction } from '@coffer/host/testing/boot'
import { booting } from '@coffer/host/testing/booting'
import { objectTag } from '@coffer/kit/rpc/object-tag'
import { headers } from '@coffer/kit/rpc/rpc'
import { ledger } from '@coffer/ledger/service'
import { type Spending, SpendingSchema } from '@coffer/proto/budgeting/v1/spending'
import type { CallOptions } from '@connectrpc/connect'
import { expect, test } from '@jest/globals'
import { sql } from 'slonik'
import { budgeting } from '../../src/service.ts'
import { createBudgetHousehold } from '../household.ts'

const booted = booting([ledger, budgeting], {}, '2023-10-09T13:32Z')

const raised = { targetAmount: 2_000n, updateMask: { paths: ['target_amount'] } }

/** Returns options of a call that requires the object as it was read (`If-Match`). */
function withTag(as: CallOptions, read: Spending | undefined): CallOptions {
  const sent = new Headers(as.headers)
  if (read) sent.set(headers.ifMatch, objectTag(SpendingSchema, read))
  return { ...as, headers: sent }
}

/** Locks a bank account in the ledger: its writes wait until the release. */
function holdBankAccount(bankAccountId: string) {
  const row = sql.unsafe`
    SELECT FROM bank_accounts WHERE bank_account_id = ${bankAccountId} FOR UPDATE`
  return holdTransaction(booted.database('ledger'), row)
}

test('a change is refused while the ledger closes the envelope', async () => {
  const { pay, expense, spending, list, bankAccountId, as } = await createBudgetHousehold(booted)
  const { fundingScheduleId } = await pay()
  const created = await expense(fundingScheduleId)
  const { spendingId } = created
  const ids = { bankAccountId, spendingId }
  const seen = withTag(as, created)
  const { untilAwaited, release } = await holdBankAccount(bankAccountId)
  const deletion = spending.deleteSpending(ids, seen)
  await untilAwaited()
  const change = spending.updateSpending({ ...ids, ...raised }, seen)
  await expect(change).rejects.toThrow('is being deleted')
  expect(await list()).toHaveLength(1)
  await release()
  await deletion
  expect(await list()).toEqual([])
})

test('a deletion is refused after a change, if it requires the state before', async () => {
  const { pay, expense, spending, list, bankAccountId, as } = await createBudgetHousehold(booted)
  const { fundingScheduleId } = await pay()
  const created = await expense(fundingScheduleId)
  const ids = { bankAccountId, spendingId: created.spendingId }
  const seen = withTag(as, created)
  const { spending: changed } = await spending.updateSpending({ ...ids, ...raised }, seen)
  await expect(spending.deleteSpending(ids, seen)).rejects.toThrow('the object has changed')
  await spending.deleteSpending(ids, withTag(as, changed))
  expect(await list()).toEqual([])
})
