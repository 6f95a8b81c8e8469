import type { DescMessage, MessageShape } from '@bufbuild/protobuf'
import { type Change, insertChanges } from '@coffer/kit/changes'
import type { Transaction as Tx } from '@coffer/kit/database'
import { type IdempotencyKey, insertReply } from '@coffer/kit/idempotency'
import { assignmentsOf, columnsOf } from '@coffer/kit/rows'
import { type FragmentSqlToken, sql } from 'slonik'
import { z } from 'zod'
import { BankAccount } from './bank-account.ts'
import type { Settlement } from './book.ts'
import { Envelope } from './envelope.ts'
import type { JournalEntry } from './journal.ts'
import { Transaction } from './transaction.ts'

/** What a write is about: a bank account, the envelopes it may touch, maybe a transaction. */
export interface MoneyScope {
  accountId: string
  bankAccountId: string
  spendingIds: readonly string[]
  transactionId?: string
}

/** The newest version of the rows of a scope, locked until the transaction ends. */
export interface LockedMoney {
  bankAccount: BankAccount
  envelopes: Envelope[]
  transaction: Transaction | null
}

const LockedRow = z.object({
  ...BankAccount.shape,
  ...nullable(Envelope.shape, 'envelope.'),
  ...nullable(Transaction.shape, 'transaction.'),
})

/**
 * Takes the money lock: the bank-account row, then the envelopes and the transaction under it, in
 * one statement. Each row is locked inside a CTE, which gives its newest version even when the
 * statement had to wait. Null where there is no such bank account (or its link is deleted).
 */
export async function lockMoney(tx: Tx, scope: MoneyScope): Promise<LockedMoney | null> {
  const { accountId, bankAccountId, spendingIds, transactionId = null } = scope
  const under = sql.fragment`account_id = ${accountId} AND bank_account_id = ${bankAccountId}`
  const rows = await tx.any(sql.type(LockedRow)`
    WITH account AS MATERIALIZED (
      SELECT * FROM bank_accounts WHERE ${under} AND removed_at IS NULL FOR NO KEY UPDATE
    ), envelope AS MATERIALIZED (
      SELECT * FROM envelopes
      WHERE ${under} AND spending_id = ANY(${sql.array([...spendingIds], 'text')})
        AND EXISTS (SELECT FROM account)
      ORDER BY spending_id FOR NO KEY UPDATE
    ), record AS MATERIALIZED (
      SELECT * FROM transactions
      WHERE ${under} AND transaction_id = ${transactionId} AND EXISTS (SELECT FROM account)
      FOR NO KEY UPDATE
    )
    SELECT ${columnsOf(BankAccount, { table: 'account' })},
      ${columnsOf(Envelope, { table: 'envelope', prefix: 'envelope.' })},
      ${columnsOf(Transaction, { table: 'record', prefix: 'transaction.' })}
    FROM account LEFT JOIN envelope ON true LEFT JOIN record ON true`)
  const [first] = rows
  if (!first) return null
  return {
    bankAccount: part(BankAccount, first, ''),
    envelopes: rows.flatMap((row) => joined(Envelope, row, 'envelope.') ?? []),
    transaction: joined(Transaction, first, 'transaction.'),
  }
}

/** Everything that one change of money leaves behind. */
export interface MoneyWrite {
  settlement: Settlement
  changes: Change[]
  /** More statements for the same CTE: rows of the transaction, the stored operation. */
  beside?: FragmentSqlToken[]
  /** The idempotency key and the reply kept under it. */
  answer?: { key: IdempotencyKey; reply: MessageShape<DescMessage> } | undefined
}

const mutable = [
  'currency',
  'availableBalance',
  'currentBalance',
  'limitBalance',
  'expenses',
  'goals',
  'balancesAsOf',
  'mask',
  'name',
  'accountType',
  'accountSubType',
  'status',
  'lastUpdated',
  'updatedAt',
  'deletedAt',
] as const

/**
 * Saves a change of money in one statement: journal, balances, envelopes, changes, the answer and
 * what stands beside them. The bank account must be locked by `lockMoney` in this transaction.
 */
export async function saveMoney(tx: Tx, write: MoneyWrite): Promise<void> {
  const { bankAccount, envelopes, entries } = write.settlement
  const { accountId, bankAccountId } = bankAccount
  const parts = [
    ...(entries.length > 0 ? [insertEntries(entries)] : []),
    ...(envelopes.length > 0 ? [updateEnvelopes(envelopes)] : []),
    ...(write.changes.length > 0 ? [insertChanges(write.changes)] : []),
    ...(write.answer ? [insertReply(write.answer.key, write.answer.reply)] : []),
    ...(write.beside ?? []),
  ].map((part, index) => sql.fragment`${sql.identifier([`part${index}`])} AS (${part})`)
  const before =
    parts.length > 0 ? sql.fragment`WITH ${sql.join(parts, sql.fragment`, `)}` : sql.fragment``
  await tx.query(sql.unsafe`
    ${before} UPDATE bank_accounts SET ${assignmentsOf(bankAccount, mutable)}
    WHERE account_id = ${accountId} AND bank_account_id = ${bankAccountId}`)
}

/** The INSERT of journal rows, for a CTE. */
export function insertEntries(entries: readonly JournalEntry[]): FragmentSqlToken {
  return sql.fragment`
    INSERT INTO journal (account_id, bank_account_id, operation_id, spending_id, pot, delta, amount,
      cause, cause_id, created_at)
    SELECT * FROM ${sql.unnest(
      entries.map((entry) => [
        entry.accountId,
        entry.bankAccountId,
        entry.operationId,
        entry.spendingId,
        entry.pot,
        entry.delta,
        entry.amount,
        entry.cause,
        entry.causeId,
        entry.createdAt.toISOString(),
      ]),
      ['text', 'text', 'text', 'text', 'text', 'int8', 'int8', 'text', 'text', 'timestamptz'],
    )}`
}

function updateEnvelopes(envelopes: readonly Envelope[]): FragmentSqlToken {
  return sql.fragment`
    UPDATE envelopes SET current_amount = saved.current, used_amount = saved.used,
      period_spent = saved.spent, version = saved.version, closed_at = saved.closed
    FROM ${sql.unnest(
      envelopes.map((envelope) => [
        envelope.accountId,
        envelope.bankAccountId,
        envelope.spendingId,
        envelope.currentAmount,
        envelope.usedAmount,
        envelope.periodSpent,
        envelope.version,
        envelope.closedAt?.toISOString() ?? null,
      ]),
      ['text', 'text', 'text', 'int8', 'int8', 'int8', 'int8', 'timestamptz'],
    )} AS saved (account, bank_account, spending, current, used, spent, version, closed)
    WHERE account_id = saved.account AND bank_account_id = saved.bank_account
      AND spending_id = saved.spending`
}

/** The schema of a joined entity's fields: prefixed, and all null where nothing was joined. */
function nullable<Shape extends z.ZodRawShape>(shape: Shape, prefix: string): z.ZodRawShape {
  return Object.fromEntries(
    Object.entries(shape).map(([name, field]) => [
      `${prefix}${name}`,
      (field as z.ZodType).nullable(),
    ]),
  )
}

function joined<Shape extends z.ZodRawShape>(
  entity: z.ZodObject<Shape>,
  row: Record<string, unknown>,
  prefix: string,
): z.infer<z.ZodObject<Shape>> | null {
  return row[`${prefix}accountId`] === null ? null : part(entity, row, prefix)
}

function part<Shape extends z.ZodRawShape>(
  entity: z.ZodObject<Shape>,
  row: Record<string, unknown>,
  prefix: string,
): z.infer<z.ZodObject<Shape>> {
  const fields = Object.keys(entity.shape).map((name) => [name, row[`${prefix}${name}`]])
  return Object.fromEntries(fields) as z.infer<z.ZodObject<Shape>>
}
