import { booting } from '@coffer/host/testing/booting'
import { BulkChangeService } from '@coffer/proto/ledger/v1/bulk_change'
import { expect, test } from '@jest/globals'
import { sql } from 'slonik'
import { ledger } from '../../src/service.ts'
import { auditing } from '../auditing.ts'
import {
  aRow,
  assign,
  envelopeOf,
  feedHome,
  type SyncedHome,
  syncedHome,
} from '../syncs/syncing.ts'
import { rulingOf, runningOf } from './ruling.ts'

const booted = auditing(booting([ledger]))
const paths = (...names: string[]) => ({ updateMask: { paths: names } })

/** Returns a transaction with the provenance of its fields. */
async function shown({ transactions, bankAccountId, as }: SyncedHome, transactionId = '') {
  const request = { bankAccountId, transactionId, includesProvenance: true }
  return (await transactions.getTransaction(request, as)).transaction
}

test('the undo of a bulk edit restores who had set the fields', async () => {
  const home = await syncedHome(booted)
  const { as, bankAccountId } = home
  const bulk = booted.client('ledger', BulkChangeService)
  const [food, other] = [await envelopeOf(home, 9_000n), await envelopeOf(home, 9_000n)]
  const actions = { name: 'Lunch', notes: 'By rule', tags: ['a'], spendingId: food.spendingId }
  const { write, client } = rulingOf(booted)(home)
  const [ruleId = ''] = await write({ actions })
  const tea = { originalName: 'TEA', name: 'TEA', displayName: 'TEA' }
  const [one, two, three] = await home.brings(aRow(), aRow(tea), aRow())
  const ids = [one, two, three].map((row) => row?.transactionId ?? '')
  const before = await Promise.all(ids.map((id) => shown(home, id)))
  const { spendingId } = other
  const set = { name: 'Mine', spendingId, addTags: ['b'] }
  const mask = paths('name', 'spending_id', 'add_tags', 'notes')
  const change = { bankAccountId, items: ids, set: { ...set, ...mask } }
  const { operationId = '' } = await bulk.changeTransactions(change, as)
  const edited = await shown(home, ids[0])
  expect(new Set(edited?.provenance.map(({ by }) => by))).toEqual(new Set(['user']))
  // An edit since, also to an equal value, is kept.
  await assign(home, ids[2], { merchantName: 'Deli' })
  const { results } = await bulk.undoOperation({ operationId }, as)
  expect(results.map(({ result }) => result.case)).toEqual([
    'transaction',
    'transaction',
    'refused',
  ])
  const after = await Promise.all(ids.map((id) => shown(home, id)))
  expect(after.slice(0, 2)).toEqual(before.slice(0, 2))
  expect(after[2]).toMatchObject({ name: 'Mine', spendingId })
  const [texts, { start, ended }] = [{ name: 'Meal', notes: 'New' }, runningOf(booted)(home)]
  await client.updateRule({ ruleId, actions: { ...texts, tags: ['c'], spendingId } }, as)
  await ended((await start())?.ruleRunId)
  expect(await home.one(ids[0])).toMatchObject({ ...texts, tags: ['a', 'c'], spendingId })
})

test.each([
  ['aggregator', syncedHome],
  ['feed', feedHome],
])('a PATCH to what is shown already is an edit (%s)', async (_, createHome) => {
  const home = await createHome(booted)
  const { as, bankAccountId, transactions } = home
  const pending = aRow({ isPending: true, providerTransactionId: 'h' })
  const [row] = await home.brings(pending)
  const transactionId = row?.transactionId ?? ''
  const { name = '', merchantName = '' } = (await home.one(transactionId)) ?? {}
  const mask = paths('name', 'merchant_name', 'notes', 'tags', 'spending_id')
  const same = { bankAccountId, transactionId, name, merchantName, ...mask }
  await transactions.updateTransaction(same, as)
  const before = await shown(home, transactionId)
  expect(before?.provenance.map(({ field, by }) => [field, by])).toEqual(
    ['name', 'merchantName', 'notes', 'tags', 'spendingId'].map((field) => [field, 'user']),
  )
  const { spendingId } = await envelopeOf(home, 9_000n)
  const texts = { name: 'Rule', merchantName: 'Rule', notes: 'Rule', tags: ['rule'] }
  await rulingOf(booted)(home).write({ actions: { ...texts, spendingId } })
  const { start, ended } = runningOf(booted)(home)
  const run = await ended((await start())?.ruleRunId)
  expect(run).toMatchObject({ changedCount: 0n, leftAloneCount: 1n })
  const posted = { merchantName: 'Other', displayName: 'Other', pendingProviderTransactionId: 'h' }
  await (createHome === feedHome
    ? home.lists(aRow({ ...posted, providerTransactionId: 'h' }))
    : home.brings(aRow(posted)))
  const kept = { name, merchantName, notes: undefined, tags: [], spendingId: undefined }
  expect(await shown(home, transactionId)).toMatchObject({ ...kept, isPending: false })
})

test("an edit without a mark, by the version before, is its user's", async () => {
  const home = await feedHome(booted)
  await rulingOf(booted)(home).write({ actions: { name: 'Lunch', notes: 'By rule' } })
  const [one] = await home.brings(aRow({ isPending: true }))
  const transactionId = one?.transactionId ?? ''
  await booted.database('ledger').pool.query(sql.unsafe`
    UPDATE transactions SET name = 'Mine', notes = NULL WHERE transaction_id = ${transactionId}`)
  const provenance = ['name', 'notes'].map((field) => ({ field, by: 'user' }))
  expect(await shown(home, transactionId)).toMatchObject({ provenance })
  await home.lists(aRow())
  const kept = { name: 'Mine', notes: undefined, isPending: false }
  expect(await home.one(transactionId)).toMatchObject(kept)
})
