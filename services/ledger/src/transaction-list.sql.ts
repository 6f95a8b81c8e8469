import type { Database } from '@coffer/kit/database'
import { columnsOf, versionOfRows } from '@coffer/kit/rows'
import { prepare } from '@coffer/kit/statement'
import { type FragmentSqlToken, sql } from 'slonik'
import { z } from 'zod'
import { Transaction } from './transaction.ts'

export interface TransactionPage {
  bankAccountId: string
  /** Only those spent from this envelope. */
  spendingId: string | null
  limit: number
  offset: number
  /** The version of the page that somebody has already. */
  knownVersion: string | null
}

/** Transactions, and what tells whether the page is still the same; null: it is the known one. */
export interface VersionedPage {
  transactions: readonly Transaction[] | null
  version: string
}

const version = { version: z.string() }
const Row = z.union([
  z.object({ ...Transaction.shape, ...version }),
  z.object({ transactionId: z.null(), ...version }),
])

const parameterNames = ['accountId', 'bankAccountId', 'limit', 'offset', 'knownVersion'] as const
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

// The owner stands in every row, so that an empty page is told from a missing owner.
function pageOf(
  { accountId, bankAccountId, limit, offset, knownVersion }: Record<Parameter, string>,
  { spent, envelope }: { spent: FragmentSqlToken; envelope: FragmentSqlToken },
) {
  return sql.type(Row)`
    WITH page AS MATERIALIZED (
      SELECT *, transaction_id || ' ' || xmin AS row_version FROM transactions
      WHERE account_id = ${accountId} AND bank_account_id = ${bankAccountId} ${spent}
        AND deleted_at IS NULL
      ORDER BY date DESC, transaction_id DESC LIMIT ${limit}::int OFFSET ${offset}::int
    ), state AS MATERIALIZED (${versionOfRows('page')})
    SELECT ${columnsOf(Transaction, { table: 'page' })}, state.version
    FROM bank_accounts AS owner CROSS JOIN state
    LEFT JOIN page ON state.version IS DISTINCT FROM ${knownVersion}::text
    WHERE owner.account_id = ${accountId} AND owner.bank_account_id = ${bankAccountId}
      AND owner.removed_at IS NULL ${envelope}
    ORDER BY page.date DESC, page.transaction_id DESC`
}

/**
 * A page of live transactions, newest date first, then newest ID; null where there is no such bank
 * account (or no such open envelope in it). xmin names a version of a row: it is the transaction
 * that wrote it.
 */
export async function listTransactions(
  { pool }: Database,
  accountId: string,
  { spendingId, ...page }: TransactionPage,
): Promise<VersionedPage | null> {
  const rows = await pool.any(
    spendingId
      ? pageOfEnvelope({ ...page, accountId, spendingId })
      : pageOfAccount({ ...page, accountId }),
  )
  const [first] = rows
  if (!first) return null
  const { version } = first
  if (version === page.knownVersion) return { transactions: null, version }
  return { transactions: rows.filter((row) => row.transactionId !== null), version }
}
