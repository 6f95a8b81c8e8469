import type { Database } from '@coffer/kit/database'
import { columnsOf } from '@coffer/kit/rows'
import { prepare } from '@coffer/kit/statement'
import { type FragmentSqlToken, sql } from 'slonik'
import { z } from 'zod'
import { isCurrent, ownerVersion } from './bank-account-version.sql.ts'
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

// The owner stands in every row, so that an empty page is told from a missing owner.
function pageOf(
  { accountId, bankAccountId, limit, offset }: Record<Parameter, string>,
  { spent, envelope }: { spent: FragmentSqlToken; envelope: FragmentSqlToken },
) {
  return sql.type(Row)`
    SELECT ${columnsOf(Transaction, { table: 'page' })}, ${ownerVersion} AS version
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
 * A page of live transactions, newest date first, then newest ID; null where there is no such bank
 * account (or no such open envelope in it). Where a version is known, it is compared first: that
 * is all there is to do mostly.
 */
export async function listTransactions(
  database: Database,
  accountId: string,
  { spendingId, knownVersion, ...page }: TransactionPage,
): Promise<VersionedPage | null> {
  const key = { accountId, bankAccountId: page.bankAccountId }
  if (knownVersion !== null && (await isCurrent(database, key, knownVersion))) {
    return { transactions: null, version: knownVersion }
  }
  const rows = await database.pool.any(
    spendingId
      ? pageOfEnvelope({ ...page, accountId, spendingId })
      : pageOfAccount({ ...page, accountId }),
  )
  const [first] = rows
  if (!first) return null
  const transactions = rows.filter((row) => row.transactionId !== null)
  return { transactions, version: first.version }
}
