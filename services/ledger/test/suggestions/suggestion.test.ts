import { booting } from '@coffer/host/testing/booting'
import { SuggestionService } from '@coffer/proto/ledger/v1/suggestion'
import { describe, expect, test } from '@jest/globals'
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

const booted = auditing(booting([ledger]))

const pending = aRow({ providerTransactionId: 'a', isPending: true, amount: 5000n })
const posted = aRow({ providerTransactionId: 'b', date: '2026-03-04', amount: 8000n })

/** A pending row with edits and an envelope of 200.00, and a posted one without. */
async function pair(home: SyncedHome, changes: object = {}) {
  const envelope = await envelopeOf(home, 20_000n)
  const [before] = await home.brings(pending)
  const [after] = await home.brings({ ...posted, ...changes })
  const [one, other] = [before?.transactionId ?? '', after?.transactionId ?? '']
  const mine = { name: 'Dinner with Kim', spendingId: envelope.spendingId }
  await assign(home, one, mine)
  const client = booted.client('ledger', SuggestionService)
  const { bankAccountId, as } = home
  const key = { bankAccountId, transactionId: other }
  const request = { ...key, suggestion: { kind: 'pending', transactionId: one } }
  return {
    ...envelope,
    mine,
    one,
    other,
    suggested: async () => (await home.one(other))?.suggestions.map((found) => found.score),
    accept: () => client.acceptSuggestion(request, as),
    reject: () => client.rejectSuggestion(request, as),
    separate: () => client.separateTransaction({ ...key, transactionId: one }, as),
  }
}

describe('a posted transaction has the suggestion', () => {
  test.each<[string, object, number[]]>([
    ['of another amount', {}, [0.43]],
    ['of less', { amount: 3000n }, [0.43]],
    ['of more than twice as much', { amount: 10_100n }, []],
    ['of the other direction', { amount: -5000n }, []],
    ['of another text', { amount: 6000n, merchantName: 'x', name: 'y' }, []],
    ['of the same letters', { amount: 6000n, merchantName: 'x', name: 'DELI CHICAGO 3' }, [0.58]],
    ['of the same amount only', { amount: 5000n, merchantName: 'x', name: 'y' }, [0.36]],
    ['of 10 days later', { date: '2026-03-12' }, []],
    ['that names another one', { pendingProviderTransactionId: 'q' }, []],
  ])('%s', async (_case, changes, scores) => {
    const { suggested } = await pair(await syncedHome(booted), changes)
    expect(await suggested()).toEqual(scores)
  })

  test('of a removed one only if the user has worked on it', async () => {
    const home = await feedHome(booted)
    const { suggested, one } = await pair(home)
    await home.brings({ ...pending, providerTransactionId: 'c' })
    await home.loses('a', 'c')
    expect(await suggested()).toEqual([0.54])
    expect((await home.one(one))?.deletedAt).toBeDefined()
  })
})

type Of = Awaited<ReturnType<typeof pair>>

test.each<[string, (home: SyncedHome) => Promise<unknown>, (of: Of) => object[], bigint]>([
  ['listed', async () => undefined, ({ mine }) => [{ ...mine, spendingAmount: 5000n }], 15_000n],
  ['removed before', (home) => home.loses('a'), () => [], 20_000n],
])(
  'an accepted one that is %s keeps all, and is taken apart again',
  async (_case, step, left, held) => {
    for (const home of [await feedHome(booted), await syncedHome(booted)]) {
      const of = await pair(home)
      const { mine, one, other } = of
      await step(home)
      const { transaction, envelopes } = await of.accept()
      const shown = { ...mine, transactionId: one, amount: 8000n, spendingAmount: 8000n }
      expect(transaction).toMatchObject({ ...shown, isPending: false, joinedBy: 'user' })
      expect(envelopes).toMatchObject([{ currentAmount: 12_000n }])
      expect(await home.all()).toMatchObject([shown])
      await expect(of.accept()).rejects.toThrow('Invalid request')
      await home.brings(pending, posted)
      expect(await home.all()).toMatchObject([shown])
      const apart = await of.separate()
      expect(apart.transaction).toMatchObject({ transactionId: other, amount: 8000n, name: 'Deli' })
      expect(await home.all()).toMatchObject([{ transactionId: other }, ...left(of)])
      expect(await of.held()).toBe(held)
      expect(await of.suggested()).toEqual([])
      await expect(of.separate()).rejects.toThrow('Invalid request')
      await home.loses('a')
      expect(await home.all()).toMatchObject([{ transactionId: other }])
      expect(await of.held()).toBe(20_000n)
    }
  },
)

test('one that is removed after it was accepted stays removed when it is taken apart', async () => {
  const home = await syncedHome(booted)
  const of = await pair(home)
  await of.accept()
  await home.loses('a')
  const { pending: before } = await of.separate()
  expect(before).toMatchObject({ ...of.mine, amount: 5000n, isPending: true, spendingAmount: 0n })
  expect(before?.deletedAt).toBeDefined()
  expect(await of.held()).toBe(20_000n)
})

test('of one that is removed, the posted one gets what was changed since', async () => {
  const home = await syncedHome(booted)
  const of = await pair(home)
  await of.accept()
  await home.loses('a')
  const second = await envelopeOf(home, 9000n)
  const since = { name: 'Tip of Kim', notes: 'With Ana', spendingId: second.spendingId }
  await assign(home, of.one, since)
  const apart = await of.separate()
  expect(apart.transaction).toMatchObject({ ...since, amount: 8000n, spendingAmount: 8000n })
  expect(apart.pending).toMatchObject({ ...of.mine, amount: 5000n, spendingAmount: 0n })
  expect(apart.pending?.notes).toBeUndefined()
  expect([await of.held(), await second.held()]).toEqual([20_000n, 1000n])
})

test('edits of the posted one take precedence, and both have their own apart', async () => {
  const home = await feedHome(booted)
  const of = await pair(home)
  const second = await envelopeOf(home, 9000n)
  await assign(home, of.other, { name: 'Tip of Kim', spendingId: second.spendingId })
  await assign(home, of.one, { addTags: ['before'] })
  await assign(home, of.other, { addTags: ['after'] })
  const { transaction } = await of.accept()
  const shown = { name: 'Tip of Kim', spendingId: second.spendingId, tags: ['after'] }
  expect(transaction).toMatchObject(shown)
  expect([await of.held(), await second.held()]).toEqual([20_000n, 1000n])
  await of.separate()
  expect(await home.all()).toMatchObject([
    { ...shown, transactionId: of.other, amount: 8000n },
    { transactionId: of.one, ...of.mine, amount: 5000n, tags: ['before'] },
  ])
  expect([await of.held(), await second.held()]).toEqual([15_000n, 1000n])
})

test('a rejected one is neither suggested nor joined again', async () => {
  const home = await feedHome(booted)
  const of = await pair(home, { amount: 6000n })
  expect(await of.suggested()).toEqual([0.72])
  await of.reject()
  expect(await of.suggested()).toEqual([])
  await expect(of.accept()).rejects.toThrow('Invalid request')
  await home.loses('a')
  expect(await home.all()).toMatchObject([{ transactionId: of.other, name: 'Deli' }])
})

test('a tip is taken apart, and not joined again', async () => {
  const home = await feedHome(booted)
  const of = await pair(home, { amount: 6000n })
  // The pending one is not removed, but joined.
  expect(await home.loses('a')).toMatchObject({ removedCount: 0 })
  expect(await home.one(of.one)).toMatchObject({ amount: 6000n, joinedBy: 'rule' })
  await of.separate()
  await home.brings(pending)
  await home.loses('a')
  expect(await home.all()).toMatchObject([{ transactionId: of.other, amount: 6000n, name: 'Deli' }])
  expect(await of.held()).toBe(20_000n)
})

test('of acceptances and a removal at once one takes the money', async () => {
  const home = await syncedHome(booted)
  const of = await pair(home)
  const all = [of.accept(), of.accept(), home.loses('a'), of.accept()]
  const ends = (await Promise.allSettled(all)).map(({ status }) => status)
  expect(ends.filter((status) => status === 'rejected')).toHaveLength(2)
  expect(await home.all()).toMatchObject([{ ...of.mine, transactionId: of.one, amount: 8000n }])
  expect(await of.held()).toBe(12_000n)
})
