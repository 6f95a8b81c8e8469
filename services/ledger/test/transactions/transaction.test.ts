import { timestampDate, timestampFromDate } from '@bufbuild/protobuf/wkt'
import { booting } from '@coffer/host/testing/booting'
import { createHousehold, type Household } from '@coffer/host/testing/household'
import { newId } from '@coffer/kit/values/id'
import { Code } from '@connectrpc/connect'
import { describe, expect, test } from '@jest/globals'
import { auditLedger } from '../../src/money/audit.sql.ts'
import { ledger } from '../../src/service.ts'
import { refusals } from '../outcomes.ts'

const booted = booting([ledger])

function day(text: string) {
  return timestampFromDate(new Date(text))
}

/** Creates a household with an expense that holds 3,000 minor units and a goal that holds 500. */
async function withEnvelopes() {
  const home = await createHousehold(booted, { availableBalance: 10_000n, currentBalance: 10_000n })
  const { as, bankAccountId, envelopes } = home
  const expense = newId('spnd')
  const goal = newId('spnd')
  const opened = { bankAccountId, spendingId: expense }
  await envelopes.openEnvelope({ ...opened, spendingType: 'expense' }, as)
  await envelopes.openEnvelope({ bankAccountId, spendingId: goal, spendingType: 'goal' }, as)
  await envelopes.transfer({ bankAccountId, toSpendingId: expense, amount: 3000n }, as)
  await envelopes.transfer({ bankAccountId, toSpendingId: goal, amount: 500n }, as)
  return { ...home, expense, goal }
}

async function spend({ transactions, bankAccountId, as }: Household, body: object = {}) {
  const date = day('2026-03-02T06:00:00Z')
  const bill = { bankAccountId, amount: 1200n, date, name: 'Lunch' }
  const reply = await transactions.createTransaction({ ...bill, ...body }, as)
  return { ...reply, transactionId: reply.transaction?.transactionId ?? '' }
}

describe('a transaction', () => {
  test('is stored as it is answered, on its day in the account’s timezone', async () => {
    const home = await createHousehold(booted)
    const { transactions, bankAccountId, as } = home
    const date = day('2026-03-02T23:30:00Z')
    const { transaction, transactionId } = await spend(home, { date, merchantName: 'Deli' })
    expect(transaction).toMatchObject({
      amount: 1200n,
      name: 'Lunch',
      originalName: 'Lunch',
      merchantName: 'Deli',
      originalMerchantName: '',
      source: 'manual',
      isPending: false,
      categories: [],
    })
    // 23:30 UTC is the afternoon of 2 March in Chicago (UTC−6).
    expect(transaction?.date && timestampDate(transaction.date)).toEqual(
      new Date('2026-03-02T06:00:00Z'),
    )
    const read = await transactions.getTransaction({ bankAccountId, transactionId }, as)
    expect(read.transaction).toEqual(transaction)
  })

  test('takes from its envelope, which emits an event', async () => {
    const home = await withEnvelopes()
    const { envelope, balance, transaction } = await spend(home, {
      spendingId: home.goal,
      adjustsBalance: true,
    })
    expect(transaction?.spendingAmount).toBe(500n)
    expect(envelope).toMatchObject({ spendingId: home.goal, currentAmount: 0n, usedAmount: 500n })
    expect(balance).toMatchObject({ available: 8800n, current: 8800n, goals: 0n, free: 5800n })
    const changes = await booted.changes('ledger', home.accountId)
    expect(changes.at(-1)).toBe('coffer.ledger.v1.EnvelopesChanged')
  })

  test('moves between envelopes, old before new, and its envelope follows its amount', async () => {
    const home = await withEnvelopes()
    const { transactions, bankAccountId, as, expense, goal } = home
    const { transactionId } = await spend(home, { spendingId: goal })
    const key = { bankAccountId, transactionId }
    const moved = await transactions.updateTransaction(
      { ...key, spendingId: expense, updateMask: { paths: ['spending_id'] } },
      as,
    )
    expect(moved.envelopes).toMatchObject([
      { spendingId: goal, currentAmount: 500n, usedAmount: 0n },
      { spendingId: expense, currentAmount: 1800n },
    ])
    const grown = await transactions.updateTransaction(
      { ...key, amount: 5000n, updateMask: { paths: ['amount'] } },
      as,
    )
    expect(grown.transaction).toMatchObject({ amount: 5000n, spendingAmount: 3000n })
    expect(grown.balance).toMatchObject({ available: 10_000n, expenses: 0n, goals: 500n })
    const freed = await transactions.updateTransaction(
      { ...key, updateMask: { paths: ['spending_id'] } },
      as,
    )
    expect(freed.transaction?.spendingId).toBeUndefined()
    expect(freed.transaction?.spendingAmount).toBeUndefined()
    expect(freed.envelopes).toMatchObject([{ spendingId: expense, currentAmount: 3000n }])
    expect(await auditLedger(booted.database('ledger'))).toEqual([])
  })

  test('once deleted stays readable, refuses changes, and returns its money once', async () => {
    const home = await withEnvelopes()
    const { transactions, bankAccountId, as, expense } = home
    const { transactionId } = await spend(home, { spendingId: expense, adjustsBalance: true })
    const key = { bankAccountId, transactionId }
    const remove = () =>
      transactions.deleteTransaction({ ...key, adjustsBalance: true, soft: true }, as)
    const first = await remove()
    expect(first.envelopes).toMatchObject([{ spendingId: expense, currentAmount: 3000n }])
    expect(first.balance).toMatchObject({ available: 10_000n, current: 10_000n })
    const second = await remove()
    expect(second).toMatchObject({ balance: first.balance, envelopes: [] })
    const read = await transactions.getTransaction(key, as)
    expect(read.transaction?.deletedAt).toBeDefined()
    const rename = { ...key, name: 'x', updateMask: { paths: ['name'] } }
    expect(await refusals(transactions.updateTransaction(rename, as))).toEqual(['NotFound'])
    await transactions.deleteTransaction({ ...key, soft: false }, as)
    expect(await refusals(transactions.getTransaction(key, as))).toEqual(['NotFound'])
  })

  test('is restored with its money, once for concurrent and repeated requests', async () => {
    const home = await withEnvelopes()
    const { transactions, bankAccountId, as, expense } = home
    const before = await home.balances()
    const { transactionId } = await spend(home, { spendingId: expense, adjustsBalance: true })
    const key = { bankAccountId, transactionId }
    await transactions.deleteTransaction({ ...key, adjustsBalance: true, soft: true }, as)
    expect(await home.balances()).toEqual(before)
    const restore = () => transactions.restoreTransaction(key, as)
    const answers = await Promise.all([restore(), restore(), restore()])
    for (const { transaction, balance } of [...answers, await restore()]) {
      expect(transaction).toMatchObject({ spendingId: expense, spendingAmount: 1200n })
      expect(transaction?.deletedAt).toBeUndefined()
      expect(balance).toMatchObject({ available: 8800n, current: 8800n, expenses: 1800n })
    }
    expect(answers.flatMap(({ envelopes }) => envelopes)).toMatchObject([{ currentAmount: 1800n }])

    await transactions.deleteTransaction({ ...key, soft: true }, as)
    const kept = await restore()
    expect(kept).toMatchObject({ envelopes: [], balance: { available: 8800n, expenses: 1800n } })
    expect(kept.transaction).toMatchObject({ spendingId: expense, spendingAmount: 1200n })

    await transactions.deleteTransaction({ ...key, adjustsBalance: true, soft: true }, as)
    await home.envelopes.closeEnvelope({ bankAccountId, spendingId: expense }, as)
    const freed = await restore()
    expect(freed).toMatchObject({ envelopes: [], balance: { available: 8800n, free: 8300n } })
    expect(freed.transaction?.spendingId).toBeUndefined()
    expect(await auditLedger(booted.database('ledger'))).toEqual([])
    await transactions.deleteTransaction({ ...key, soft: true }, as)
    const stranger = transactions.restoreTransaction(key, booted.as(newId('acct')))
    expect(await refusals(stranger)).toEqual(['NotFound'])
    await home.accounts.archiveBankAccount({ bankAccountId }, as)
    expect(await refusals(restore())).toEqual(['FailedPrecondition'])
  })

  test('is refused if a field is wrong', async () => {
    const home = await withEnvelopes()
    const { transactions, bankAccountId, as, expense, accountId } = home
    const other = await withEnvelopes()
    const stranger = { ...other, accountId, as: booted.as(newId('acct')) }
    const { transactionId } = await spend(home)
    const deposit = { amount: -5n, spendingId: expense }
    const key = { bankAccountId, transactionId }
    const assign = { spendingId: other.expense, updateMask: { paths: ['spending_id'] } }
    expect(
      await refusals(
        spend(home, { amount: 0n }),
        spend(home, deposit),
        spend(home, { spendingId: other.expense }),
        transactions.updateTransaction({ ...key, ...assign }, as),
        spend(home, { bankAccountId: newId('bac') }),
        spend(stranger),
        transactions.getTransaction({ ...key, bankAccountId: other.bankAccountId }, as),
        transactions.deleteTransaction(key, stranger.as),
      ),
    ).toEqual([...Array(4).fill('InvalidArgument'), ...Array(4).fill('NotFound')])
  })
})

describe('lists of transactions', () => {
  test('are paged by newest day, then newest ID, without deleted ones', async () => {
    const home = await createHousehold(booted)
    const { transactions, bankAccountId, as } = home
    const days = ['2026-03-02', '2026-03-05', '2026-03-02', '2026-03-01']
    const ids: string[] = []
    for (const text of days) {
      const { transactionId } = await spend(home, { date: day(`${text}T12:00:00Z`) })
      ids.push(transactionId)
    }
    const { transactionId: deleted } = await spend(home)
    await transactions.deleteTransaction({ bankAccountId, transactionId: deleted, soft: true }, as)
    const page = async (limit: number, offset: number) => {
      const reply = await transactions.listTransactions({ bankAccountId, limit, offset }, as)
      return reply.transactions.map((one) => ids.indexOf(one.transactionId))
    }
    expect(await page(25, 0)).toEqual([1, 2, 0, 3])
    expect(await page(2, 1)).toEqual([2, 0])
    expect(await page(25, 4)).toEqual([])
  })

  test('of an envelope have the transactions assigned to it', async () => {
    const home = await withEnvelopes()
    const { transactions, bankAccountId, as, expense, goal } = home
    const { transactionId } = await spend(home, { spendingId: expense })
    await spend(home)
    const of = (spendingId: string) =>
      transactions.listTransactions({ bankAccountId, spendingId, limit: 25, offset: 0 }, as)
    expect((await of(expense)).transactions).toMatchObject([{ transactionId }])
    expect((await of(goal)).transactions).toEqual([])
    await expect(of(newId('spnd'))).rejects.toMatchObject({ code: Code.NotFound })
  })
})
