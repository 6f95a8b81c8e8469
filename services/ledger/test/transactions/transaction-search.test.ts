import { timestampDate, timestampFromDate } from '@bufbuild/protobuf/wkt'
import { ofConsumers } from '@coffer/host/testing/boot'
import { booting } from '@coffer/host/testing/booting'
import { createHousehold, type Household } from '@coffer/host/testing/household'
import { statementsMax } from '@coffer/kit/testing/statements-max'
import { newId } from '@coffer/kit/values/id'
import { describe, expect, test } from '@jest/globals'
import { sql } from 'slonik'
import { z } from 'zod'
import { ledger } from '../../src/service.ts'
import {
  searchCosts,
  searchTransactions,
} from '../../src/transactions/transaction-search.service.ts'
import { findByText } from '../../src/transactions/transaction-search.sql.ts'
import type { TransactionCursor } from '../../src/transactions/transaction-search.ts'
import { refusals } from '../outcomes.ts'
import {
  type Filter,
  list,
  namesOf,
  nextOf,
  searchFor,
  withTransactions,
} from './searched-household.ts'

const booted = booting([ledger])

test('a payment that its user leaves in no envelope waits for no choice', async () => {
  const home = await withTransactions(booted)
  const { as, bankAccountId, transactions } = home
  const undecided = { free: true, undecided: true }
  expect(await namesOf(home, undecided)).toEqual(['100% Juice', 'Tram'])
  const [juice] = (await list(home, { free: true })).transactions
  const left = { bankAccountId, transactionId: juice?.transactionId ?? '' }
  await transactions.updateTransaction({ ...left, updateMask: { paths: ['notes'] } }, as)
  expect(await namesOf(home, undecided)).toEqual(['100% Juice', 'Tram'])
  await transactions.updateTransaction({ ...left, updateMask: { paths: ['spending_id'] } }, as)
  expect(await namesOf(home, undecided)).toEqual(['Tram'])
  const { transactions: free } = await list(home, { free: true })
  expect(free.map((one) => [one.name, one.staysFree])).toEqual([
    ['100% Juice', true],
    ['Tram', undefined],
  ])
})

describe('a filtered list', () => {
  test('has the transactions that match every filter, newest first', async () => {
    const home = await withTransactions(booted)
    const { spendingId } = home
    const table: [Filter, string[]][] = [
      [{ search: 'café' }, ['Tram', 'Café Central']],
      [{ search: 'CENTRAL' }, ['Café Central']],
      [{ search: 'é c' }, ['Café Central']],
      [{ search: '0%' }, ['100% Juice']],
      [{ search: '_' }, []],
      [{ search: 'nothing like it' }, []],
      [{ pending: true }, ['Fuel', '100% Juice']],
      [{ pending: false }, ['Tram', 'Café Central']],
      [{ spendingId }, ['Fuel', 'Café Central']],
      [{ free: true }, ['100% Juice', 'Tram']],
      [{ from: '2026-03-02' }, ['Fuel', '100% Juice', 'Tram']],
      [{ to: '2026-03-02' }, ['100% Juice', 'Tram', 'Café Central']],
      [{ from: '2026-03-02', to: '2026-03-02' }, ['100% Juice', 'Tram']],
      [{ from: '2026-03-04' }, []],
      [{ search: 'café', spendingId }, ['Café Central']],
      [{ search: 'fuel', pending: false }, []],
      [{ amountFrom: 5n }, ['Fuel', '100% Juice', 'Café Central']],
      [{ amountFrom: 6n }, []],
      [{ amountTo: -7n }, ['Tram']],
      [{ amount: 7n }, ['Tram']],
      [{ amount: -5n }, ['Fuel', '100% Juice', 'Café Central']],
      [{ amount: 5n, search: 'fuel' }, ['Fuel']],
      [{ amount: 6n }, []],
      [
        { amountFrom: -7n, amountTo: 5n, to: '2026-03-02', pending: false },
        ['Tram', 'Café Central'],
      ],
      [{ amountFrom: 0n, amountTo: 4n, search: 'café' }, []],
      [{ amountTo: 0n, search: 'café' }, ['Tram']],
      [{ source: 'manual' }, ['Fuel', '100% Juice', 'Tram', 'Café Central']],
      [{ source: 'feed' }, []],
      [{ source: 'upload', spendingId }, []],
      [{ source: 'manual', amountFrom: 5n, spendingId, search: 'fuel' }, ['Fuel']],
      [{ deleted: true, amountFrom: 5n }, ['Café gone']],
      [{ deleted: true }, ['Café gone']],
      [{ deleted: true, search: 'gone', from: '2026-03-03', free: true }, ['Café gone']],
      [{ deleted: true, search: 'central' }, []],
      [{ deleted: true, pending: true }, []],
      [{ deleted: true, spendingId }, []],
      [{ spendingId, pending: true, from: '2026-03-03', search: 'FUEL' }, ['Fuel']],
    ]
    for (const [filter, names] of table) {
      expect({ filter, names: await namesOf(home, filter) }).toEqual({ filter, names })
    }
  })

  test('is not found for another bank account or a closed envelope', async () => {
    const home = await withTransactions(booted)
    const other = await withTransactions(booted)
    const { envelopes, bankAccountId, as, spendingId } = home
    await envelopes.closeEnvelope({ bankAccountId, spendingId }, as)
    const stranger = { ...home, as: booted.as(newId('acct')) }
    const pending = { pending: true }
    expect(
      await refusals(
        list(stranger, { search: 'café' }),
        list({ ...home, bankAccountId: newId('bac') }, pending),
        list(home, { ...pending, spendingId: other.spendingId }),
        list(home, { ...pending, spendingId }),
      ),
    ).toEqual(Array(4).fill('NotFound'))
    expect(await namesOf(home, { free: true, search: 'central' })).toEqual(['Café Central'])
  })
})

test('a search ignores case, accents and forms, and takes wildcards as they are', async () => {
  const { pool } = booted.database('ledger')
  const table = `
    Café Central | cafe | CAFÉ | cafe\u0301 | é c
    Μισθός | μισθος | ΜΙΣΘΌΣ
    Úvěry | uvery | ÚVĚRY
    Straße | STRASSE | straße | ẞe
    Łódź Œuvre | lodz | oeuvre
    Ærø ﬁn ①２ | aero | fin | 12
    İstanbul Şişli | istanbul | sisli | ISTANBUL
    Йод Ёлка | йод | елка | ёлка
    が | か | が
    100% a_b\\c | 0% | a_b | b\\c | !_x | !%a | !1_0 | !cafe`
  for (const line of table.trim().split('\n')) {
    const [text = '', ...phrases] = line.trim().split(' | ')
    for (const phrase of phrases) {
      const wanted = phrase.replace('!', '')
      const found = await pool.oneFirst(sql.type(z.object({ found: z.boolean() }))`
        SELECT folded(${text}) LIKE folded_pattern(${wanted}) AS found`)
      expect([text, wanted, found]).toEqual([text, wanted, phrase === wanted])
    }
  }
})

test('pages stay stable while transactions are created and deleted', async () => {
  const home = await createHousehold(booted)
  const { transactions, bankAccountId, as } = home
  const date = timestampFromDate(new Date('2026-03-02T06:00:00Z'))
  const add = (name: string) =>
    transactions.createTransaction({ bankAccountId, amount: 1n, date, name }, as)
  for (const name of ['e', 'd', 'c', 'b', 'a']) await add(name)
  const first = await list(home, { limit: 2 })
  expect(first.transactions.map(({ name }) => name)).toEqual(['a', 'b'])
  await add('newest')
  const { transactionId = '' } = first.transactions[1] ?? {}
  await transactions.deleteTransaction({ bankAccountId, transactionId, soft: false }, as)
  const second = await list(home, { limit: 2, ...nextOf(first) })
  expect(second.transactions.map(({ name }) => name)).toEqual(['c', 'd'])
  const third = await list(home, { limit: 2, ...nextOf(second) })
  expect(third.transactions.map(({ name }) => name)).toEqual(['e'])
  expect(third.next).toBeUndefined()
  const last = third.transactions[0]
  expect(last?.date && timestampDate(last.date)).toEqual(new Date('2026-03-02T06:00:00Z'))
})

describe('a search in a large account', () => {
  /**
   * Inserts 300 transactions with dates in the order of their numbers. 1 to 100 are named 'Rent',
   * the others 'Tea'.
   */
  async function large() {
    const home = await createHousehold(booted)
    const { pool } = booted.database('ledger')
    await pool.query(sql.unsafe`
      INSERT INTO transactions (account_id, bank_account_id, transaction_id, amount, categories,
        date, name, original_name, original_merchant_name, is_pending, source, created_at)
      SELECT ${home.accountId}, ${home.bankAccountId}, 'txn_' || lpad(n::text, 4, '0'), 1, '{}',
        timestamptz '2026-03-02' + make_interval(days => n / 7),
        CASE WHEN n <= 100 THEN 'Rent ' ELSE 'Tea ' END || n, '', '', false, 'manual', now()
      FROM generate_series(1, 300) AS n`)
    return home
  }

  /**
   * Searches a text page by page to the end, with `costs` in place of the default bounds. Returns
   * the numbers of the transactions on each page.
   */
  async function pagesOf(home: Household, text: string, costs: Partial<typeof searchCosts>) {
    const { accountId, bankAccountId } = home
    const pages: number[][] = []
    let after: TransactionCursor | null = null
    do {
      const search = searchFor(bankAccountId, text, after)
      const database = booted.database('ledger')
      const page = await searchTransactions(database, accountId, search, {
        ...searchCosts,
        ...costs,
      })
      pages.push(page?.transactions.map((one) => Number(one.transactionId.slice(4))) ?? [])
      after = page?.next ?? null
    } while (after && pages.length < 100)
    return pages
  }

  const descending = Array.from({ length: 100 }, (_, index) => 100 - index)

  test('finds rare matches in one page by the trigram index', async () => {
    const home = await large()
    const few = { examinedFirst: 10, examined: 10 }
    expect(await pagesOf(home, 'rent 7', few)).toEqual([
      [79, 78, 77, 76],
      [75, 74, 73, 72],
      [71, 70, 7],
    ])
    expect(await pagesOf(home, 'nothing', few)).toEqual([[]])
  })

  test('scans in bounded steps if the index finds too many', async () => {
    const home = await large()
    const pages = await pagesOf(home, 'rent', { examinedFirst: 10, examined: 40, foundMax: 50 })
    // The 200 newest transactions have no match: five scans of 40 rows return five empty pages.
    expect(pages.slice(0, 6)).toEqual([[], [], [], [], [], [100, 99, 98, 97]])
    expect(pages.flat()).toEqual(descending)
  })

  test('scans in bounded steps for a text without a trigram', async () => {
    const home = await large()
    const pages = await pagesOf(home, 're', { examined: 90 })
    expect(pages.slice(0, 3)).toEqual([[], [], [100, 99, 98, 97]])
    expect(pages.flat()).toEqual(descending)
  })

  test('returns null from the index if the query takes too long', async () => {
    const { accountId, bankAccountId } = await large()
    const database = booted.database('ledger')
    const search = searchFor(bankAccountId, 'rent', null)
    const found = await database.transaction(async (tx) => {
      await tx.query(sql.unsafe`LOCK TABLE transactions IN ACCESS EXCLUSIVE MODE`)
      return findByText(database, accountId, { search, foundMax: 500, withinMs: 20 })
    })
    expect(found).toBeNull()
  })

  test('costs a bounded number of statements', async () => {
    const home = await large()
    const database = booted.database('ledger')
    const before = database.statements(ofConsumers)
    await list(home, { search: 'nothing' })
    const count = database.statements(ofConsumers) - before
    expect(count).toBeLessThanOrEqual(statementsMax.searchTransactions)
  })
})
