import { booting } from '@coffer/host/testing/booting'
import { describe, expect, test } from '@jest/globals'
import { ledger } from '../../src/service.ts'
import { auditing } from '../auditing.ts'
import { aRow, assign, envelopeOf, feedHome, syncedHome } from './syncing.ts'

const booted = auditing(booting([ledger]))

const old = aRow({ providerTransactionId: 'old' })
const renewed = { ...old, providerTransactionId: 'new' }

/** A feed's bank account with the transaction `old`, which its user renamed and assigned. */
async function editedHome() {
  const home = await feedHome(booted)
  const [one] = await home.lists(old)
  const { transactionId } = one ?? {}
  const { spendingId, held } = await envelopeOf(home, 5000n)
  await assign(home, transactionId, { name: 'Lunch with Kim', spendingId })
  const mine = { transactionId, name: 'Lunch with Kim', spendingId, spendingAmount: 1200n }
  return { ...home, held, mine }
}

describe('a posted transaction that the whole day lists under another ID', () => {
  test('keeps its ID and edits, and again under its former ID', async () => {
    const { lists, loses, all, held, mine } = await editedHome()
    const match = { transactionId: mine.transactionId, reason: 're-consent', isMatch: true }
    expect(await lists(renewed)).toMatchObject([match])
    expect(await lists(renewed)).toMatchObject([{ outcome: 'unchanged', isMatch: false }])
    await loses('old')
    expect(await all()).toMatchObject([mine])
    expect(await lists(old)).toMatchObject([{ outcome: 'updated', isMatch: false }])
    expect(await lists(old)).toMatchObject([{ outcome: 'unchanged' }])
    await loses('new')
    expect(await all()).toMatchObject([mine])
    expect(await held()).toBe(3800n)
  })

  test('is separated if the former ID is only of another day', async () => {
    const { lists, all, mine } = await editedHome()
    await lists(renewed)
    const moved = { ...old, date: '2026-03-06' }
    expect(await lists(moved)).toMatchObject([{ transactionId: mine.transactionId }])
    const again = await lists(renewed, moved)
    expect(again.map(({ outcome }) => outcome)).toEqual(['unchanged', 'unchanged'])
    expect(await all()).toMatchObject([mine, { name: 'Deli' }])
  })

  test.each<[string, object]>([
    ['of another day', { date: '2026-03-03' }],
    ['of another amount', { amount: 1300n }],
    ['with another text', { name: 'Garage', merchantName: '' }],
    ['that is pending', { isPending: true, date: '2026-03-03' }],
  ])('is new if it is one %s', async (_case, changes) => {
    const { lists } = await editedHome()
    expect(await lists({ ...renewed, ...changes })).toMatchObject([{ reason: 'new' }])
  })

  test('is new without whole days, beside its former ID, and on an aggregator link', async () => {
    expect(await (await editedHome()).brings(renewed)).toMatchObject([{ reason: 'new' }])
    const { lists } = await editedHome()
    expect(await lists(old, renewed)).toMatchObject([{ outcome: 'unchanged' }, { reason: 'new' }])
    const home = await syncedHome(booted)
    await home.lists(old)
    expect(await home.lists(renewed)).toMatchObject([{ reason: 'new' }])
  })

  test('is the one with the same texts before one with the same letters', async () => {
    const home = await feedHome(booted)
    const texts = ['DELI 1', 'DELI 2', 'DELI 3']
    const listed = (prefix: string) =>
      texts.map((name, at) => aRow({ providerTransactionId: `${prefix}${at}`, name }))
    const before = await home.lists(...listed('old'))
    const after = await home.lists(...listed('new').reverse())
    expect(after.map(({ transactionId }) => transactionId).reverse()).toEqual(
      before.map(({ transactionId }) => transactionId),
    )
  })
})

test('a pending transaction with another ID keeps its edits too', async () => {
  const { lists, all, mine, loses } = await editedHome()
  const pending = { ...old, date: '2026-03-09', isPending: true, amount: 700n }
  const [one] = await lists({ ...pending, providerTransactionId: 'p' })
  expect(await lists({ ...pending, providerTransactionId: 'q' })).toMatchObject([
    { transactionId: one?.transactionId, isMatch: true },
  ])
  expect(await lists({ ...pending, providerTransactionId: 'p' })).toMatchObject([
    { transactionId: one?.transactionId, outcome: 'updated' },
  ])
  await loses('q')
  expect(await all()).toMatchObject([{ isPending: true }, mine])
})

test('IDs that an import would replace are counted without storing them', async () => {
  const { sync, by, as, bankAccountId, account, all, lists, mine } = await editedHome()
  const { providerAccountId } = account
  const transactions = [renewed, aRow({ amount: 1n })]
  const request = { bankAccountId, providerAccountId, transactions, wholeDays: [renewed.date] }
  expect(await sync.countReplaced({ batch: request }, by)).toMatchObject({ replaced: 1 })
  expect(await sync.countReplaced({ batch: request }, by)).toMatchObject({ replaced: 1 })
  expect(await sync.countReplaced({ batch: { ...request, wholeDays: [] } }, by)).toMatchObject({
    replaced: 0,
  })
  expect(await all()).toMatchObject([mine])
  await lists(renewed)
  const former = { ...request, transactions: [old] }
  expect(await sync.countReplaced({ batch: former }, by)).toMatchObject({ replaced: 1 })
  await expect(sync.countReplaced({ batch: request }, as)).rejects.toThrow('permission_denied')
  const many = Array<string>(501).fill(renewed.date)
  await expect(sync.importTransactions({ ...request, wholeDays: many }, by)).rejects.toThrow(
    'invalid',
  )
})

test('500 transactions with new IDs take as many statements as one', async () => {
  const database = booted.database('ledger')
  const home = await feedHome(booted)
  const listed = (prefix: string, count: number) =>
    Array.from({ length: count }, (_, at) => {
      const date = `2026-03-${String(1 + (at % 20)).padStart(2, '0')}`
      return aRow({ providerTransactionId: `${prefix}${at}`, date, amount: BigInt(1 + at) })
    })
  const before = await home.lists(...listed('old', 500))
  const ids = new Map(before.map((one) => [one.providerTransactionId.slice(3), one.transactionId]))
  await home.lists(...listed('one', 1))
  const texts = new Set(database.texts())
  const after = await home.lists(...listed('new', 500))
  for (const { providerTransactionId: id, transactionId } of after) {
    expect(transactionId).toBe(ids.get(id.slice(3)))
  }
  expect(database.texts().filter((text) => !texts.has(text))).toEqual([])
})
