import type { Database, Queries } from '@coffer/kit/database/database'
import { columnsOf } from '@coffer/kit/database/rows'
import { asRead, prepare, read } from '@coffer/kit/database/statement'
import { type FragmentSqlToken, sql } from 'slonik'
import { z } from 'zod'
import { Transaction } from '../book/transaction.ts'

/** A row of a list, with the bank account's version; an empty list is one row without an ID. */
export const ListedRow = z.union([
  Transaction.extend({ accountVersion: z.bigint() }),
  z.object({ transactionId: z.null(), accountVersion: z.bigint() }),
])

/** Rows of a list of transactions, and the version of the bank account when they were read. */
export interface Listed {
  transactions: readonly Transaction[]
  version: bigint
}

/**
 * Returns the transactions of listed rows; null if there are none, as the bank account is missing.
 */
export function listedOf(rows: readonly z.infer<typeof ListedRow>[]): Listed | null {
  const [first] = rows
  if (!first) return null
  const transactions = rows.flatMap((row) => (row.transactionId === null ? [] : row))
  return { transactions, version: first.accountVersion }
}

const parameterNames = ['accountId', 'bankAccountId', 'limit', 'offset'] as const
type Parameter = (typeof parameterNames)[number]

const pageOfAccount = prepare(parameterNames, (row) => {
  return pageOf(row, { spent: sql.fragment``, envelope: sql.fragment`` })
})

const pageOfEnvelope = prepare([...parameterNames, 'spendingId'], ({ spendingId, ...row }) => {
  return pageOf(row, {
    spent: sql.fragment`AND spending_id = ${spendingId}`,
    envelope: sql.fragment`AND EXISTS (
        SELECT FROM envelopes WHERE envelopes.account_id = owner.account_id
          AND envelopes.bank_account_id = owner.bank_account_id
          AND envelopes.spending_id = ${spendingId} AND envelopes.closed_at IS NULL)`,
  })
})

/** Offset up to which a page is cheap: Postgres reads and drops the rows before it. */
const shortOffsetMax = 500

// LEFT JOIN: a bank account without transactions gives one row of nulls, a missing one no row.
function pageOf(
  { accountId, bankAccountId, limit, offset }: Record<Parameter, string>,
  { spent, envelope }: { spent: FragmentSqlToken; envelope: FragmentSqlToken },
) {
  return sql.type(ListedRow)`
    SELECT ${columnsOf(Transaction, { table: 'page' })}, owner.version AS "accountVersion"
    FROM bank_accounts AS owner LEFT JOIN (
      SELECT * FROM transactions
      WHERE account_id = ${accountId} AND bank_account_id = ${bankAccountId} ${spent}
        AND deleted_at IS NULL
      ORDER BY date DESC, transaction_id DESC LIMIT ${limit}::int OFFSET ${offset}::int
    ) AS page ON true
    WHERE owner.account_id = ${accountId} AND owner.bank_account_id = ${bankAccountId}
      AND owner.removed_at IS NULL ${envelope}
    ORDER BY page.date DESC, page.transaction_id DESC`
}

/**
 * Lists live transactions of a bank account, or of its open envelope `spendingId`, newest date
 * first, then newest ID. Returns null if the bank account or the open envelope does not exist.
 */
export async function listTransactions(
  { pool }: Database,
  accountId: string,
  {
    spendingId,
    ...page
  }: { bankAccountId: string; spendingId: string | null; limit: number; offset: number },
): Promise<Listed | null> {
  const statement = spendingId
    ? pageOfEnvelope({ ...page, accountId, spendingId })
    : pageOfAccount({ ...page, accountId })
  const rows = await pool.any(page.offset <= shortOffsetMax ? asRead(statement) : statement)
  return listedOf(rows)
}

const Owner = z.object({ bankAccountId: z.string() })

/** Returns the bank account of an open envelope; null if there is none of this ID. */
export function findOwner(
  { pool }: { pool: Queries },
  accountId: string,
  spendingId: string,
): Promise<string | null> {
  return pool.maybeOneFirst(sql.type(Owner)`
    SELECT bank_account_id AS "bankAccountId" FROM envelopes
    WHERE account_id = ${accountId} AND spending_id = ${spendingId} AND closed_at IS NULL`)
}

const transactionById = prepare(
  ['accountId', 'bankAccountId', 'transactionId'],
  ({ accountId, bankAccountId, transactionId }) => read(Transaction)`
    SELECT ${columnsOf(Transaction, { table: 'transactions' })}
    FROM transactions JOIN bank_accounts USING (account_id, bank_account_id)
    WHERE account_id = ${accountId} AND bank_account_id = ${bankAccountId}
      AND transaction_id = ${transactionId} AND removed_at IS NULL`,
)

/** Returns the transaction, soft-deleted or not; null if missing or if its link is deleted. */
export function findTransaction(
  { pool }: Database,
  accountId: string,
  ids: { bankAccountId: string; transactionId: string },
): Promise<Transaction | null> {
  return pool.maybeOne(transactionById({ accountId, ...ids }))
}

/** Returns the transactions of these keys as `findTransaction` does, in any order. */
export function findTransactions(
  { pool }: Database,
  accountId: string,
  keys: readonly { bankAccountId: string; transactionId: string }[],
): Promise<readonly Transaction[]> {
  const tuples = keys.map((key) => [key.bankAccountId, key.transactionId])
  return pool.any(sql.type(Transaction)`
    SELECT ${columnsOf(Transaction, { table: 'transactions' })}
    FROM ${sql.unnest(tuples, ['text', 'text'])} AS wanted(bank_account_id, transaction_id)
      JOIN bank_accounts AS owner ON owner.account_id = ${accountId}
        AND owner.bank_account_id = wanted.bank_account_id AND owner.removed_at IS NULL
      CROSS JOIN LATERAL (
        SELECT * FROM transactions AS one
        WHERE one.account_id = ${accountId} AND one.bank_account_id = wanted.bank_account_id
          AND one.transaction_id = wanted.transaction_id OFFSET 0
      ) AS transactions`)
}
