import { readdirSync, readFileSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import type { Database } from '@coffer/kit/database/database'
import { expect, test } from '@jest/globals'
import type { CommonQueryMethods, QuerySqlToken } from 'slonik'
import { format } from 'sql-formatter'
import { createMoney, type MoneySave, saveMoney } from '../../src/money/money-save.sql.ts'
import { readMoney } from '../../src/money/money-state.sql.ts'
import type { MoneyScope } from '../../src/money/money-state.ts'
import { listTransactions } from '../../src/transactions/transaction.sql.ts'
import { endOfScan, findByText, scan } from '../../src/transactions/transaction-search.sql.ts'
import type { TransactionSearch } from '../../src/transactions/transaction-search.ts'
import { aBankAccount } from '../imports/samples.ts'
import { emptyChangeSet } from '../money/empty-change-set.ts'

/** Whether today's statements replace the committed ones (services/ledger/README.md). */
const isWritten = process.env.COFFER_TEST_STATEMENTS === 'write'

const key = { accountId: 'acct_1', bankAccountId: 'bac_1' }
const day = new Date('2026-02-01T06:00:00Z')
const started = { bankAccount: aBankAccount(), readVersion: 1n }
const amounts = { amounts: [1n], from: day, to: day }

/** A scope that names rows of every kind, so that its read has every part. */
const wholeScope: MoneyScope = {
  ...key,
  spendingIds: ['spnd_1'],
  refundIds: ['spnd_1'],
  readsRefundable: true,
  transactionId: 'txn_1',
  operationId: 'op_1',
  synced: {
    providerIds: ['p1'],
    alike: { ...amounts, providerAccountId: 'pa1' },
    posted: amounts,
    tips: { from: day, to: day },
  },
  readsProvider: true,
  countsEnvelopes: true,
}

const search: TransactionSearch = {
  bankAccountId: 'bac_1',
  spendingId: 'spnd_1',
  isDeleted: false,
  isFree: false,
  isUndecided: false,
  isPending: true,
  text: 'deli',
  amount: 2n,
  amountFrom: 1n,
  amountTo: 2n,
  source: 'manual',
  tag: 'tea',
  from: day,
  behind: { date: day, transactionId: 'txn_1' },
  limit: 25,
}
const everywhere = { ...search, bankAccountId: null, spendingId: null }
const page = { bankAccountId: 'bac_1', limit: 25, offset: 0 }

/** Calls that send one statement each, by the name of its file. */
const calls: Record<string, (database: Database) => Promise<unknown>> = {
  'money-read': ({ pool }) => readMoney(pool, [wholeScope]),
  'money-save': ({ pool }) => saveMoney(pool, [saveOf(Object.keys(emptyChangeSet))], 'wait'),
  'money-creation': (database) =>
    database.transaction((tx) => createMoney(tx, [saveOf(['entries', 'changes', 'replies'])])),
  'transaction-page': (database) =>
    listTransactions(database, 'acct_1', { ...page, spendingId: null }),
  'transaction-scan': (database) => scan(database, 'acct_1', { search, examined: 2_000 }),
  'transaction-scan-deleted': (database) =>
    scan(database, 'acct_1', { search: { ...search, isDeleted: true }, examined: 2_000 }),
  'transaction-scan-everywhere': (database) =>
    scan(database, 'acct_1', { search: everywhere, examined: 2_000 }),
  'transaction-scan-end': (database) => endOfScan(database, 'acct_1', { search, examined: 20_000 }),
  'transaction-text': (database) =>
    findByText(database, 'acct_1', { search, foundMax: 5_000, withinMs: 500 }),
  'transaction-text-everywhere': (database) =>
    findByText(database, 'acct_1', { search: everywhere, foundMax: 5_000, withinMs: 500 }),
}

test.each(Object.entries(calls))('the statement %s is the committed one', async (name, call) => {
  const text = format(await recordText(call), { language: 'postgresql', tabWidth: 2 })
  const file = join(import.meta.dirname, `${name}.sql`)
  if (isWritten) writeFileSync(file, `${text}\n`)
  expect(readFileSync(file, 'utf8')).toBe(`${text}\n`)
})

test('each file has a statement', () => {
  const files = readdirSync(import.meta.dirname).filter((file) => file.endsWith('.sql'))
  expect(files.sort()).toEqual(
    Object.keys(calls)
      .map((name) => `${name}.sql`)
      .sort(),
  )
})

/** Returns the text of the last statement that a call sends, without running it. */
async function recordText(call: (database: Database) => Promise<unknown>): Promise<string> {
  const texts: string[] = []
  const send = async ({ sql }: QuerySqlToken) => {
    texts.push(sql)
    return []
  }
  // Cast: the calls use these methods only.
  const pool = { any: send, maybeOne: send, query: send } as unknown as CommonQueryMethods
  const transaction = (run: (tx: CommonQueryMethods) => Promise<unknown>) => run(pool)
  await call({ pool, transaction } as unknown as Database)
  const [last = ''] = texts.reverse()
  return last
}

/** Returns a save with one row in each of the named lists. */
function saveOf(names: readonly string[]): MoneySave {
  const lists = Object.entries(emptyChangeSet).filter(([, rows]) => Array.isArray(rows))
  const filled = lists.map(([name]) => [name, names.includes(name) ? [{}] : []])
  return { ...emptyChangeSet, ...Object.fromEntries(filled), ...started }
}
