import { columnNames } from '@coffer/kit/rows'
import { type FragmentSqlToken, sql } from 'slonik'
import { JournalEntry } from './journal.ts'
import { rowsOfJson } from './money.sql.ts'
import { Transaction } from './transaction.ts'

/** Rows of a table that a save brings along as JSON. */
export type Given = (table: string, json: string) => FragmentSqlToken

/** All of the rows where the condition holds, otherwise none. */
export function givenIf(holds: FragmentSqlToken): Given {
  return (table, json) =>
    rowsOfJson(table, sql.fragment`CASE WHEN ${holds} THEN ${json}::jsonb ELSE '[]' END`)
}

/** What a change of money adds, be it of one bank account or of many: one statement each. */
export function additions(
  row: Record<'entries' | 'inserted' | 'changes' | 'operations', string>,
  given: Given,
) {
  return {
    entries: sql.fragment`
      INSERT INTO journal (${columnNames(JournalEntry)})
      SELECT ${columnNames(JournalEntry)} FROM ${given('journal', row.entries)}`,
    inserted: sql.fragment`
      INSERT INTO transactions (${columnNames(Transaction)})
      SELECT ${columnNames(Transaction)} FROM ${given('transactions', row.inserted)}`,
    changes: sql.fragment`
      INSERT INTO changes (change_id, account_id, type, entity_id, version, payload)
      SELECT change_id, account_id, type, entity_id, version, payload
      FROM ${given('changes', row.changes)}`,
    operations: sql.fragment`
      INSERT INTO operations (account_id, bank_account_id, operation_id, reply, created_at)
      SELECT account_id, bank_account_id, operation_id, reply, created_at
      FROM ${given('operations', row.operations)}`,
  }
}
