import { type Timestamp, timestampFromDate } from '@bufbuild/protobuf/wkt'
import { loadSigner } from '@coffer/host/rpc/signing-key'
import { ofConsumers } from '@coffer/host/testing/boot'
import { booting } from '@coffer/host/testing/booting'
import { createHousehold, type Household } from '@coffer/host/testing/household'
import { systemCaller } from '@coffer/kit/rpc/caller'
import { problemsOf } from '@coffer/kit/rpc/errors'
import { asCaller } from '@coffer/kit/rpc/rpc'
import { statementsMax } from '@coffer/kit/testing/statements-max'
import { newId } from '@coffer/kit/values/id'
import { type HistoryEntry, HistoryService } from '@coffer/proto/ledger/v1/history'
import { ScheduledService } from '@coffer/proto/ledger/v1/scheduled'
import { Code, ConnectError } from '@connectrpc/connect'
import { expect, test } from '@jest/globals'
import { sql } from 'slonik'
import { ledger } from '../../src/service.ts'
import { refusals } from '../outcomes.ts'

const booted = booting([ledger])

const date = timestampFromDate(new Date('2026-03-02T06:00:00Z'))

async function historyOf({ bankAccountId, as }: Household, more: object = {}) {
  const history = booted.client('ledger', HistoryService)
  return history.listHistory({ bankAccountId, limit: 100, ...more }, as)
}

/** Returns the cursor of a history entry: the fields from which a client continues the list. */
function cursorOf(entry?: HistoryEntry) {
  if (!entry) throw new Error('no entry')
  const { operationId, spendingId, pot, cause } = entry
  return { operationId, pot, cause, ...(spendingId ? { spendingId } : {}) }
}

/**
 * Creates a household of the user `user_pat`: 500 minor units were moved from an expense to a goal,
 * and the goal paid 500 of a bill of 1,200.
 */
async function usedHousehold() {
  const home = await createHousehold(booted, { availableBalance: 10_000n })
  const { accountId, bankAccountId, envelopes, transactions } = home
  const as = booted.as(accountId, { timezone: 'America/Chicago', userId: 'user_pat' })
  const [expense, goal] = [newId('spnd'), newId('spnd')]
  await envelopes.openEnvelope({ bankAccountId, spendingId: expense, spendingType: 'expense' }, as)
  await envelopes.openEnvelope({ bankAccountId, spendingId: goal, spendingType: 'goal' }, as)
  await envelopes.transfer({ bankAccountId, toSpendingId: expense, amount: 3000n }, as)
  const sides = { fromSpendingId: expense, toSpendingId: goal }
  await envelopes.transfer({ bankAccountId, ...sides, amount: 500n }, as)
  const bill = { bankAccountId, amount: 1200n, date, name: 'Bill', spendingId: goal }
  const { transaction } = await transactions.createTransaction(
    { ...bill, adjustsBalance: true },
    as,
  )
  const transactionId = transaction?.transactionId ?? ''
  return { ...home, as, expense, goal, transactionId, bill }
}

test('has the amount, the time, the cause and the user of every change', async () => {
  const home = await usedHousehold()
  const { bankAccountId, expense, goal, transactionId } = home
  const { entries, hasMore } = await historyOf(home)
  expect(hasMore).toBe(false)
  const bill = { transactionId, name: 'Bill', amount: 1200n, date }
  const spent = { cause: 'transaction', causeId: transactionId, transaction: bill }
  const by = { createdBy: 'user_pat' }
  expect(entries).toMatchObject([
    { pot: 'current', delta: -1200n, amount: -1200n, ...spent, ...by },
    { pot: 'available', delta: -1200n, amount: 8800n, ...spent, ...by },
    { pot: 'used', spendingId: goal, delta: 500n, amount: 500n, ...spent, ...by },
    { pot: 'envelope', spendingId: goal, delta: -500n, amount: 0n, ...spent, ...by },
    {
      pot: 'envelope',
      spendingId: goal,
      delta: 500n,
      amount: 500n,
      cause: 'transfer',
      transfer: { fromSpendingId: expense, toSpendingId: goal },
    },
    {
      pot: 'envelope',
      spendingId: expense,
      delta: -500n,
      amount: 2500n,
      cause: 'transfer',
      transfer: { fromSpendingId: expense, toSpendingId: goal },
    },
    {
      pot: 'envelope',
      spendingId: expense,
      delta: 3000n,
      amount: 3000n,
      cause: 'transfer',
      transfer: { toSpendingId: expense },
    },
    { pot: 'available', delta: 10_000n, amount: 10_000n, cause: 'opening', causeId: bankAccountId },
  ])
  expect(entries[6]?.transfer?.fromSpendingId).toBeUndefined()
  expect(entries[0]?.operationId).toBe(entries[3]?.operationId)
  expect(entries[0]?.spendingId).toBeUndefined()
})

test('names an envelope that is deleted since', async () => {
  const home = await usedHousehold()
  const { bankAccountId, expense, envelopes, as } = home
  await envelopes.closeEnvelope({ bankAccountId, spendingId: expense, name: 'Rent' }, as)
  await envelopes.closeEnvelope({ bankAccountId, spendingId: expense, name: 'Other' }, as)
  const { entries } = await historyOf(home)
  const names = entries.map((one) => [one.spendingId === expense, one.deletedSpendingName])
  expect(new Set(names.map(String))).toEqual(new Set(['true,Rent', 'false,']))
})

test('of an envelope has its own changes only', async () => {
  const home = await usedHousehold()
  const { entries } = await historyOf(home, { spendingId: home.goal })
  expect(entries.map(({ pot, amount }) => [pot, amount])).toEqual([
    ['used', 500n],
    ['envelope', 0n],
    ['envelope', 500n],
  ])
})

test('has stable pages while entries are added', async () => {
  const home = await usedHousehold()
  const whole = (await historyOf(home)).entries
  const first = await historyOf(home, { limit: 3 })
  expect(first.hasMore).toBe(true)
  await home.transactions.createTransaction({ ...home.bill, spendingId: home.expense }, home.as)
  const second = await historyOf(home, { limit: 5, before: cursorOf(first.entries.at(-1)) })
  expect(second.hasMore).toBe(false)
  expect([...first.entries, ...second.entries]).toEqual(whole)
})

test('takes every entry of the same bank account as a cursor', async () => {
  const [home, other] = [await usedHousehold(), await usedHousehold()]
  const { entries } = await historyOf(home)
  for (const [index, entry] of entries.entries()) {
    const page = await historyOf(home, { before: cursorOf(entry) })
    expect(page.entries).toEqual(entries.slice(index + 1))
  }
  const [mine] = entries
  const unknown = { ...cursorOf(mine), operationId: 'op_unknown' }
  for (const [asked, before] of [
    [other, cursorOf(mine)],
    [home, unknown],
    [home, { ...cursorOf(mine), pot: 'limit' }],
  ] as const) {
    const error = await historyOf(asked, { before }).catch((reason) => ConnectError.from(reason))
    const text = 'must be a cursor from an earlier page of this list'
    expect(error instanceof ConnectError && problemsOf(error)).toEqual({ after: text })
  }
  const nowhere = historyOf({ ...home, bankAccountId: newId('bac') }, { before: cursorOf(mine) })
  await expect(nowhere).rejects.toMatchObject({ code: Code.NotFound })
})

test('names jobs, uploads and schedules; a removed transaction only by its ID', async () => {
  const home = await usedHousehold()
  const { accountId, bankAccountId, transactions, goal, expense, transactionId } = home
  const caller = systemCaller(loadSigner(booted.keysFolder, 'budgeting'), '', new Date())
  const run = { bankAccountId, fundingRunId: newId('run'), fundingScheduleId: newId('fund') }
  const [occurrence, due] = ['2026-03-15T05:00:00Z', '2026-04-01T05:00:00Z'].map((text) =>
    timestampFromDate(new Date(text)),
  ) as [Timestamp, Timestamp]
  const lines = [{ spendingId: goal, amount: 700n, ceiling: 5000n }]
  const operation = { case: 'funding' as const, value: { ...run, lines, occurrence } }
  const end = { bankAccountId, spendingId: expense, due, targetAmount: 1n, carryOver: false }
  const periodEnd = { case: 'periodEnd' as const, value: end }
  const job = asCaller(caller)
  const scheduled = booted.client('ledger', ScheduledService)
  const bookings = [operation, periodEnd].map((one) => ({ accountId, operation: one }))
  await scheduled.book({ bookings }, job)
  const key = { bankAccountId, transactionId }
  await transactions.deleteTransaction({ ...key, adjustsBalance: true, soft: false }, home.as)
  const { entries } = await historyOf(home, { spendingId: goal })
  expect(entries.slice(0, 3)).toMatchObject([
    { pot: 'used', cause: 'deletion', causeId: transactionId, delta: -500n, amount: 0n },
    { pot: 'envelope', cause: 'deletion', causeId: transactionId, delta: 500n, amount: 1200n },
    {
      pot: 'envelope',
      cause: 'funding',
      causeId: run.fundingScheduleId,
      delta: 700n,
      occurrence,
      operationId: run.fundingRunId,
      createdBy: 'user_system',
    },
  ])
  expect(entries.map((entry) => entry.transaction)).toEqual(entries.map(() => undefined))
  const closed = await historyOf(home, { spendingId: expense, limit: 1 })
  // Releases before 0.4 stored the due date in the operation ID alone.
  await booted.database('ledger').pool.query(sql.unsafe`
    UPDATE journal SET date = NULL WHERE bank_account_id = ${bankAccountId}`)
  for (const { entries } of [closed, await historyOf(home, { spendingId: expense, limit: 1 })]) {
    expect(entries).toMatchObject([{ cause: 'period-closed', delta: -1n, occurrence: due }])
  }
})

test('costs few statements, and entries without a user omit createdBy', async () => {
  const home = await usedHousehold()
  const database = booted.database('ledger')
  await database.pool.query(sql.unsafe`
    UPDATE journal SET created_by = NULL WHERE account_id = ${home.accountId}`)
  const before = database.statements(ofConsumers)
  const { entries } = await historyOf(home)
  expect(database.statements(ofConsumers) - before).toBeLessThanOrEqual(statementsMax.getHistory)
  expect(entries[0]?.createdBy).toBeUndefined()
})

test('is not found in another account, or for an envelope that is closed', async () => {
  const home = await usedHousehold()
  const stranger = { ...home, as: booted.as(newId('acct')) }
  const other = await usedHousehold()
  const { bankAccountId, as, envelopes, goal } = home
  await envelopes.closeEnvelope({ bankAccountId, spendingId: goal }, as)
  expect(
    await refusals(
      historyOf(stranger),
      historyOf(stranger, { spendingId: home.expense }),
      historyOf({ ...home, bankAccountId: newId('bac') }),
      historyOf(home, { spendingId: other.goal }),
      historyOf(home, { spendingId: goal }),
    ),
  ).toEqual(Array(5).fill('NotFound'))
  const { entries } = await historyOf(home)
  expect(entries[0]).toMatchObject({ cause: 'envelope-closed', causeId: goal })
})
