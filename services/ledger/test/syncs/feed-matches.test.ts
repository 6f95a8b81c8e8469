import { booting } from '@coffer/host/testing/booting'
import { describe, expect, test } from '@jest/globals'
import { ledger } from '../../src/service.ts'
import { auditing } from '../auditing.ts'
import { aRow, assign, envelopeOf, feedHome, type SyncedHome, syncedHome } from './syncing.ts'

const booted = auditing(booting([ledger]))

const pending = aRow({ providerTransactionId: 'a', isPending: true })
const posted = aRow({ providerTransactionId: 'b', date: '2026-03-04' })

/** Renames a transaction, and assigns it to an envelope of 50.00. */
async function edited(home: SyncedHome, transactionId: string | undefined) {
  const envelope = await envelopeOf(home, 5000n)
  await assign(home, transactionId, { name: 'Lunch with Kim', spendingId: envelope.spendingId })
  return envelope
}

const mine = { name: 'Lunch with Kim', spendingAmount: 1200n }

describe('a pending transaction after its posted one', () => {
  type Step = (home: SyncedHome) => Promise<unknown>
  const late: Step = (home) => home.brings(pending)
  const both: Step = (home) => home.brings(posted, pending)
  const drop: Step = (home) => home.loses('a')

  test.each<[string, Step[]]>([
    ['in the next call', [late]],
    ['in the next list', [both]],
    ['and again in each list, until it is removed', [both, late, both, drop]],
    ['and again after its removal', [late, drop, late]],
  ])('%s changes nothing that the user sees', async (_case, steps) => {
    const home = await feedHome(booted)
    const [one] = await home.brings(posted)
    const { spendingId, held } = await edited(home, one?.transactionId)
    const before = await home.all()
    for (const step of steps) await step(home)
    expect(await home.all()).toEqual(before)
    expect(before).toMatchObject([{ ...mine, spendingId, isPending: false }])
    expect(await held()).toBe(3800n)
  })

  test.each<[string, object, object]>([
    ['of 10 days before', { date: '2026-02-22' }, { reason: 'posted-first', isMatch: true }],
    ['of 11 days before', { date: '2026-02-21' }, { reason: 'new', isMatch: false }],
    ['of the next day', { date: '2026-03-05' }, { reason: 'new', isMatch: false }],
  ])('%s', async (_case, changes, expected) => {
    const home = await feedHome(booted)
    await home.brings(posted)
    const row = { ...pending, ...changes }
    expect(await home.brings(row)).toMatchObject([expected])
    const known = { ...expected, outcome: 'unchanged', isMatch: false }
    expect(await home.brings(row)).toMatchObject([known])
  })

  test('is new if the posted one was pending before', async () => {
    const home = await feedHome(booted)
    await home.brings(pending)
    expect(await home.brings(posted)).toMatchObject([{ reason: 'amount-date-name', isMatch: true }])
    const second = { ...pending, providerTransactionId: 'c' }
    expect(await home.brings(second)).toMatchObject([{ reason: 'new' }])
    expect(await home.all()).toHaveLength(2)
  })

  test('is new on an aggregator link, where providers name it', async () => {
    const home = await syncedHome(booted)
    await home.brings(posted)
    expect(await home.brings(pending)).toMatchObject([{ reason: 'new', outcome: 'created' }])
  })

  test('returns if the posted one is removed, and its posting leads again', async () => {
    const home = await feedHome(booted)
    const [one] = await home.brings(posted)
    const { spendingId } = await edited(home, one?.transactionId)
    const { transactionId } = one ?? {}
    await home.brings(pending)
    await home.loses('b')
    expect(await home.all()).toEqual([])
    await home.brings(pending)
    expect(await home.all()).toMatchObject([
      { ...mine, transactionId, spendingId, isPending: true },
    ])
    await home.brings(pending, posted)
    expect(await home.all()).toMatchObject([
      { ...mine, transactionId, spendingId, isPending: false },
    ])
  })
})

describe('two equal purchases', () => {
  test.each([
    ['its own ID', 'a'],
    ['another ID', 'c'],
  ])('are two once both are posted, the second under %s', async (_case, id) => {
    const home = await feedHome(booted)
    const [one] = await home.brings(posted)
    const { spendingId, held } = await edited(home, one?.transactionId)
    await home.brings(posted, pending)
    const second = { ...pending, providerTransactionId: id, date: '2026-03-03', isPending: false }
    const [, other] = await home.brings(posted, second)
    expect(other).toMatchObject({ outcome: 'created', isMatch: false })
    await home.loses(...(id === 'c' ? ['a'] : []))
    const again = await home.brings(posted, second)
    expect(again.map(({ outcome }) => outcome)).toEqual(['unchanged', 'unchanged'])
    expect(await home.all()).toMatchObject([
      { ...mine, spendingId, transactionId: one?.transactionId },
      { name: 'Deli', transactionId: other?.transactionId },
    ])
    expect(await held()).toBe(3800n)
  })

  test('keep the edits of the first when the second was taken for its posting', async () => {
    const home = await feedHome(booted)
    const [one] = await home.brings(pending)
    const { spendingId, held } = await edited(home, one?.transactionId)
    expect(await home.brings(posted, pending)).toMatchObject([
      { isMatch: true, transactionId: one?.transactionId },
      { outcome: 'unchanged' },
    ])
    const own = { ...pending, isPending: false, originalName: 'DELI 7', amount: 1100n }
    const [first] = await home.brings(own)
    expect(first).toMatchObject({ transactionId: one?.transactionId, outcome: 'updated' })
    const again = await home.brings(own, posted)
    expect(again.map(({ outcome }) => outcome)).toEqual(['unchanged', 'unchanged'])
    expect(await home.all()).toMatchObject([
      { name: 'Deli', amount: 1200n, originalName: posted.originalName, isPending: false },
      { name: mine.name, spendingAmount: 1100n, spendingId, originalName: 'DELI 7' },
    ])
    expect(await held()).toBe(3900n)
  })
})

test('of 500 pending transactions each finds its posted one', async () => {
  const home = await feedHome(booted)
  const amounts = Array.from({ length: 500 }, (_, index) => BigInt(1000 + index))
  await home.brings(...amounts.map((amount) => aRow({ amount, date: '2026-03-04' })))
  const late = amounts.map((amount) => aRow({ amount, date: '2026-03-01', isPending: true }))
  const found = await home.brings(...late)
  expect(found.every(({ isMatch, reason }) => isMatch && reason === 'posted-first')).toBe(true)
  const { bankAccountId, as, transactions } = home
  const page = { bankAccountId, limit: 1000, offset: 0 }
  const { transactions: all } = await transactions.listTransactions(page, as)
  expect(all).toHaveLength(500)
})
