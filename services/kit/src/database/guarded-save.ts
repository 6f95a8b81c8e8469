// Builds the parts of one statement that saves aggregates by compare-and-set. Its CTE `guard` has a
// row for each aggregate whose version is unchanged: `account_id`, `bank_account_id`, and for each
// table a column with the rows to save as a JSON array (a "part").

import { type FragmentSqlToken, sql } from 'slonik'
import { z } from 'zod'
import { KeptReply } from './idempotency.ts'
import { columnNames, namesOf, rowAssignments } from './rows.ts'

export const keyFields = ['accountId', 'bankAccountId']

export const SavedRow = z.object({ accountId: z.string(), bankAccountId: z.string() })

/** Returns SKIP LOCKED, or without `isSkipping` nothing, so that the SELECT waits for locks. */
export function skipping(isSkipping: boolean): FragmentSqlToken {
  return isSkipping ? sql.fragment`SKIP LOCKED` : sql.fragment``
}

/**
 * Returns the FROM item `new`: the rows to save in a table, from the JSON of the CTE `guard`.
 * OFFSET and the comparison of IDs keep the planner's row estimate low, so that it uses the primary
 * key.
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
 * Returns the SQL condition that joins a table with its new rows by primary key; `id` is the field
 * of the ID.
 */
export function replacedRow(table: string, id?: string): FragmentSqlToken {
  const fields = [...keyFields, ...(id === undefined ? [] : [id])]
  const same = namesOf(fields).members.map(
    (column) => sql.fragment`${sql.identifier([table])}.${column} = new.${column}`,
  )
  return sql.fragment`${sql.join(same, sql.fragment` AND `)}`
}

/** A table whose rows are updated or deleted as a whole. `id` is the field of the row's ID. */
export interface ReplacedPart {
  table: string
  entity: z.ZodObject
  id: string
}

/** Returns the UPDATE of a table's changed rows: all fields of the entity except its key. */
export function guardedUpdate({ table, entity, id }: ReplacedPart, part: string): FragmentSqlToken {
  return sql.fragment`
    UPDATE ${sql.identifier([table])}
    SET ${rowAssignments(entity, [...keyFields, id])}
    FROM ${guardedRows(part, table)} WHERE ${replacedRow(table, id)}`
}

/** Returns the DELETE of a table's removed rows. */
export function guardedDelete({ table, id }: ReplacedPart, part: string): FragmentSqlToken {
  return sql.fragment`
    DELETE FROM ${sql.identifier([table])}
    USING ${guardedRows(part, table)} WHERE ${replacedRow(table, id)}`
}

/** A table whose rows are only inserted, and the schema of the rows. */
export type InsertPart = Omit<ReplacedPart, 'id'>

/**
 * Returns the INSERT of the rows of a part. Does not join on the bank account ID, because tables
 * such as idempotency_keys have no such column.
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

/** Stored replies for repeated requests, saved together with the change that they report. */
export const replyPart: InsertPart = { table: 'idempotency_keys', entity: KeptReply }
