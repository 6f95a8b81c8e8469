import type { Database, Transaction as Tx } from '@coffer/kit/database'
import { columnsOf } from '@coffer/kit/rows'
import { prepare } from '@coffer/kit/statement'
import { type FragmentSqlToken, sql } from 'slonik'
import { z } from 'zod'
import { BankAccount } from './bank-account.ts'
import { Envelope } from './envelope.ts'
import { joined, nullable, part } from './joined.ts'
import { Transaction } from './transaction.ts'

/** What a write is about: a bank account, and the rows under it that it may change. */
export interface MoneyScope {
  accountId: string
  bankAccountId: string
  spendingIds: readonly string[]
  transactionIds: readonly string[]
}

/** The newest version of the rows of a scope. */
export interface MoneyRows {
  bankAccount: BankAccount
  envelopes: Envelope[]
  transactions: Transaction[]
  /** Names these versions of the rows, for `saveUnchanged`. */
  seen: { account: string; envelopes: string[]; transactions: string[] }
}

const FoundRow = z.object({
  ...BankAccount.shape,
  seen: z.string(),
  ...nullable(Envelope.shape, 'envelope.'),
  'envelope.seen': z.string().nullable(),
  ...nullable(Transaction.shape, 'transaction.'),
  'transaction.seen': z.string().nullable(),
})

const scopeNames = ['accountId', 'bankAccountId', 'spendingIds', 'transactionIds'] as const
const locking = sql.fragment`FOR NO KEY UPDATE`

const lockStatement = prepare(scopeNames, (scope) => rowsOf(scope, locking))
const readStatement = prepare(scopeNames, (scope) => rowsOf(scope, sql.fragment``))

function rowsOf(scope: Record<(typeof scopeNames)[number], string>, lock: FragmentSqlToken) {
  const { accountId, bankAccountId, spendingIds, transactionIds } = scope
  const inAccount = sql.fragment`account_id = ${accountId} AND bank_account_id = ${bankAccountId}`
  return sql.type(FoundRow)`
    WITH account AS MATERIALIZED (
      SELECT *, xmin::text AS seen FROM bank_accounts
      WHERE ${inAccount} AND removed_at IS NULL ${lock}
    ), envelope AS MATERIALIZED (
      SELECT *, spending_id || ' ' || xmin AS seen FROM envelopes
      WHERE ${inAccount} AND spending_id = ANY(${spendingIds}::text[])
        AND EXISTS (SELECT FROM account)
      ORDER BY spending_id ${lock}
    ), record AS MATERIALIZED (
      SELECT *, transaction_id || ' ' || xmin AS seen FROM transactions
      WHERE ${inAccount} AND transaction_id = ANY(${transactionIds}::text[])
        AND EXISTS (SELECT FROM account)
      ORDER BY transaction_id ${lock}
    )
    SELECT ${columnsOf(BankAccount, { table: 'account' })}, account.seen,
      ${columnsOf(Envelope, { table: 'envelope', prefix: 'envelope.' })},
      envelope.seen AS "envelope.seen",
      ${columnsOf(Transaction, { table: 'record', prefix: 'transaction.' })},
      record.seen AS "transaction.seen"
    FROM account LEFT JOIN (envelope FULL JOIN record ON false) ON true`
}

/**
 * Takes the money lock: the bank-account row, then the envelopes and the transactions under it, in
 * one statement. Each row is locked inside a CTE, which gives its newest version even when the
 * statement had to wait. Null where there is no such bank account (or its link is deleted).
 */
export async function lockMoney(tx: Tx, scope: MoneyScope): Promise<MoneyRows | null> {
  return moneyOf(await tx.any(lockStatement({ ...scope })))
}

/** The same rows without a lock: what is decided on them must be saved by `saveUnchanged`. */
export async function readMoney({ pool }: Database, scope: MoneyScope): Promise<MoneyRows | null> {
  return moneyOf(await pool.any(readStatement({ ...scope })))
}

function moneyOf(rows: readonly z.infer<typeof FoundRow>[]): MoneyRows | null {
  const [first] = rows
  if (!first) return null
  return {
    bankAccount: part(BankAccount, first, ''),
    envelopes: rows.flatMap((row) => joined(Envelope, row, 'envelope.') ?? []),
    transactions: rows.flatMap((row) => joined(Transaction, row, 'transaction.') ?? []),
    seen: {
      account: first.seen,
      envelopes: rows.flatMap((row) => row['envelope.seen'] ?? []),
      transactions: rows.flatMap((row) => row['transaction.seen'] ?? []),
    },
  }
}

/** Rows of a table out of their JSON. */
export function records(table: string, json: string): FragmentSqlToken {
  return rowsOfJson(table, sql.fragment`${json}::jsonb`)
}

/** Rows of a table out of an expression that is JSON. */
export function rowsOfJson(table: string, json: FragmentSqlToken): FragmentSqlToken {
  return sql.fragment`jsonb_populate_recordset(NULL::${sql.identifier([table])}, ${json})`
}

/** What holds for the rows of a table under one bank account. */
export function under(
  table: string,
  { accountId, bankAccountId }: { accountId: string; bankAccountId: string },
): FragmentSqlToken {
  const name = sql.identifier([table])
  return sql.fragment`${name}.account_id = ${accountId}
    AND ${name}.bank_account_id = ${bankAccountId}`
}
