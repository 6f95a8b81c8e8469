import type { Change } from '@coffer/kit/changes'
import { recordsOf } from '@coffer/kit/rows'
import { prepare } from '@coffer/kit/statement'
import { type CommonQueryMethods, type FragmentSqlToken, sql } from 'slonik'
import { z } from 'zod'
import type { BankAccount } from './bank-account.ts'
import type { Envelope } from './envelope.ts'
import type { JournalEntry } from './journal.ts'
import { additions, givenIf } from './money-additions.sql.ts'
import type { Operation } from './operation.sql.ts'
import type { SeenRows } from './scheduled.sql.ts'
import type { Transaction } from './transaction.ts'

/** Everything that operations on many bank accounts leave behind, each row once. */
export interface ScheduledSave {
  bankAccounts: readonly BankAccount[]
  envelopes: readonly Envelope[]
  entries: readonly JournalEntry[]
  inserted: readonly Transaction[]
  changes: readonly Change[]
  operations: readonly Operation[]
}

const parameters = [
  'accountIds',
  'bankAccountIds',
  'seenAccounts',
  'ownerIds',
  'ownerBankAccountIds',
  'spendingIds',
  'seenEnvelopes',
  'bankAccounts',
  'envelopes',
  'entries',
  'inserted',
  'changes',
  'operations',
] as const
type Row = Record<(typeof parameters)[number], string>

/**
 * Takes the money lock of every bank account, then locks the envelopes, in the order of the
 * arrays; `unchanged` has a row where each of them still has the version that was seen. A locked
 * row stays in its place, so that it is updated without being searched for again.
 */
function guardOf(row: Row): FragmentSqlToken {
  return sql.fragment`
    account AS MATERIALIZED (
      SELECT account_id, bank_account_id, place
      FROM unnest(${row.accountIds}::text[], ${row.bankAccountIds}::text[],
        ${row.seenAccounts}::text[]) AS seen (account_id, bank_account_id, version)
      CROSS JOIN LATERAL (
        SELECT owner.ctid AS place FROM bank_accounts AS owner
        WHERE owner.account_id = seen.account_id
          AND owner.bank_account_id = seen.bank_account_id AND owner.xmin::text = seen.version
        LIMIT 1 FOR NO KEY UPDATE
      ) AS locked
    ), envelope AS MATERIALIZED (
      SELECT account_id, bank_account_id, spending_id, place
      FROM unnest(${row.ownerIds}::text[], ${row.ownerBankAccountIds}::text[],
        ${row.spendingIds}::text[], ${row.seenEnvelopes}::text[])
        AS seen (account_id, bank_account_id, spending_id, version)
      CROSS JOIN LATERAL (
        SELECT held.ctid AS place FROM envelopes AS held
        WHERE held.account_id = seen.account_id
          AND held.bank_account_id = seen.bank_account_id
          AND held.spending_id = seen.spending_id AND held.xmin::text = seen.version
        LIMIT 1 FOR NO KEY UPDATE
      ) AS locked
      WHERE (SELECT count(*) FROM account) = cardinality(${row.accountIds}::text[])
    ), unchanged AS MATERIALIZED (
      SELECT WHERE (SELECT count(*) FROM account) = cardinality(${row.accountIds}::text[])
        AND (SELECT count(*) FROM envelope) = cardinality(${row.spendingIds}::text[])
    )`
}

const Saved = z.object({ bankAccountId: z.string() })

const saveStatement = prepare(parameters, (row) => {
  const given = givenIf(sql.fragment`EXISTS (SELECT FROM unchanged)`)
  const added = additions(row, given)
  return sql.type(Saved)`
    WITH ${guardOf(row)}, booked AS (${added.entries}), held AS (
      UPDATE envelopes SET current_amount = new.current_amount, used_amount = new.used_amount,
        period_spent = new.period_spent, version = new.version
      FROM ${given('envelopes', row.envelopes)} AS new
      JOIN envelope USING (account_id, bank_account_id, spending_id)
      WHERE envelopes.ctid = envelope.place
    ), inserted AS (${added.inserted}), asked AS (
      INSERT INTO waiting_searches (account_id, bank_account_id, asked_at)
      SELECT DISTINCT account_id, bank_account_id, created_at
      FROM ${given('transactions', row.inserted)}
      ON CONFLICT (account_id, bank_account_id) DO UPDATE SET asked_at = excluded.asked_at
    ), emitted AS (${added.changes}), operated AS (${added.operations})
    UPDATE bank_accounts SET available_balance = new.available_balance,
      current_balance = new.current_balance, expenses = new.expenses, goals = new.goals,
      last_updated = new.last_updated
    FROM ${given('bank_accounts', row.bankAccounts)} AS new
    JOIN account USING (account_id, bank_account_id)
    WHERE bank_accounts.ctid = account.place
    RETURNING bank_accounts.bank_account_id AS "bankAccountId"`
})

/**
 * Saves what was decided on rows that `readScheduled` gave, all of it where every one of them is as
 * it was then, otherwise nothing (false). It takes the locks itself: one statement, of which a
 * transaction needs no other.
 */
export async function saveScheduled(
  connection: CommonQueryMethods,
  save: ScheduledSave,
  seen: Pick<SeenRows, 'bankAccounts' | 'envelopes'>,
): Promise<boolean> {
  const { bankAccounts, envelopes } = seen
  const saved = await connection.any(
    saveStatement({
      accountIds: bankAccounts.map(({ accountId }) => accountId),
      bankAccountIds: bankAccounts.map(({ bankAccountId }) => bankAccountId),
      seenAccounts: bankAccounts.map((one) => one.seen),
      ownerIds: envelopes.map(({ accountId }) => accountId),
      ownerBankAccountIds: envelopes.map(({ bankAccountId }) => bankAccountId),
      spendingIds: envelopes.map(({ spendingId }) => spendingId),
      seenEnvelopes: envelopes.map((one) => one.seen),
      bankAccounts: recordsOf(save.bankAccounts),
      envelopes: recordsOf(save.envelopes),
      entries: recordsOf(save.entries),
      inserted: recordsOf(save.inserted),
      changes: recordsOf(save.changes),
      operations: recordsOf(save.operations),
    }),
  )
  return saved.length > 0
}
