import { booting } from '@coffer/host/testing/booting'
import { createHousehold, type Household } from '@coffer/host/testing/household'
import { expect, test } from '@jest/globals'
import { ledger } from '../../../src/service.ts'
import { auditing } from '../../auditing.ts'
import { listed } from '../../outcomes.ts'
import { offersOf, opening, sendJoins as send, statementOf, undo } from '../uploading.ts'

const booted = auditing(booting([ledger]))

/** Stores a pending payment by hand that has moved the available balance. */
async function pending(home: Household, date = '2026-01-08', fields = {}) {
  const { transactions, bankAccountId, as } = home
  const day = { seconds: BigInt(Date.parse(`${date}T06:00:00Z`) / 1000) }
  const typed = { name: 'row a', amount: 1000n, date: day, isPending: true, adjustsBalance: true }
  const { transaction } = await transactions.createTransaction(
    { bankAccountId, ...typed, ...fields },
    as,
  )
  return transaction!
}

async function sums(home: Household) {
  const { available = 0n, current = 0n } = (await home.balances()) ?? {}
  return [available, current].map(Number)
}

const one = async (home: Household, transactionId: string) => {
  const { transactions, bankAccountId, as } = home
  return (await transactions.getTransaction({ bankAccountId, transactionId }, as)).transaction!
}

const plain = statementOf({ a: '-10.00' })
const stating = statementOf({ a: '-10.00', b: '-5.00' }, { ledger: '485.00' })

test('a join posts a pending transaction, and the undo makes it pending again', async () => {
  const home = await createHousehold(booted, opening)
  const before = await pending(home, '2026-01-08', { notes: 'shared', tags: ['trip'] })
  const { transactionId } = before
  expect(await sums(home)).toEqual([39000, 50000])
  const { joins, offers } = await offersOf(home, plain)
  const effect = 'posts the pending transaction'
  const offer = { transactionId, transactionIsPending: true, effect, balanceChange: -1000n }
  expect(offers).toMatchObject([offer])
  const upload = await send(home, plain, { joins })
  expect(upload).toMatchObject({ importedCount: 0n, joinedCount: 1n })
  expect(await sums(home)).toEqual([39000, 49000])
  const { name, notes, tags, date } = before
  const kept = { amount: 1000n, name, notes, tags, date }
  expect(await one(home, transactionId)).toMatchObject({ ...kept, isPending: false })
  // The same file again: its row is known, and no money moves.
  expect(await send(home, plain, { joins })).toMatchObject({ joinedCount: 0n, knownCount: 1n })
  expect(await sums(home)).toEqual([39000, 49000])
  const { balance } = await undo(home, upload.transactionUploadId)
  expect(balance).toMatchObject({ available: 39000n, current: 50000n })
  expect(await one(home, transactionId)).toMatchObject({ isPending: true, notes: 'shared' })
  expect(await undo(home, upload.transactionUploadId)).toMatchObject({ balance })
  // Once more from the start.
  await send(home, plain, { joins: (await offersOf(home, plain)).joins })
  expect(await sums(home)).toEqual([39000, 49000])
})

test('a balance of the file is set, and the undo restores the one before', async () => {
  const home = await createHousehold(booted, opening)
  await pending(home)
  const { joins } = await offersOf(home, stating)
  const { transactionUploadId } = await send(home, stating, { joins })
  expect(await sums(home)).toEqual([38500, 48500])
  await undo(home, transactionUploadId)
  expect(await sums(home)).toEqual([39000, 50000])
})

test('a payment that is typed with a later day is in the balance that has its row', async () => {
  const home = await createHousehold(booted, opening)
  await pending(home, '2026-01-12')
  const early = statementOf({ a: '-10.00' }, { ledger: '500.00', asOf: '20260110' })
  const { joins } = await offersOf(home, early)
  const { transactionUploadId } = await send(home, early, { joins })
  expect(await sums(home)).toEqual([40000, 50000])
  await undo(home, transactionUploadId)
  expect(await sums(home)).toEqual([39000, 50000])
})

test('a balance stated later stays as a former import is undone', async () => {
  const home = await createHousehold(booted, opening)
  const { transactionId } = await pending(home)
  const { joins } = await offersOf(home, stating)
  const first = await send(home, stating, { joins })
  const later = statementOf({ c: '-1.00' }, { ledger: '484.00', asOf: '20260116' })
  const second = await send(home, later)
  expect(await sums(home)).toEqual([38400, 48400])
  await undo(home, first.transactionUploadId)
  expect((await sums(home))[1]).toBe(48400)
  expect(await one(home, transactionId)).toMatchObject({ isPending: true })
  await undo(home, second.transactionUploadId)
  expect(await sums(home)).toEqual([39000, 50000])
})

test('a transaction that was posted by hand meanwhile stays posted', async () => {
  const home = await createHousehold(booted, opening)
  const { transactionId } = await pending(home)
  const { joins } = await offersOf(home, plain)
  const { corrections, bankAccountId, as } = home
  await corrections.correctTransaction({ bankAccountId, transactionId, isPending: false }, as)
  const upload = await send(home, plain, { joins })
  expect(upload).toMatchObject({ joinedCount: 1n })
  await undo(home, upload.transactionUploadId)
  expect(await sums(home)).toEqual([39000, 49000])
  expect(await one(home, transactionId)).toMatchObject({ isPending: false })
})

test('what a user does after the join is kept by its undo', async () => {
  const home = await createHousehold(booted, opening)
  const { transactionId } = await pending(home)
  const { joins } = await offersOf(home, plain)
  const { transactionUploadId } = await send(home, plain, { joins })
  const { transactions, bankAccountId, as } = home
  const removal = { bankAccountId, transactionId, adjustsBalance: true }
  await transactions.deleteTransaction(removal, as)
  await undo(home, transactionUploadId)
  expect(await sums(home)).toEqual([40000, 50000])
})

test('a row of two files posts its transaction until both are undone', async () => {
  const home = await createHousehold(booted, opening)
  const { transactionId } = await pending(home)
  const first = await send(home, plain, { joins: (await offersOf(home, plain)).joins })
  const qif = '!Type:Bank\nD01/20/2026\nT-3.00\nPOther\n^\nD01/10/2026\nT-10.00\nPRow a\n^\n'
  const { preview } = await send(home, qif, { preview: true, name: 'a.qif' })
  const { uploadIdentifier } = preview!.joinOffers[0]!
  const joins = [{ uploadIdentifier, transactionId }]
  const second = await send(home, qif, { joins, name: 'a.qif' })
  expect(second).toMatchObject({ joinedCount: 1n })
  await undo(home, first.transactionUploadId)
  expect(await one(home, transactionId)).toMatchObject({ isPending: false })
  expect(await sums(home)).toEqual([39000, 49000])
  await undo(home, second.transactionUploadId)
  expect(await one(home, transactionId)).toMatchObject({ isPending: true })
  expect(await sums(home)).toEqual([39000, 50000])
})

test('two imports at once post a transaction once', async () => {
  const home = await createHousehold(booted, opening)
  await pending(home)
  const { joins } = await offersOf(home, plain)
  await Promise.all([send(home, plain, { joins }), send(home, plain, { joins })])
  expect(await sums(home)).toEqual([39000, 49000])
  expect(await listed(home)).toHaveLength(1)
})

test.each([
  ['ten days before', '2025-12-31', 1],
  ['eleven days before', '2025-12-30', 0],
  ['three days after', '2026-01-13', 1],
  ['four days after', '2026-01-14', 0],
])('a pending transaction of %s', async (_name, date, count) => {
  const home = await createHousehold(booted, opening)
  await pending(home, date)
  expect((await offersOf(home, plain)).offers).toHaveLength(count)
})
