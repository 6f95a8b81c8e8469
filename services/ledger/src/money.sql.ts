import type { Change } from '@coffer/kit/changes'
import type { Database, Transaction as Tx } from '@coffer/kit/database'
import type { KeptReply } from '@coffer/kit/idempotency'
import { columnNames, columnsOf, recordsOf } from '@coffer/kit/rows'
import { prepare } from '@coffer/kit/statement'
import { type FragmentSqlToken, sql } from 'slonik'
import { z } from 'zod'
import { BankAccount } from './bank-account.ts'
import { Envelope } from './envelope.ts'
import { joined, nullable, part } from './joined.ts'
import { JournalEntry } from './journal.ts'
import type { Operation } from './operation.sql.ts'
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

/** Everything that changes of money in one bank account leave behind, each row once. */
export interface MoneyWrite {
  bankAccount: BankAccount
  envelopes: readonly Envelope[]
  entries: readonly JournalEntry[]
  inserted: readonly Transaction[]
  updated: readonly Transaction[]
  deleted: readonly Transaction[]
  /** Envelopes that close: they are taken off every transaction, soft-deleted ones too. */
  closed: readonly string[]
  changes: readonly Change[]
  replies: readonly KeptReply[]
  operations: readonly Operation[]
}

/** The parameters of a statement that saves changes of money. */
export const moneyParameters = [
  'accountId',
  'bankAccountId',
  'bankAccount',
  'envelopes',
  'entries',
  'inserted',
  'updated',
  'deleted',
  'closed',
  'changes',
  'replies',
  'operations',
] as const

type MoneyRow<Value> = Record<(typeof moneyParameters)[number], Value>

/**
 * What saves changes of money, after `WITH`, for a statement that may save more than them: all of
 * it where the condition holds, otherwise nothing. Returns the bank account that was saved.
 */
export function savesMoney(
  row: MoneyRow<string>,
  holds: FragmentSqlToken = sql.fragment`true`,
): FragmentSqlToken {
  const records = (table: string, json: string) =>
    rowsOfJson(table, sql.fragment`CASE WHEN ${holds} THEN ${json}::jsonb ELSE '[]' END`)
  return sql.fragment`
    booked AS (
      INSERT INTO journal (${columnNames(JournalEntry)})
      SELECT ${columnNames(JournalEntry)} FROM ${records('journal', row.entries)}
    ), held AS (
      UPDATE envelopes SET current_amount = new.current_amount, used_amount = new.used_amount,
        period_spent = new.period_spent, version = new.version, closed_at = new.closed_at
      FROM ${records('envelopes', row.envelopes)} AS new
      WHERE ${under('envelopes', row)} AND envelopes.spending_id = new.spending_id
    ), inserted AS (
      INSERT INTO transactions (${columnNames(Transaction)})
      SELECT ${columnNames(Transaction)} FROM ${records('transactions', row.inserted)}
    ), updated AS (
      UPDATE transactions SET amount = new.amount, spending_id = new.spending_id,
        spending_amount = new.spending_amount, date = new.date, name = new.name,
        merchant_name = new.merchant_name, is_pending = new.is_pending,
        categories = new.categories, category = new.category,
        original_name = new.original_name,
        original_merchant_name = new.original_merchant_name,
        deleted_at = new.deleted_at
      FROM ${records('transactions', row.updated)} AS new
      WHERE ${under('transactions', row)} AND transactions.transaction_id = new.transaction_id
    ), deleted AS (
      DELETE FROM transactions USING ${records('transactions', row.deleted)} AS old
      WHERE ${under('transactions', row)} AND transactions.transaction_id = old.transaction_id
    ), released AS (
      UPDATE transactions SET
        spending_id = CASE WHEN spending_id = ANY(${row.closed}::text[])
          THEN NULL ELSE spending_id END,
        spending_amount = CASE WHEN spending_id = ANY(${row.closed}::text[])
          THEN NULL ELSE spending_amount END,
        created_by_spending_id = CASE WHEN created_by_spending_id = ANY(${row.closed}::text[])
          THEN NULL ELSE created_by_spending_id END
      WHERE ${under('transactions', row)} AND (spending_id = ANY(${row.closed}::text[])
        OR created_by_spending_id = ANY(${row.closed}::text[]))
    ), emitted AS (
      INSERT INTO changes (change_id, account_id, type, entity_id, version, payload)
      SELECT change_id, account_id, type, entity_id, version, payload
      FROM ${records('changes', row.changes)}
    ), answered AS (
      INSERT INTO idempotency_keys (account_id, route, key, body_hash, reply)
      SELECT account_id, route, key, body_hash, reply
      FROM ${records('idempotency_keys', row.replies)}
    ), operated AS (
      INSERT INTO operations (account_id, bank_account_id, operation_id, reply, created_at)
      SELECT account_id, bank_account_id, operation_id, reply, created_at
      FROM ${records('operations', row.operations)}
    )
    UPDATE bank_accounts SET currency = new.currency, name = new.name, mask = new.mask,
      available_balance = new.available_balance, current_balance = new.current_balance,
      limit_balance = new.limit_balance, expenses = new.expenses, goals = new.goals,
      balances_as_of = new.balances_as_of, account_type = new.account_type,
      account_sub_type = new.account_sub_type, status = new.status,
      last_updated = new.last_updated, updated_at = new.updated_at, deleted_at = new.deleted_at
    FROM ${records('bank_accounts', row.bankAccount)} AS new
    WHERE ${under('bank_accounts', row)}
    RETURNING bank_accounts.bank_account_id AS "bankAccountId"`
}

const saveStatement = prepare(moneyParameters, (row) => sql.unsafe`WITH ${savesMoney(row)}`)

/**
 * Saves changes of money in one statement. The bank account must be locked by `lockMoney` in this
 * transaction. Rows travel as JSON, so that the statement is the same however many there are.
 */
export async function saveMoney(tx: Tx, write: MoneyWrite): Promise<void> {
  await tx.query(saveStatement(moneyValues(write)))
}

/** The values of `moneyParameters`. */
export function moneyValues(write: MoneyWrite): MoneyRow<unknown> {
  const { accountId, bankAccountId } = write.bankAccount
  return {
    accountId,
    bankAccountId,
    bankAccount: recordsOf([write.bankAccount]),
    envelopes: recordsOf(write.envelopes),
    entries: recordsOf(write.entries),
    inserted: recordsOf(write.inserted),
    updated: recordsOf(write.updated),
    deleted: recordsOf(write.deleted),
    closed: write.closed,
    changes: recordsOf(write.changes),
    replies: recordsOf(write.replies),
    operations: recordsOf(write.operations),
  }
}

/** Rows of a table out of their JSON. */
export function records(table: string, json: string): FragmentSqlToken {
  return rowsOfJson(table, sql.fragment`${json}::jsonb`)
}

function rowsOfJson(table: string, json: FragmentSqlToken): FragmentSqlToken {
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
