import { timestampFromDate } from '@bufbuild/protobuf/wkt'
import { newId } from '@coffer/kit/id'
import { type Booted, boot } from '@coffer/kit/testing/boot'
import { afterAll, beforeAll, expect, test } from '@jest/globals'
import { ledger } from '../src/service.ts'
import { household } from './household.ts'

let booted: Booted

beforeAll(async () => {
  booted = await boot([ledger])
})

afterAll(async () => {
  await booted[Symbol.asyncDispose]()
})

/** A bank account with an envelope and two transactions, and a page as somebody knows it. */
async function openedPage(of: 'account' | 'envelope') {
  const home = await household(booted, { availableBalance: 1000n })
  const { as, bankAccountId, envelopes, transactions } = home
  const spendingId = newId('spnd')
  await envelopes.openEnvelope({ bankAccountId, spendingId, spendingType: 'expense' }, as)
  const date = timestampFromDate(new Date('2026-03-02T06:00:00Z'))
  const bill = { bankAccountId, amount: 70n, date, name: 'Bill', spendingId }
  const create = async (more: object = {}) =>
    (await transactions.createTransaction({ ...bill, ...more }, as)).transaction
  await create()
  const second = await create()
  const key = { bankAccountId, transactionId: second?.transactionId ?? '' }
  const page = { bankAccountId, limit: 25, offset: 0, ...(of === 'envelope' ? { spendingId } : {}) }
  let version: string | undefined
  return {
    ...home,
    ...{ key, spendingId, create },
    /** The page: what it shows if it changed since it was last read, otherwise null. */
    news: async () => {
      const known = version === undefined ? {} : { knownVersion: version }
      const reply = await transactions.listTransactions({ ...page, ...known }, as)
      if (reply.isUnchanged) {
        expect(reply).toMatchObject({ transactions: [] })
        return null
      }
      version = reply.version
      return reply.transactions.map(({ name, amount }) => [name, amount])
    },
  }
}

test.each(['account', 'envelope'] as const)(
  'a page of an %s is new whenever it shows something new',
  async (of) => {
    const { news, create, key, transactions, as } = await openedPage(of)
    const bill = ['Bill', 70n]
    expect(await news()).toEqual([bill, bill])
    expect(await news()).toBeNull()
    await create({ name: 'Rent', amount: 80n })
    expect(await news()).toEqual([['Rent', 80n], bill, bill])
    const update = { ...key, name: 'Gas', updateMask: { paths: ['name'] } }
    await transactions.updateTransaction(update, as)
    expect(await news()).toEqual([['Rent', 80n], ['Gas', 70n], bill])
    expect(await news()).toBeNull()
    await transactions.deleteTransaction({ ...key, soft: true }, as)
    expect(await news()).toEqual([['Rent', 80n], bill])
    expect(await news()).toBeNull()
  },
)

test('a page is new to whoever knows another, and missing once its envelope closed', async () => {
  const { news, spendingId, bankAccountId, envelopes, transactions, as } =
    await openedPage('envelope')
  await news()
  const elsewhere = { bankAccountId, spendingId, limit: 1, offset: 0, knownVersion: 'other' }
  expect((await transactions.listTransactions(elsewhere, as)).transactions).toHaveLength(1)
  await envelopes.closeEnvelope({ bankAccountId, spendingId }, as)
  await expect(news()).rejects.toThrow('spending: record does not exist')
})
