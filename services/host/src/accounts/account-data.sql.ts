import type { Database } from '@coffer/kit/database/database'
import { isAfter } from '@coffer/kit/database/rows'
import { type FragmentSqlToken, sql } from 'slonik'
import { z } from 'zod'
import { type Column, camelCase, type ShownTable, shownTables } from './account-tables.ts'

const ColumnRow = z.object({
  table: z.string(),
  column: z.string(),
  type: z.string(),
  keyPosition: z.number().nullable(),
})

/**
 * Lists the tables with an `account_id` and their exported columns; omits `hidden`
 * (`table.column`).
 */
export async function findShownTables(
  { pool }: Database,
  hidden: readonly string[],
): Promise<ShownTable[]> {
  const columns: readonly Column[] = await pool.any(sql.type(ColumnRow)`
    SELECT relname::text AS "table", column_.attname::text AS "column",
      format_type(column_.atttypid, NULL) AS type,
      array_position(indkey::int2[], column_.attnum) + 1 AS "keyPosition"
    FROM pg_class
    JOIN pg_attribute AS account ON account.attrelid = pg_class.oid
      AND account.attname = 'account_id' AND NOT account.attisdropped
    JOIN pg_attribute AS column_ ON column_.attrelid = pg_class.oid
      AND column_.attnum > 0 AND NOT column_.attisdropped
    LEFT JOIN pg_index ON indrelid = pg_class.oid AND indisprimary
    WHERE relnamespace = current_schema()::regnamespace AND relkind IN ('r', 'p')
      AND NOT relispartition
    ORDER BY relname, column_.attnum`)
  return shownTables(columns, hidden)
}

const Row = z.object({ row: z.string(), key: z.array(z.string()) })

/** Reads a page of an account's rows from one table, in primary-key order, each as JSON text. */
export async function readRows(
  { pool }: Database,
  accountId: string,
  page: { from: ShownTable; after: readonly string[]; limit: number },
): Promise<readonly z.infer<typeof Row>[]> {
  const { from, after, limit } = page
  const key = from.key.map(({ column }) => sql.fragment`stored.${sql.identifier([column])}`)
  const order = key.length > 0 ? sql.fragment`ORDER BY ${commas(key)}` : sql.fragment``
  const keyTexts = commas(key.map((column) => sql.fragment`${column}::text`))
  return pool.any(sql.type(Row)`
    SELECT (SELECT row_to_json(shown)::text
        FROM (SELECT ${commas(from.columns.map(shown))}) AS shown) AS row,
      ARRAY[${keyTexts}]::text[] AS key
    FROM ${sql.identifier([from.table])} AS stored
    WHERE stored.account_id = ${accountId} AND ${isAfter(commas(key), after)}
    ${order} LIMIT ${limit}`)
}

/** Selects a column under its JSON name. Instants are in UTC with milliseconds, as in REST. */
function shown({ column, type }: Column): FragmentSqlToken {
  const value = sql.fragment`stored.${sql.identifier([column])}`
  const name = sql.identifier([camelCase(column)])
  if (type !== 'timestamp with time zone') return sql.fragment`${value} AS ${name}`
  return sql.fragment`
    to_char(${value} AT TIME ZONE 'UTC', 'YYYY-MM-DD"T"HH24:MI:SS.MS"Z"') AS ${name}`
}

function commas(parts: readonly FragmentSqlToken[]): FragmentSqlToken {
  return parts.length === 0 ? sql.fragment`` : sql.fragment`${sql.join(parts, sql.fragment`, `)}`
}
