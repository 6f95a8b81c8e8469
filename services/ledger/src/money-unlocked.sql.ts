import type { Database } from '@coffer/kit/database'
import { type FragmentSqlToken, sql } from 'slonik'
import { z } from 'zod'
import { type MoneyPart, type MoneyRows, type MoneyScope, partsOf } from './money.sql.ts'
import { type MoneyWrite, prepareSave } from './money-save.sql.ts'

const guardNames = [
  'spendingIds',
  'transactionIds',
  'seenAccount',
  'seenEnvelopes',
  'seenTransactions',
] as const
type GuardName = (typeof guardNames)[number]

const Saved = z.object({ version: z.string() })

const saveStatement = prepareSave(guardNames, (row, saves, has: ReadonlySet<MoneyPart>) => {
  const holds = sql.fragment`EXISTS (SELECT FROM unchanged)`
  return sql.type(Saved)`WITH ${guardOf(row, has)}, ${saves(holds)}`
})

/**
 * Saves what was decided on rows that `readMoney` gave, if they still are what they were then:
 * the statement takes the same locks in the same order as `lockMoney` and goes on where every row
 * has the version that was seen. Returns the version that it gave to all of them; null where
 * somebody was faster: then nothing is saved. One statement is a transaction of its own, which
 * makes a write two round trips instead of four. Not for a write that closes envelopes: that
 * changes rows nobody has seen.
 */
export async function saveUnchanged(
  database: Database,
  scope: MoneyScope,
  { seen, write }: { seen: MoneyRows['seen']; write: MoneyWrite },
): Promise<string | null> {
  const { spendingIds, transactionIds } = scope
  const guard = {
    ...{ spendingIds, transactionIds, seenAccount: seen.account },
    ...{ seenEnvelopes: seen.envelopes, seenTransactions: seen.transactions },
  }
  const statement = saveStatement(write, guard, partsOf(scope))
  const saved = await database.autocommit((pool) => pool.maybeOne(statement))
  return saved?.version ?? null
}

/**
 * xmin names a version of a row: it is the transaction that wrote it. A row that was locked in
 * between comes back with the version it has then, and is passed over unless that is the same.
 */
function guardOf(
  row: Record<GuardName | 'accountId' | 'bankAccountId', string>,
  has: ReadonlySet<MoneyPart>,
): FragmentSqlToken {
  const { accountId, bankAccountId, spendingIds, transactionIds } = row
  const inAccount = sql.fragment`account_id = ${accountId} AND bank_account_id = ${bankAccountId}`
  const when = (part: MoneyPart, text: FragmentSqlToken) => (has.has(part) ? text : sql.fragment``)
  const envelope = sql.fragment`envelope AS MATERIALIZED (
      SELECT 1 FROM envelopes
      WHERE ${inAccount} AND spending_id = ANY(${spendingIds}::text[])
        AND spending_id || ' ' || xmin = ANY(${row.seenEnvelopes}::text[])
        AND EXISTS (SELECT FROM account)
      ORDER BY spending_id FOR NO KEY UPDATE
    ),`
  const record = sql.fragment`record AS MATERIALIZED (
      SELECT 1 FROM transactions
      WHERE ${inAccount} AND transaction_id = ANY(${transactionIds}::text[])
        AND transaction_id || ' ' || xmin = ANY(${row.seenTransactions}::text[])
        AND EXISTS (SELECT FROM account)
      ORDER BY transaction_id FOR NO KEY UPDATE
    ),`
  const allEnvelopes = sql.fragment`
        AND (SELECT count(*) FROM envelope) = cardinality(${row.seenEnvelopes}::text[])`
  const allRecords = sql.fragment`
        AND (SELECT count(*) FROM record) = cardinality(${row.seenTransactions}::text[])`
  return sql.fragment`
    account AS MATERIALIZED (
      SELECT 1 FROM bank_accounts
      WHERE ${inAccount} AND xmin::text = ${row.seenAccount} FOR NO KEY UPDATE
    ), ${when('spendingIds', envelope)} ${when('transactionIds', record)}
    unchanged AS MATERIALIZED (
      SELECT FROM account
      WHERE true ${when('spendingIds', allEnvelopes)}${when('transactionIds', allRecords)}
    )`
}
