import { eventually, holdTransaction } from '@coffer/host/testing/boot'
import { booting } from '@coffer/host/testing/booting'
import { createHousehold, type Household } from '@coffer/host/testing/household'
import { newId } from '@coffer/kit/values/id'
import { expect, test } from '@jest/globals'
import { sql } from 'slonik'
import { z } from 'zod'
import { ledger } from '../../../src/service.ts'
import { auditing } from '../../auditing.ts'
import { listed } from '../../outcomes.ts'
import { importFile, offersOf, opening, sendJoins, statementOf, undo } from '../uploading.ts'

const booted = auditing(booting([ledger]))

/** Two rows, of which later files have the first one a day later, with identifiers of their own. */
const first = statementOf({ a: '-10.00', b: '-20.00' }, { ledger: '470.00' })
const later = (identifier: 'x' | 'y') =>
  statementOf({
    [`${identifier}2`]: identifier === 'x' ? '-30.00' : '-40.00',
    [identifier]: '-10.00',
  }).replace('20260110<TRNAMT>-10.00', '20260111<TRNAMT>-10.00')

/** Imports a later file, whose row is joined to the transaction of the first. */
async function joined(home: Household, identifier: 'x' | 'y') {
  const { joins } = await offersOf(home, later(identifier))
  expect(joins).toHaveLength(1)
  const upload = await sendJoins(home, later(identifier), { joins })
  expect(upload).toMatchObject({ importedCount: 1n, joinedCount: 1n })
  return upload
}

const identifiers = async (home: Household) =>
  (await listed(home)).map((one) => one.uploadIdentifier).toSorted()

test('the undo of a file keeps a transaction that a row of another file is joined to', async () => {
  const home = await createHousehold(booted, opening)
  const { transactionUploadId } = await importFile(home, first)
  const stored = (await listed(home)).find((one) => one.uploadIdentifier === 'a')!
  const { transactions, envelopes, bankAccountId, as } = home
  const spendingId = newId('spnd')
  await envelopes.openEnvelope({ bankAccountId, spendingId, spendingType: 'expense' }, as)
  await envelopes.transfer({ bankAccountId, toSpendingId: spendingId, amount: 1000n }, as)
  const paid = { bankAccountId, transactionId: stored.transactionId, spendingId }
  await transactions.updateTransaction({ ...paid, updateMask: { paths: ['spending_id'] } }, as)
  const other = await joined(home, 'x')
  const { uploads } = await home.uploads.listUploads({ bankAccountId, limit: 2 }, as)
  expect(uploads.map((one) => one.keptCount)).toEqual([undefined, 1n])
  const { balance } = await undo(home, transactionUploadId)
  expect(balance).toMatchObject({ current: 50000n, available: 40000n, expenses: 0n })
  expect(await undo(home, transactionUploadId)).toMatchObject({ balance })
  expect(await identifiers(home)).toEqual(['x', 'x2'])
  const kept = (await listed(home)).find((one) => one.uploadIdentifier === 'x')
  const { transactionId, name, date, amount } = stored
  expect(kept).toMatchObject({
    transactionId,
    name,
    date,
    amount,
    spendingId,
    originalName: 'ROW x',
  })
  // It is a transaction of the other file now, which knows it.
  const key = { bankAccountId, transactionUploadId: other.transactionUploadId }
  expect((await home.uploads.getUpload(key, as)).upload).toMatchObject({
    importedCount: 2n,
    joinedCount: 0n,
  })
  expect(await sendJoins(home, later('x'))).toMatchObject({ importedCount: 0n, knownCount: 2n })
  expect((await offersOf(home, first)).joins).toEqual([{ uploadIdentifier: 'a', transactionId }])
  await undo(home, other.transactionUploadId)
  expect(await listed(home)).toEqual([])
  const returned = { current: 50000n, available: 40000n, expenses: 1000n }
  expect(await home.balances()).toMatchObject(returned)
})

test('a transaction of three files stays until the last of them is undone', async () => {
  const home = await createHousehold(booted, opening)
  const all = [await importFile(home, first), await joined(home, 'x'), await joined(home, 'y')]
  const [ofA, ofX, ofY] = all.map((one) => one.transactionUploadId)
  await undo(home, ofA!)
  expect(await identifiers(home)).toEqual(['x', 'x2', 'y2'])
  await undo(home, ofX!)
  expect(await identifiers(home)).toEqual(['y', 'y2'])
  await undo(home, ofY!)
  expect(await listed(home)).toEqual([])
})

test('files that are undone at once leave no transaction of theirs', async () => {
  const home = await createHousehold(booted, opening)
  for (let round = 0; round < 3; round += 1) {
    const all = [await importFile(home, first), await joined(home, 'x'), await joined(home, 'y')]
    await Promise.all(all.map((one) => undo(home, one.transactionUploadId)))
    expect(await listed(home)).toEqual([])
  }
  expect(await home.balances()).toMatchObject({ current: 50000n, available: 40000n })
})

test('the undo of a file waits for an import that joins a row to its transaction', async () => {
  const home = await createHousehold(booted, opening)
  const { accountId, bankAccountId } = home
  const { transactionUploadId } = await importFile(home, first)
  const { joins } = await offersOf(home, later('x'))
  const database = booted.database('ledger')
  const held = sql.unsafe`SELECT FROM bank_accounts WHERE account_id = ${accountId}
    AND bank_account_id = ${bankAccountId} FOR NO KEY UPDATE`
  const { untilAwaited, release } = await holdTransaction(database, held)
  const importing = sendJoins(home, later('x'), { joins })
  await untilAwaited()
  const undone = undo(home, transactionUploadId)
  const waiting = sql.type(z.object({ count: z.bigint() }))`
    SELECT count(*) FROM pg_stat_activity
    WHERE datname = current_database() AND wait_event_type = 'Lock'`
  await eventually(
    () => database.pool.oneFirst(waiting),
    (count) => count === 2n,
  )
  await release()
  // On a busy machine the undo may come before the import, which then stores the row as a new one.
  await Promise.all([importing, undone])
  expect(await identifiers(home)).toEqual(['x', 'x2'])
})

test('a kept transaction stays deleted if its user has deleted it', async () => {
  const home = await createHousehold(booted, opening)
  const { transactionUploadId } = await importFile(home, first)
  await joined(home, 'x')
  const { transactionId } = (await listed(home)).find((one) => one.uploadIdentifier === 'a')!
  const { transactions, bankAccountId, as } = home
  await transactions.deleteTransaction({ bankAccountId, transactionId, soft: true }, as)
  await undo(home, transactionUploadId)
  expect(await identifiers(home)).toEqual(['x2'])
  expect(await sendJoins(home, later('x'))).toMatchObject({ importedCount: 0n, knownCount: 2n })
})
