import { type FragmentSqlToken, type ListSqlToken, sql } from 'slonik'
import { namesOf } from './rows.ts'

// Parts of a statement that saves aggregates by compare-and-set. Its CTE `guard` has a row for each
// aggregate whose version still holds: `account_id`, `bank_account_id`, and for each part a column
// of the part's name that holds the rows to save as a JSON array.

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

/** The row of a table that a row of `guardedRows` replaces. */
export function replacedRow(table: string, id?: string): FragmentSqlToken {
  const same = (column: string) =>
    sql.fragment`${sql.identifier([table, column])} = ${sql.identifier(['new', column])}`
  const columns = ['account_id', 'bank_account_id', ...(id === undefined ? [] : [id])]
  return sql.fragment`${sql.join(columns.map(same), sql.fragment` AND `)}`
}

/** A table that rows are inserted into, and the columns that they have. */
export interface InsertPart {
  table: string
  columns: ListSqlToken
}

/** The INSERT of a part's rows, which may belong to an account alone. */
export function guardedInsert({ table, columns }: InsertPart, part: string): FragmentSqlToken {
  const values = columns.members.map((column) => sql.fragment`new.${column}`)
  return sql.fragment`
    INSERT INTO ${sql.identifier([table])} (${columns})
    SELECT ${sql.join(values, sql.fragment`, `)}
    FROM guard CROSS JOIN LATERAL jsonb_populate_recordset(
      NULL::${sql.identifier([table])}, guard.${sql.identifier([part])}) AS new`
}

/** The columns of a reply that is kept under an Idempotency-Key. */
export const replyPart: InsertPart = {
  table: 'idempotency_keys',
  columns: namesOf(['accountId', 'route', 'key', 'bodyHash', 'reply']),
}
