import { setTimeout as sleep } from 'node:timers/promises'
import { timestampDate } from '@bufbuild/protobuf/wkt'
import { eventually, ofConsumers } from '@coffer/host/testing/boot'
import { booting } from '@coffer/host/testing/booting'
import { newId } from '@coffer/kit/values/id'
import { describe, expect, test } from '@jest/globals'
import { sql } from 'slonik'
import { z } from 'zod'
import { ledger } from '../../src/service.ts'
import { auditing } from '../auditing.ts'
import { aRow, assign, envelopeOf, syncedHome } from './syncing.ts'

const quietMs = 1000

const booted = auditing(booting([ledger]))

describe('a batch', () => {
  test('becomes transactions with separate fields of provider and user', async () => {
    const home = await syncedHome(booted)
    const raw = '{"transaction_id":"a","amount":12}'
    const [first, second] = await home.brings(
      aRow({ date: '2026-03-05', raw, authorizedDate: '2026-03-04' }),
      aRow({ date: '2026-03-01', amount: 700n, merchantName: '', isPending: true }),
    )
    expect(first).toMatchObject({ outcome: 'created', reason: 'new' })
    const posted = await home.one(first?.transactionId)
    expect(posted).toMatchObject({
      amount: 1200n,
      name: 'Deli',
      originalName: 'DELI 0042 CHICAGO IL',
      merchantName: 'Deli',
      originalMerchantName: 'Deli',
      categories: ['Food', 'Restaurants'],
      category: 'FOOD_AND_DRINK_RESTAURANT',
      source: 'aggregator',
      aggregatorTransaction: { name: 'DELI 0042 CHICAGO', amount: 1200n, currency: 'USD' },
    })
    expect(posted?.date && timestampDate(posted.date)).toEqual(new Date('2026-03-05T06:00:00Z'))
    expect(posted?.pendingAggregatorTransaction).toBeUndefined()
    const pending = await home.one(second?.transactionId)
    expect(pending).toMatchObject({
      isPending: true,
      pendingAggregatorTransaction: { name: expect.any(String) },
    })
    expect(pending?.aggregatorTransaction).toBeUndefined()
    const listed = await home.all()
    expect(listed.map((one) => one.transactionId)).toEqual(
      [first, second].map((one) => one?.transactionId),
    )
    // The transaction IDs are in the order of the days, not in the order of the batch.
    expect((first?.transactionId ?? '') > (second?.transactionId ?? '')).toBe(true)
    expect(listed.every((one) => one.aggregatorTransaction === undefined)).toBe(true)
  })

  test('changes no balance', async () => {
    const home = await syncedHome(booted)
    const { bankAccounts, bankAccountId, as } = home
    const before = await bankAccounts.getBalances({ bankAccountId }, as)
    await home.brings(aRow(), aRow({ amount: -500n }))
    const after = await bankAccounts.getBalances({ bankAccountId }, as)
    expect(after.balances).toEqual(before.balances)
    // The list of transactions has changed, so its tag has to change.
    expect(after.version).toBeGreaterThan(before.version)
  })

  test('that is repeated changes nothing, not even the outbox', async () => {
    const home = await syncedHome(booted)
    const batch = [aRow(), aRow({ isPending: true, raw: '{}' }), aRow({ amount: -7n })]
    const first = await home.brings(...batch)
    const changes = await booted.changes('ledger', home.accountId)
    const again = await home.brings(...batch)
    expect(again.map((one) => one.outcome)).toEqual(['unchanged', 'unchanged', 'unchanged'])
    expect(again.map((one) => one.transactionId)).toEqual(first.map((one) => one.transactionId))
    expect(await booted.changes('ledger', home.accountId)).toEqual(changes)
  })

  test('that is repeated concurrently is stored once', async () => {
    const home = await syncedHome(booted)
    const batch = Array.from({ length: 50 }, () => aRow())
    const runs = await Promise.all([1, 2, 3, 4].map(() => home.brings(...batch)))
    const outcomes = runs.map((run) => new Set(run.map((one) => one.outcome)))
    expect(outcomes.filter((one) => one.has('created'))).toHaveLength(1)
    expect(await home.all()).toHaveLength(50)
  })

  test('may be empty, or contain one transaction twice: then the later counts', async () => {
    const home = await syncedHome(booted)
    expect(await home.brings()).toEqual([])
    const row = aRow()
    const [one, ...others] = await home.brings(row, { ...row, amount: 1300n })
    expect(others).toEqual([])
    expect(await home.one(one?.transactionId)).toMatchObject({ amount: 1300n })
  })

  test('skips rows in another currency, or with an invalid amount or day', async () => {
    const home = await syncedHome(booted)
    const outcomes = await home.brings(
      aRow({ currency: 'EUR' }),
      aRow({ currency: '' }),
      aRow({ amount: 2n ** 53n }),
      aRow({ date: '2026-02-30' }),
      aRow({ date: '' }),
      aRow({ amount: 2n ** 53n - 1n }),
      aRow({ amount: 0n }),
    )
    expect(outcomes.map((one) => one.reason)).toEqual([
      'currency',
      'currency',
      'amount',
      'date',
      'date',
      'new',
      'new',
    ])
    expect(await home.all()).toHaveLength(2)
  })

  test('is counted by what it did', async () => {
    const home = await syncedHome(booted)
    const { sync, by, bankAccountId, account } = home
    const { providerAccountId } = account
    const [same, changed, pending] = [aRow(), aRow(), aRow({ isPending: true })]
    await home.brings(same, changed, pending)
    const posted = aRow({ pendingProviderTransactionId: pending.providerTransactionId })
    const transactions = [
      same,
      { ...changed, amount: 900n },
      posted,
      aRow({ currency: 'EUR' }),
      aRow({ date: 'soon' }),
      aRow({ amount: 5n }),
      ...Array.from({ length: 3 }, () => aRow({ providerTransactionId: 'twice', amount: 6n })),
    ]
    const request = { bankAccountId, providerAccountId, transactions }
    const { counts } = await sync.importTransactions(request, by)
    expect(counts).toMatchObject({ added: 2, changed: 1, matched: 1, skipped: 2 })
    const again = await sync.importTransactions(request, by)
    expect(again.counts).toMatchObject({ added: 0, changed: 0, matched: 0, skipped: 2 })
  })

  test('of 500 takes one transaction and as many statements as a batch of one', async () => {
    const home = await syncedHome(booted)
    const { spendingId } = await envelopeOf(home, 9000n)
    const batch = Array.from({ length: 500 }, () => aRow({ raw: '{"a":1}' }))
    const created = await home.brings(...batch)
    await assign(home, created[7]?.transactionId, { spendingId })
    const { rounds } = await counted(() => home.brings(aRow()))
    const more = await counted(() =>
      home.brings(...batch.map((one) => ({ ...one, amount: 1300n, date: '2026-03-03' }))),
    )
    expect(more.rounds).toBeLessThanOrEqual(rounds)
    expect(more.result.every((one) => one.outcome === 'updated')).toBe(true)
    expect(await home.one(created[7]?.transactionId)).toMatchObject({ spendingAmount: 1300n })
  })
})

/**
 * Waits until no statement runs, makes a call, and counts the SQL statements that this call runs.
 */
async function counted<Result>(call: () => Promise<Result>) {
  await untilQuiet()
  const before = booted.database('ledger').statements(ofConsumers)
  const result = await call()
  return { result, rounds: booted.database('ledger').statements(ofConsumers) - before }
}

test('texts of any length and kind are stored, with names cut to their bound', async () => {
  const home = await syncedHome(booted)
  const long = 'é'.repeat(5000)
  const [one] = await home.brings(
    aRow({ displayName: long, originalName: long, merchantName: long, name: long }),
    aRow({ displayName: '', originalName: '', name: '', merchantName: 'a\0b\nc' }),
    aRow({ displayName: '\u202eevil\ud800', providerTransactionId: newId('x'.repeat(100)) }),
  )
  const stored = await home.one(one?.transactionId)
  expect(stored?.name).toHaveLength(300)
  expect(stored?.merchantName).toHaveLength(300)
  expect(await home.all()).toHaveLength(3)
})

test('a batch with its connection lost at any moment is stored once in the end', async () => {
  const home = await syncedHome(booted)
  const { spendingId, held } = await envelopeOf(home, 9000n)
  const held0 = aRow({ isPending: true })
  const [one] = await home.brings(held0)
  await assign(home, one?.transactionId, { spendingId })
  const pendingProviderTransactionId = held0.providerTransactionId
  const batch = [
    ...Array.from({ length: 60 }, () => aRow({ amount: -1n })),
    aRow({ pendingProviderTransactionId, amount: 1300n }),
  ]
  let cuts = 0
  for (let round = 0; round < 12; round++) {
    const rows = batch.slice(0, (round + 1) * 5)
    const write = home.brings(...rows).catch(() => null)
    cuts += await cutDuring(write, round)
    await write
  }
  // A fast machine may write between two looks. This write waits until its statement is found.
  const { accountId, bankAccountId } = home
  let last: Promise<unknown> | null = null
  await booted.database('ledger').transaction(async (tx) => {
    const locking = await tx.oneFirst(sql.type(z.object({ pid: z.number() }))`
      SELECT pg_backend_pid() AS pid FROM bank_accounts
      WHERE account_id = ${accountId} AND bank_account_id = ${bankAccountId} FOR UPDATE`)
    last = home.brings(...batch).catch(() => null)
    cuts += await cutDuring(last, 0, locking)
  })
  // Only now: it is repeated after the cut, and waits for the lock again.
  await last
  expect(cuts).toBeGreaterThan(0)
  await eventually(
    () => home.brings(...batch).catch(() => []),
    (outcomes) => outcomes.length === batch.length,
  )
  expect(await home.all()).toHaveLength(batch.length)
  expect(await home.one(one?.transactionId)).toMatchObject({ amount: 1300n, spendingId })
  expect(await held()).toBe(7700n)
})

/**
 * Terminates the Postgres backends that execute statements in this database, except the spared one,
 * `afterMs` after a write has started. Looks again until it has found one or the write has ended: a
 * busy machine starts the first statement later. Returns the count of backends.
 */
async function cutDuring(write: Promise<unknown>, afterMs: number, spared = 0): Promise<number> {
  let ended = false
  void write.finally(() => {
    ended = true
  })
  await sleep(afterMs)
  let cuts = 0
  while (cuts === 0 && !ended) {
    const { rowCount } = await booted.database('ledger').pool.query(sql.unsafe`
      SELECT pg_terminate_backend(pid) FROM pg_stat_activity
      WHERE datname = current_database() AND pid <> pg_backend_pid() AND state <> 'idle'
        AND pid <> ${spared}`)
    cuts += rowCount
  }
  return cuts
}

async function untilQuiet(): Promise<void> {
  const { statements } = booted.database('ledger')
  let seen = -1
  while (seen !== statements()) {
    seen = statements()
    await sleep(quietMs)
  }
}
