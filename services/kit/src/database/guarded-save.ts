import { type FragmentSqlToken, sql } from 'slonik'
import { z } from 'zod'
import { columnNames, namesOf, rowAssignments } from './rows.ts'

// Parts of a statement that saves aggregates by compare-and-set. Its CTE `guard` has a row for each
// aggregate whose version still holds: `account_id`, `bank_account_id`, and for each part a column
// of the part's name that holds the rows to save as a JSON array.

/** The fields that name an aggregate. */
export const keyFields = ['accountId', 'bankAccountId']

/** What a save returns: the keys of the aggregates that are saved. */
export const SavedRow = z.object({ accountId: z.string(), bankAccountId: z.string() })

/** What the guard's row lock does about a row that another transaction has locked. */
export function skipping(isSkipping: boolean): FragmentSqlToken {
  return isSkipping ? sql.fragment`SKIP LOCKED` : sql.fragment``
}

/**
 * The rows of a part, called `new`. The OFFSET and the comparison tell the planner to expect few:
 * it looks each of them up by its key then, where it may read the whole table otherwise.
 */
export function guardedRows(part: string, table: string): FragmentSqlToken {
  return sql.fragment`guard CROSS JOIN LATERAL (
      SELECT * FROM jsonb_populate_recordset(
        NULL::${sql.identifier([table])}, guard.${sql.identifier([part])}) AS row
      WHERE row.account_id = guard.account_id AND row.bank_account_id = guard.bank_account_id
      OFFSET 0
    ) AS new`
}

/** The row of a table that a row of `guardedRows` replaces; its ID is the field of this name. */
export function replacedRow(table: string, id?: string): FragmentSqlToken {
  const fields = [...keyFields, ...(id === undefined ? [] : [id])]
  const same = namesOf(fields).members.map(
    (column) => sql.fragment`${sql.identifier([table])}.${column} = new.${column}`,
  )
  return sql.fragment`${sql.join(same, sql.fragment` AND `)}`
}

/** A table whose rows are replaced whole, and the field of their IDs. */
export interface ReplacedPart {
  table: string
  entity: z.ZodObject
  id: string
}

/** The UPDATE of a part's rows: every field of the entity but its key. */
export function guardedUpdate({ table, entity, id }: ReplacedPart, part: string): FragmentSqlToken {
  return sql.fragment`
    UPDATE ${sql.identifier([table])}
    SET ${rowAssignments(entity, [...keyFields, id])}
    FROM ${guardedRows(part, table)} WHERE ${replacedRow(table, id)}`
}

/** The DELETE of a part's rows. */
export function guardedDelete({ table, id }: ReplacedPart, part: string): FragmentSqlToken {
  return sql.fragment`
    DELETE FROM ${sql.identifier([table])}
    USING ${guardedRows(part, table)} WHERE ${replacedRow(table, id)}`
}

/** A table that rows are inserted into, and the entity that they are. */
export type InsertPart = Omit<ReplacedPart, 'id'>

/** The INSERT of a part's rows, which may belong to an account alone. */
export function guardedInsert({ table, entity }: InsertPart, part: string): FragmentSqlToken {
  const columns = columnNames(entity)
  const values = columns.members.map((column) => sql.fragment`new.${column}`)
  return sql.fragment`
    INSERT INTO ${sql.identifier([table])} (${columns})
    SELECT ${sql.join(values, sql.fragment`, `)}
    FROM guard CROSS JOIN LATERAL jsonb_populate_recordset(
      NULL::${sql.identifier([table])}, guard.${sql.identifier([part])}) AS new`
}

/** Replies that are kept under an Idempotency-Key. */
export const replyPart: InsertPart = {
  table: 'idempotency_keys',
  entity: z.object({
    accountId: z.string(),
    route: z.string(),
    key: z.string(),
    bodyHash: z.instanceof(Buffer),
    reply: z.instanceof(Buffer),
  }),
}
