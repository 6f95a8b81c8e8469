import type { Change } from '@coffer/kit/changes'
import type { Transaction as Tx } from '@coffer/kit/database'
import type { KeptReply } from '@coffer/kit/idempotency'
import { assignmentsOf, recordsOf } from '@coffer/kit/rows'
import { prepareParts } from '@coffer/kit/statement'
import { type FragmentSqlToken, type QuerySqlToken, sql } from 'slonik'
import type { BankAccount } from './bank-account.ts'
import type { Envelope } from './envelope.ts'
import type { JournalEntry } from './journal.ts'
import { under } from './money.sql.ts'
import { additions, type Given, givenIf } from './money-additions.sql.ts'
import type { Operation } from './operation.sql.ts'
import type { Transaction } from './transaction.ts'

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

/** What a write may leave empty: its statement has only the parts that it fills. */
const partNames = [
  ...(['entries', 'envelopes', 'inserted', 'updated', 'deleted'] as const),
  ...(['closed', 'changes', 'replies', 'operations'] as const),
]
type PartName = (typeof partNames)[number]

/** The fields of a bank account that may change; the others are as it was made. */
const changing = [
  ...(['currency', 'name', 'mask', 'availableBalance', 'currentBalance', 'limitBalance'] as const),
  ...(['expenses', 'goals', 'balancesAsOf', 'accountType', 'accountSubType', 'status'] as const),
  ...(['lastUpdated', 'updatedAt', 'deletedAt'] as const),
]

const parameterNames = [
  ...(['accountId', 'bankAccountId', 'envelopeIds', 'updatedIds', 'deletedIds'] as const),
  ...partNames,
  ...changing,
]
type Row<Value = string> = Record<(typeof parameterNames)[number], Value>

/**
 * What follows `WITH` in a statement that saves changes of money, and maybe more: all of it where
 * the condition holds, otherwise nothing. Returns the version of the rows if they were saved.
 */
type Saves = (holds?: FragmentSqlToken) => FragmentSqlToken

/**
 * A statement that saves changes of money, and `more` beside them. Of the `more` that may be empty
 * `build` is told what is not.
 */
export function prepareSave<Token extends QuerySqlToken, Name extends string, Part extends string>(
  more: readonly Name[],
  build: (row: Row & Record<Name, string>, saves: Saves, has: ReadonlySet<Part>) => Token,
): (write: MoneyWrite, values: Record<Name, unknown>, parts: readonly Part[]) => Token {
  const prepared = prepareParts(
    [...parameterNames, ...more],
    (row: Row & Record<Name, string>, has: ReadonlySet<PartName | Part>) => {
      const filled = partNames.filter((name) => has.has(name))
      return build(
        row,
        (holds = sql.fragment`true`) => savesOf(row, filled, holds),
        has as ReadonlySet<Part>,
      )
    },
  )
  return (write, values, parts) => {
    const filled = partNames.filter((name) => write[name].length > 0)
    return prepared({ ...valuesOf(write), ...values }, [...filled, ...parts])
  }
}

const saveStatement = prepareSave([], (_row, saves) => sql.unsafe`WITH ${saves()}`)

/**
 * Saves changes of money in one statement. The bank account must be locked by `lockMoney` in this
 * transaction. Rows travel as JSON, so that the statement is the same however many there are.
 */
export async function saveMoney(tx: Tx, write: MoneyWrite): Promise<void> {
  await tx.query(saveStatement(write, {}, []))
}

function valuesOf(write: MoneyWrite): Row<unknown> {
  const { bankAccount, envelopes, updated, deleted, closed } = write
  const { balancesAsOf, lastUpdated, updatedAt, deletedAt } = bankAccount
  const rowsOf = (name: PartName) => (name === 'closed' ? [] : write[name])
  const records = partNames.map((name) => [name, recordsOf(rowsOf(name))])
  return {
    ...bankAccount,
    balancesAsOf: balancesAsOf?.toISOString() ?? null,
    lastUpdated: lastUpdated.toISOString(),
    updatedAt: updatedAt.toISOString(),
    deletedAt: deletedAt?.toISOString() ?? null,
    ...(Object.fromEntries(records) as Record<PartName, string>),
    closed,
    envelopeIds: envelopes.map(({ spendingId }) => spendingId),
    updatedIds: updated.map(({ transactionId }) => transactionId),
    deletedIds: deleted.map(({ transactionId }) => transactionId),
  }
}

function savesOf(row: Row, filled: PartName[], holds: FragmentSqlToken): FragmentSqlToken {
  const given = givenIf(holds)
  const texts = { ...additions(row, given), ...ofTransactions(row, given), ...ofOthers(row, given) }
  const parts = filled.map((name) => {
    return sql.fragment`${sql.identifier([`saved_${name}`])} AS (${texts[name]})`
  })
  const account = sql.fragment`saved AS (
      UPDATE bank_accounts SET ${assignmentsOf(row, changing)}
      WHERE ${under('bank_accounts', row)} AND ${holds}
      RETURNING bank_accounts.xmin::text AS version
    )`
  return sql.fragment`${sql.join([...parts, account], sql.fragment`, `)}
    SELECT version FROM saved`
}

/** Rows are found by their IDs: joined with records alone, a whole bank account may be read. */
function ofTransactions(row: Row, given: Given) {
  const here = under('transactions', row)
  const closed = sql.fragment`ANY(${row.closed}::text[])`
  return {
    updated: sql.fragment`
      UPDATE transactions SET amount = new.amount, spending_id = new.spending_id,
        spending_amount = new.spending_amount, date = new.date, name = new.name,
        merchant_name = new.merchant_name, is_pending = new.is_pending,
        categories = new.categories, category = new.category,
        original_name = new.original_name,
        original_merchant_name = new.original_merchant_name,
        deleted_at = new.deleted_at
      FROM ${given('transactions', row.updated)} AS new
      WHERE ${here} AND transactions.transaction_id = ANY(${row.updatedIds}::text[])
        AND transactions.transaction_id = new.transaction_id`,
    deleted: sql.fragment`
      DELETE FROM transactions USING ${given('transactions', row.deleted)} AS old
      WHERE ${here} AND transactions.transaction_id = ANY(${row.deletedIds}::text[])
        AND transactions.transaction_id = old.transaction_id`,
    closed: sql.fragment`
      UPDATE transactions SET
        spending_id = CASE WHEN spending_id = ${closed} THEN NULL ELSE spending_id END,
        spending_amount = CASE WHEN spending_id = ${closed} THEN NULL ELSE spending_amount END,
        created_by_spending_id =
          CASE WHEN created_by_spending_id = ${closed} THEN NULL ELSE created_by_spending_id END
      WHERE ${here} AND transaction_id = ANY(ARRAY(
        SELECT transaction_id FROM transactions WHERE ${here} AND spending_id = ${closed}
        UNION ALL
        SELECT transaction_id FROM transactions
        WHERE ${here} AND created_by_spending_id = ${closed}))`,
  }
}

function ofOthers(row: Row, given: Given) {
  return {
    envelopes: sql.fragment`
      UPDATE envelopes SET current_amount = new.current_amount, used_amount = new.used_amount,
        period_spent = new.period_spent, version = new.version, closed_at = new.closed_at
      FROM ${given('envelopes', row.envelopes)} AS new
      WHERE ${under('envelopes', row)} AND envelopes.spending_id = ANY(${row.envelopeIds}::text[])
        AND envelopes.spending_id = new.spending_id`,
    replies: sql.fragment`
      INSERT INTO idempotency_keys (account_id, route, key, body_hash, reply)
      SELECT account_id, route, key, body_hash, reply
      FROM ${given('idempotency_keys', row.replies)}`,
  }
}
