import { timestampDate } from '@bufbuild/protobuf/wkt'
import { booting } from '@coffer/host/testing/booting'
import { newId } from '@coffer/kit/values/id'
import { describe, expect, test } from '@jest/globals'
import { sql } from 'slonik'
import { z } from 'zod'
import { ledger } from '../../src/service.ts'
import { auditing } from '../auditing.ts'
import { anAccount, aRow, assign, envelopeOf, type SyncedHome, syncedHome } from './syncing.ts'

const booted = auditing(booting([ledger]))

const pending = aRow({ providerTransactionId: 'a', isPending: true })
const posted = aRow({
  providerTransactionId: 'b',
  pendingProviderTransactionId: 'a',
  date: '2026-03-04',
  originalName: 'DELI CHICAGO 555',
})

/**
 * Creates an account with a pending transaction of 12.00, which its user has renamed and assigned
 * to an envelope of 50.00.
 */
async function withPending() {
  const home = await syncedHome(booted)
  const envelope = await envelopeOf(home, 5000n)
  const [one] = await home.brings(pending)
  const transactionId = one?.transactionId ?? ''
  await assign(home, transactionId, { name: 'Lunch with Kim', spendingId: envelope.spendingId })
  return { home, transactionId, ...envelope }
}

/** Expects that the pending transaction is posted once, and has kept its name and envelope. */
async function expectPosted(home: SyncedHome, transactionId: string, spendingId: string) {
  const all = await home.all()
  expect(all).toHaveLength(1)
  expect(all[0]).toMatchObject({
    transactionId,
    spendingId,
    name: 'Lunch with Kim',
    spendingAmount: 1200n,
    isPending: false,
    originalName: 'DELI CHICAGO 555',
  })
  const date = all[0]?.date
  expect(date && timestampDate(date)).toEqual(new Date('2026-03-04T06:00:00Z'))
  expect(await home.one(transactionId)).toMatchObject({
    aggregatorTransaction: { isPending: false },
    pendingAggregatorTransaction: { isPending: true },
  })
}

async function reasonsOf({ accountId }: SyncedHome) {
  const Row = z.object({ id: z.string(), reason: z.string() })
  const rows = await booted.database('ledger').pool.any(sql.type(Row)`
    SELECT provider_transaction_id AS id, match_reason AS reason FROM provider_transactions
    WHERE account_id = ${accountId}`)
  return Object.fromEntries(rows.map(({ id, reason }) => [id, reason]))
}

describe('a pending transaction that is posted keeps its name and envelope', () => {
  type Step = (home: SyncedHome) => Promise<unknown>
  const bring: Step = (home) => home.brings(posted)
  const drop: Step = (home) => home.loses('a')
  const both: Step = (home) => home.brings(pending, posted)

  test.each<[string, Step[]]>([
    ['in one run', [bring, drop]],
    ['with the removal first', [drop, bring]],
    ['with the removal twice', [drop, drop, bring, drop]],
    ['in one batch with its pending one', [both, drop]],
    ['when every step is repeated', [bring, bring, drop, drop, bring]],
    ['when an older page is repeated', [bring, drop, (home) => home.brings(pending)]],
  ])('%s', async (_case, steps) => {
    const { home, transactionId, spendingId, held } = await withPending()
    for (const step of steps) await step(home)
    await expectPosted(home, transactionId, spendingId)
    expect(await held()).toBe(3800n)
    expect(await reasonsOf(home)).toEqual({ a: 'new', b: 'pending-id' })
  })

  test('in the same run as its removal', async () => {
    const { home, transactionId, spendingId, held } = await withPending()
    await Promise.all([home.brings(posted), home.loses('a'), home.brings(posted)])
    await expectPosted(home, transactionId, spendingId)
    expect(await held()).toBe(3800n)
  })

  test('without its ID: by amount, day and text', async () => {
    const { home, transactionId, spendingId } = await withPending()
    await home.loses('a')
    const { pendingProviderTransactionId, ...unnamed } = posted
    const [one] = await home.brings(unnamed)
    expect(one).toMatchObject({ transactionId, reason: 'amount-date-name', outcome: 'updated' })
    await expectPosted(home, transactionId, spendingId)
    expect(await reasonsOf(home)).toEqual({ a: 'new', b: 'amount-date-name' })
  })

  test.each([
    ['a day too late', { date: '2026-03-13' }],
    ['a day too early', { date: '2026-02-28' }],
    ['an unknown pending ID', { pendingProviderTransactionId: 'x' }],
  ])('but not one with %s', async (_case, other) => {
    const { home } = await withPending()
    const { pendingProviderTransactionId, ...unnamed } = posted
    const [one] = await home.brings({ ...unnamed, ...other })
    expect(one).toMatchObject({ outcome: 'created', reason: 'new' })
  })
})

test('a posted transaction is not changed by a late pending one', async () => {
  const home = await syncedHome(booted)
  const [one] = await home.brings(posted)
  const [late] = await home.brings(pending)
  expect(late).toMatchObject({ transactionId: one?.transactionId, reason: 'posted-first' })
  expect(await home.all()).toMatchObject([{ isPending: false }])
})

test('a refund stays one when its deposit is posted, changed, removed and sent again', async () => {
  const { home, spendingId, held } = await withPending()
  const deposit = aRow({ providerTransactionId: 'd', isPending: true, amount: -1000n })
  const [one] = await home.brings(deposit)
  await assign(home, one?.transactionId, { refundSpendingId: spendingId })
  const amounts = [await held()]
  for (const change of [
    () => home.brings({ ...deposit, isPending: false, name: 'DELI BACK' }),
    () => home.brings({ ...deposit, isPending: false, amount: -2000n }),
    () => home.loses('d'),
    () => home.brings({ ...deposit, amount: -900n }),
  ]) {
    await change()
    amounts.push(await held())
  }
  // The envelope has given 12.00 of its 50.00.
  expect(amounts).toEqual([4800n, 4800n, 5000n, 3800n, 4700n])
  expect(await home.one(one?.transactionId)).toMatchObject({
    refundSpendingId: spendingId,
    refundAmount: 900n,
  })
})

test('a posted row finds the pending one that it names on any day', async () => {
  const home = await syncedHome(booted)
  const [one] = await home.brings({ ...pending, date: '2026-01-02' })
  await home.brings(posted)
  expect(await home.all()).toMatchObject([{ transactionId: one?.transactionId, isPending: false }])
  expect(await reasonsOf(home)).toMatchObject({ b: 'pending-id' })
})

describe('a removal', () => {
  test('returns the money to the envelope', async () => {
    const { home, transactionId, held } = await withPending()
    expect(await home.loses('a', 'unheard-of')).toMatchObject({ removedCount: 1, unknownCount: 1 })
    expect(await held()).toBe(5000n)
    expect(await home.all()).toEqual([])
    expect(await home.one(transactionId)).toMatchObject({ deletedAt: {}, spendingAmount: 0n })
    expect(await home.loses('a')).toMatchObject({ removedCount: 0, unknownCount: 0 })
    expect(await held()).toBe(5000n)
  })

  test('is reversed when the provider sends it again', async () => {
    const { home, transactionId, held, spendingId } = await withPending()
    await home.loses('a')
    await home.brings({ ...pending, amount: 1500n })
    expect(await home.all()).toMatchObject([{ transactionId, spendingId, spendingAmount: 1500n }])
    expect(await held()).toBe(3500n)
  })

  test('clears an envelope that was closed in between', async () => {
    const { home, transactionId, spendingId } = await withPending()
    const { bankAccountId, as } = home
    await home.loses('a')
    await home.envelopes.closeEnvelope({ bankAccountId, spendingId }, as)
    await home.brings(posted)
    const [one] = await home.all()
    expect(one).toMatchObject({ transactionId, isPending: false })
    expect(one?.spendingId).toBeUndefined()
  })
})

describe('a modification', () => {
  test('updates the provider’s fields and none of the user’s', async () => {
    const { home, transactionId, held, spendingId } = await withPending()
    await home.brings(posted)
    await assign(home, transactionId, { merchantName: 'Kim’s Deli' })
    const changed = { amount: 2000n, date: '2026-03-05', category: 'TRAVEL', categories: ['Trip'] }
    const texts = { displayName: 'New', originalName: 'NEW DELI', merchantName: 'New Deli' }
    await home.brings({ ...posted, ...changed, ...texts })
    expect(await home.one(transactionId)).toMatchObject({
      name: 'Lunch with Kim',
      merchantName: 'Kim’s Deli',
      spendingId,
      amount: 2000n,
      spendingAmount: 2000n,
      originalName: 'NEW DELI',
      originalMerchantName: 'New Deli',
      category: 'TRAVEL',
      categories: ['Trip'],
    })
    expect(await held()).toBe(3000n)
  })

  test('updates the merchant unless the user changed it', async () => {
    const { home, transactionId } = await withPending()
    await home.brings({ ...posted, merchantName: 'New Deli' })
    expect(await home.one(transactionId)).toMatchObject({ merchantName: 'New Deli' })
    await assign(home, transactionId, { merchantName: '' })
    await home.brings({ ...posted, merchantName: 'Newer Deli' })
    expect((await home.one(transactionId))?.merchantName).toBeUndefined()
  })

  test('spends no more than the envelope holds, and nothing for a deposit', async () => {
    const { home, transactionId, held } = await withPending()
    await home.brings({ ...pending, amount: 9000n })
    expect(await home.one(transactionId)).toMatchObject({ spendingAmount: 5000n })
    expect(await held()).toBe(0n)
    await home.brings({ ...pending, amount: -100n })
    const deposit = await home.one(transactionId)
    expect(deposit).toMatchObject({ amount: -100n, name: 'Lunch with Kim' })
    expect([deposit?.spendingId, deposit?.spendingAmount]).toEqual([undefined, undefined])
    expect(await held()).toBe(5000n)
  })

  test('of a goal updates its used amount', async () => {
    const home = await syncedHome(booted)
    const { spendingId } = await envelopeOf(home, 5000n, 'goal')
    const [one] = await home.brings(pending)
    await assign(home, one?.transactionId, { spendingId })
    await home.brings({ ...pending, amount: 700n })
    const { bankAccountId, as } = home
    const { envelopes } = await home.envelopes.listEnvelopes({ bankAccountId }, as)
    expect(envelopes).toMatchObject([{ currentAmount: 4300n, usedAmount: 700n }])
    const changes = await booted.changes('ledger', home.accountId)
    expect(changes.at(-1)).toBe('coffer.ledger.v1.EnvelopesChanged')
  })
})

describe('after a renewed consent', () => {
  test('all transactions match their new IDs, equal ones too', async () => {
    const home = await syncedHome(booted)
    const twice = [aRow({ amount: 350n }), aRow({ amount: 350n })]
    const first = await home.brings(...twice, pending, aRow({ amount: -90_000n }))
    const { spendingId, held } = await envelopeOf(home, 5000n)
    await assign(home, first[2]?.transactionId, { name: 'Kim', spendingId })
    const again = { ...home.account, ...anAccount() }
    const { sync, linkId, by, bankAccountId } = home
    const renewed = { linkId, accounts: [again], isComplete: true }
    const { accounts } = await sync.upsertBankAccounts(renewed, by)
    expect(accounts).toMatchObject([{ bankAccountId, isNew: false }])
    const { providerAccountId } = again
    const transactions = [
      ...twice.map((one) => ({ ...one, providerTransactionId: newId('q') })),
      aRow({ amount: 350n }),
      aRow({ providerTransactionId: 'aa', isPending: true }),
      aRow({ amount: -90_000n }),
    ]
    const request = { bankAccountId, providerAccountId, transactions }
    const reply = await sync.importTransactions(request, by)
    expect(reply.transactions.map((one) => one.reason)).toEqual([
      're-consent',
      're-consent',
      'new',
      're-consent',
      're-consent',
    ])
    expect(await home.all()).toHaveLength(5)
    const late = { ...posted, providerTransactionId: 'bb', pendingProviderTransactionId: 'aa' }
    await sync.importTransactions({ ...request, transactions: [late] }, by)
    await sync.removeTransactions({ bankAccountId, providerTransactionIds: ['aa', 'a'] }, by)
    const one = await home.one(first[2]?.transactionId)
    expect(one).toMatchObject({ name: 'Kim', spendingId, isPending: false })
    expect(one?.deletedAt).toBeUndefined()
    expect(await held()).toBe(3800n)
  })

  test('a transaction that was posted since matches, although its pending ID is new', async () => {
    const { home, transactionId, spendingId } = await withPending()
    const { sync, by, bankAccountId } = home
    const since = { ...posted, pendingProviderTransactionId: 'never seen' }
    const request = { bankAccountId, providerAccountId: 'renewed', transactions: [since] }
    const reply = await sync.importTransactions(request, by)
    expect(reply.transactions).toMatchObject([{ transactionId, reason: 'amount-date-name' }])
    await expectPosted(home, transactionId, spendingId)
  })
})
