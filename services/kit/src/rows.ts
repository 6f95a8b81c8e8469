import {
  type FragmentSqlToken,
  type ListSqlToken,
  type PrimitiveValueExpression,
  sql,
} from 'slonik'
import type { z } from 'zod'
import type { Database } from './database.ts'

/**
 * The columns of an entity for a SELECT: snake_case in the table, the entity's names in the result,
 * there with a prefix where two entities share a row.
 */
export function columnsOf(
  entity: z.ZodObject,
  { table, prefix = '' }: { table: string; prefix?: string },
): ListSqlToken {
  const names = Object.keys(entity.shape)
  return sql.join(
    names.map((name) => {
      const result = sql.identifier([`${prefix}${name}`])
      return sql.fragment`${sql.identifier([table, columnOf(name)])} AS ${result}`
    }),
    sql.fragment`, `,
  )
}

/** The INSERT of one entity, each of its fields in the column of that name. */
export function insertOf<Shape extends z.ZodRawShape>(
  table: string,
  schema: z.ZodObject<Shape>,
  entity: z.infer<z.ZodObject<Shape>>,
): FragmentSqlToken {
  const names = Object.keys(schema.shape)
  const columns = names.map((name) => sql.identifier([columnOf(name)]))
  const values = names.map((name) => parameterOf((entity as Record<string, unknown>)[name]))
  return sql.fragment`
    INSERT INTO ${sql.identifier([table])} (${sql.join(columns, sql.fragment`, `)})
    VALUES (${sql.join(values, sql.fragment`, `)})`
}

/** The SET list of an UPDATE for these fields of an entity. */
export function assignmentsOf<Entity extends object>(
  entity: Entity,
  names: readonly (keyof Entity & string)[],
): ListSqlToken {
  return sql.join(
    names.map((name) => {
      return sql.fragment`${sql.identifier([columnOf(name)])} = ${parameterOf(entity[name])}`
    }),
    sql.fragment`, `,
  )
}

/** Deletes at most so many rows of a table that fulfil the condition; returns how many went. */
export async function deleteSome(
  { pool }: Database,
  { table, where, limit }: { table: string; where: FragmentSqlToken; limit: number },
): Promise<number> {
  const name = sql.identifier([table])
  const { rowCount } = await pool.query(sql.unsafe`
    DELETE FROM ${name} WHERE ctid = ANY(ARRAY(
      SELECT ctid FROM ${name} WHERE ${where} LIMIT ${limit}))`)
  return rowCount
}

/** The names of an entity's columns, for an INSERT from records. */
export function columnNames(entity: z.ZodObject): ListSqlToken {
  const names = Object.keys(entity.shape).map((name) => sql.identifier([columnOf(name)]))
  return sql.join(names, sql.fragment`, `)
}

/**
 * Entities as the JSON text that `jsonb_populate_recordset(NULL::table, …)` turns into rows: any
 * number of them is one parameter of one statement. Amounts are exact (±2^53−1).
 */
export function recordsOf(entities: readonly object[]): string {
  return `[${entities.map(recordOf).join(',')}]`
}

/** Written piece by piece: a copy under other names for JSON.stringify takes half as long again. */
function recordOf(entity: object): string {
  let text = ''
  for (const [name, value] of Object.entries(entity)) {
    // What is not in a record is null in its row.
    if (value === null || value === undefined) continue
    text += `${text === '' ? '{' : ','}"${columnOf(name)}":${recordValueOf(value)}`
  }
  return text === '' ? '{}' : `${text}}`
}

function recordValueOf(value: NonNullable<unknown>): string {
  if (typeof value === 'string') return JSON.stringify(value)
  if (typeof value === 'bigint') return value.toString()
  if (value instanceof Date) return `"${value.toISOString()}"`
  if (value instanceof Buffer) return `"\\\\x${value.toString('hex')}"`
  return JSON.stringify(value)
}

/** A field as a parameter; Postgres takes its type from the column. */
function parameterOf(value: unknown): FragmentSqlToken {
  if (value instanceof Date) return sql.fragment`${value.toISOString()}`
  if (Array.isArray(value)) return sql.fragment`${sql.array(value, 'text')}`
  if (value instanceof Buffer) return sql.fragment`${sql.binary(value)}`
  return sql.fragment`${(value ?? null) as PrimitiveValueExpression}`
}

const columns = new Map<string, string>()

function columnOf(name: string): string {
  let column = columns.get(name)
  if (column === undefined) {
    column = name.replace(/[A-Z]/g, (letter) => `_${letter.toLowerCase()}`)
    columns.set(name, column)
  }
  return column
}
