import { type FragmentSqlToken, sql } from 'slonik'
import { z } from 'zod'
import { KeptReply } from './idempotency.ts'
import { columnNames, namesOf, rowAssignments } from './rows.ts'

// Parts of a statement that saves aggregates by compare-and-set. The CTE `guard` has a row for each
// aggregate whose version still holds. Its columns are `account_id`, `bank_account_id`, and one for
// each part, named after the part: the rows to save as a JSON array.

/** The fields of an aggregate's key. */
export const keyFields = ['accountId', 'bankAccountId']

/** The row that a save returns for each saved aggregate: its key. */
export const SavedRow = z.object({ accountId: z.string(), bankAccountId: z.string() })

/** Returns the locking clause of the guard: SKIP LOCKED, or nothing, which waits for the lock. */
export function skipping(isSkipping: boolean): FragmentSqlToken {
  return isSkipping ? sql.fragment`SKIP LOCKED` : sql.fragment``
}

/**
 * Returns the rows of a part, named `new`. OFFSET and the comparison make the planner expect few
 * rows, so that it uses the primary key instead of a scan of the whole table.
 */
export function guardedRows(part: string, table: string): FragmentSqlToken {
  return sql.fragment`guard CROSS JOIN LATERAL (
      SELECT * FROM jsonb_populate_recordset(
        NULL::${sql.identifier([table])}, guard.${sql.identifier([part])}) AS row
      WHERE row.account_id = guard.account_id AND row.bank_account_id = guard.bank_account_id
      OFFSET 0
    ) AS new`
}

/**
 * Returns the condition that joins a table with `guardedRows` on the key. `id`: field of the ID.
 */
export function replacedRow(table: string, id?: string): FragmentSqlToken {
  const fields = [...keyFields, ...(id === undefined ? [] : [id])]
  const same = namesOf(fields).members.map(
    (column) => sql.fragment`${sql.identifier([table])}.${column} = new.${column}`,
  )
  return sql.fragment`${sql.join(same, sql.fragment` AND `)}`
}

/** A table whose rows are updated or deleted whole, and the field of their ID. */
export interface ReplacedPart {
  table: string
  entity: z.ZodObject
  id: string
}

/** Returns the UPDATE of a part's rows: all fields of the entity except the key. */
export function guardedUpdate({ table, entity, id }: ReplacedPart, part: string): FragmentSqlToken {
  return sql.fragment`
    UPDATE ${sql.identifier([table])}
    SET ${rowAssignments(entity, [...keyFields, id])}
    FROM ${guardedRows(part, table)} WHERE ${replacedRow(table, id)}`
}

/** Returns the DELETE of a part's rows. */
export function guardedDelete({ table, id }: ReplacedPart, part: string): FragmentSqlToken {
  return sql.fragment`
    DELETE FROM ${sql.identifier([table])}
    USING ${guardedRows(part, table)} WHERE ${replacedRow(table, id)}`
}

/** A table that rows are only inserted into, and their entity. */
export type InsertPart = Omit<ReplacedPart, 'id'>

/**
 * Returns the INSERT of a part's rows. Unlike updates and deletes it does not join on the bank
 * account, so the table needs no such column (idempotency_keys has none).
 */
export function guardedInsert({ table, entity }: InsertPart, part: string): FragmentSqlToken {
  const columns = columnNames(entity)
  const values = columns.members.map((column) => sql.fragment`new.${column}`)
  return sql.fragment`
    INSERT INTO ${sql.identifier([table])} (${columns})
    SELECT ${sql.join(values, sql.fragment`, `)}
    FROM guard CROSS JOIN LATERAL jsonb_populate_recordset(
      NULL::${sql.identifier([table])}, guard.${sql.identifier([part])}) AS new`
}

/** The replies stored under an idempotency key. */
export const replyPart: InsertPart = { table: 'idempotency_keys', entity: KeptReply }
