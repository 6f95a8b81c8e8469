import type { Database, Transaction as Tx } from '@coffer/kit/database'
import { columnsOf } from '@coffer/kit/rows'
import { prepareParts } from '@coffer/kit/statement'
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

/** What a scope may name besides the bank account; a statement has only what its scope names. */
export type MoneyPart = 'spendingIds' | 'transactionIds'

export function partsOf(scope: MoneyScope): MoneyPart[] {
  const all = ['spendingIds', 'transactionIds'] as const
  return all.filter((name) => scope[name].length > 0)
}

const AccountRow = z.object({ ...BankAccount.shape, seen: z.string() })
const envelopeShape = {
  ...nullable(Envelope.shape, 'envelope.'),
  'envelope.seen': z.string().nullable(),
}
const transactionShape = {
  ...nullable(Transaction.shape, 'transaction.'),
  'transaction.seen': z.string().nullable(),
}
const envelopeColumns = sql.fragment`,
      ${columnsOf(Envelope, { table: 'envelope', prefix: 'envelope.' })},
      envelope.seen AS "envelope.seen"`
const recordColumns = sql.fragment`,
      ${columnsOf(Transaction, { table: 'record', prefix: 'transaction.' })},
      record.seen AS "transaction.seen"`
type FoundRow = z.infer<typeof AccountRow> & {
  'envelope.seen'?: string | null
  'transaction.seen'?: string | null
}

const scopeNames = ['accountId', 'bankAccountId', 'spendingIds', 'transactionIds'] as const
type Scope = Record<(typeof scopeNames)[number], string>
type Has = ReadonlySet<MoneyPart>

const locking = sql.fragment`FOR NO KEY UPDATE`
const lockStatement = prepareParts(scopeNames, (scope, has: Has) => rowsOf(scope, has, locking))
const readStatement = prepareParts(scopeNames, (scope, has: Has) =>
  rowsOf(scope, has, sql.fragment``),
)

function rowsOf(scope: Scope, has: Has, lock: FragmentSqlToken) {
  const when = (part: MoneyPart, text: FragmentSqlToken) => (has.has(part) ? text : sql.fragment``)
  const inAccount = sql.fragment`account_id = ${scope.accountId}
        AND bank_account_id = ${scope.bankAccountId}`
  const envelope = sql.fragment`, envelope AS MATERIALIZED (
      SELECT *, spending_id || ' ' || xmin AS seen FROM envelopes
      WHERE ${inAccount} AND spending_id = ANY(${scope.spendingIds}::text[])
        AND EXISTS (SELECT FROM account)
      ORDER BY spending_id ${lock}
    )`
  const record = sql.fragment`, record AS MATERIALIZED (
      SELECT *, transaction_id || ' ' || xmin AS seen FROM transactions
      WHERE ${inAccount} AND transaction_id = ANY(${scope.transactionIds}::text[])
        AND EXISTS (SELECT FROM account)
      ORDER BY transaction_id ${lock}
    )`
  const row = AccountRow.extend({
    ...(has.has('spendingIds') ? envelopeShape : {}),
    ...(has.has('transactionIds') ? transactionShape : {}),
  })
  // A row for each envelope and for each transaction.
  const rows =
    has.size === 2
      ? sql.fragment`LEFT JOIN (envelope FULL JOIN record ON false) ON true`
      : sql.fragment`${when('spendingIds', sql.fragment`LEFT JOIN envelope ON true`)}
          ${when('transactionIds', sql.fragment`LEFT JOIN record ON true`)}`
  return sql.type(row as z.ZodType<FoundRow>)`
    WITH account AS MATERIALIZED (
      SELECT *, xmin::text AS seen FROM bank_accounts
      WHERE ${inAccount} AND removed_at IS NULL ${lock}
    )${when('spendingIds', envelope)}${when('transactionIds', record)}
    SELECT ${columnsOf(BankAccount, { table: 'account' })}, account.seen
      ${when('spendingIds', envelopeColumns)}${when('transactionIds', recordColumns)}
    FROM account ${rows}`
}

/**
 * Takes the money lock: the bank-account row, then the envelopes and the transactions under it, in
 * one statement. Each row is locked inside a CTE, which gives its newest version even when the
 * statement had to wait. Null where there is no such bank account (or its link is deleted).
 */
export async function lockMoney(tx: Tx, scope: MoneyScope): Promise<MoneyRows | null> {
  return moneyOf(await tx.any(lockStatement({ ...scope }, partsOf(scope))))
}

/** The same rows without a lock: what is decided on them must be saved by `saveUnchanged`. */
export async function readMoney({ pool }: Database, scope: MoneyScope): Promise<MoneyRows | null> {
  return moneyOf(await pool.any(readStatement({ ...scope }, partsOf(scope))))
}

function moneyOf(rows: readonly FoundRow[]): MoneyRows | null {
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
