import {
  type FragmentSqlToken,
  type ListSqlToken,
  type PrimitiveValueExpression,
  sql,
} from 'slonik'
import { z } from 'zod'
import type { Database } from './database.ts'

/**
 * Returns an entity's columns for SELECT, renamed from snake_case to camelCase. The prefix
 * distinguishes two entities in one result row.
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

/** Returns the INSERT of one entity; field `accountId` is stored in column `account_id`. */
export function insertOf<Shape extends z.ZodRawShape>(
  table: string,
  schema: z.ZodObject<Shape>,
  entity: z.infer<z.ZodObject<Shape>>,
): FragmentSqlToken {
  const values = Object.keys(schema.shape).map((name) => (entity as Record<string, unknown>)[name])
  return sql.fragment`
    INSERT INTO ${sql.identifier([table])} (${columnNames(schema)})
    VALUES (${parametersOf(values)})`
}

/** Returns the SET list of an UPDATE of these fields. */
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

const KeyColumn = z.object({ column: z.string() })

/** Returns the columns of a table's primary key, in key order. Throws for a table without one. */
export async function keyColumns({ pool }: Database, table: string): Promise<ListSqlToken> {
  const columns = await pool.anyFirst(sql.type(KeyColumn)`
    SELECT attname::text AS "column" FROM pg_index
    JOIN pg_attribute ON attrelid = indrelid AND attnum = ANY(indkey::int2[])
    WHERE indrelid = ${table}::regclass AND indisprimary
    ORDER BY array_position(indkey::int2[], attnum)`)
  if (columns.length === 0) throw new Error(`table ${table} has no primary key`)
  return sql.join(
    columns.map((column) => sql.identifier([column])),
    sql.fragment`, `,
  )
}

/**
 * Keyset pagination: returns the condition that the primary key is greater than these values, or
 * TRUE without values. Needs no casts: Postgres infers the types from the columns.
 */
export function isAfter(
  key: ListSqlToken | FragmentSqlToken,
  values: readonly string[],
): FragmentSqlToken {
  return values.length === 0
    ? sql.fragment`true`
    : sql.fragment`(${key}) > (${parametersOf(values)})`
}

/** Returns a comma-separated list with one query parameter for each value. */
export function parametersOf(values: readonly unknown[]): ListSqlToken {
  return sql.join(values.map(parameterOf), sql.fragment`, `)
}

/** Deletes at most `limit` rows that match the condition; returns the number of deleted rows. */
export async function deleteSome(
  database: Database,
  { table, where, limit }: { table: string; where: FragmentSqlToken; limit: number },
): Promise<number> {
  const name = sql.identifier([table])
  const key = await keyColumns(database, table)
  // LIMIT is a literal, because with a parameter the planner would expect many rows.
  const { rowCount } = await database.pool.query(sql.unsafe`
    DELETE FROM ${name} WHERE (${key}) IN (
      SELECT ${key} FROM ${name} WHERE ${where} LIMIT ${sql.literalValue(`${limit}`)})`)
  return rowCount
}

/** Returns an entity's column names, comma-separated. */
export function columnNames(entity: z.ZodObject): ListSqlToken {
  return namesOf(Object.keys(entity.shape))
}

/** Returns the column names of these fields: `accountId` becomes `account_id`. */
export function namesOf(fields: readonly string[]): ListSqlToken {
  const names = fields.map((name) => sql.identifier([columnOf(name)]))
  return sql.join(names, sql.fragment`, `)
}

/** Returns the SET list of an UPDATE … FROM `source`, for all fields except the key. */
export function rowAssignments(
  entity: z.ZodObject,
  key: readonly string[],
  source = 'new',
): ListSqlToken {
  const names = Object.keys(entity.shape).filter((name) => !key.includes(name))
  return sql.join(
    names.map((name) => {
      const column = sql.identifier([columnOf(name)])
      return sql.fragment`${column} = ${sql.identifier([source])}.${column}`
    }),
    sql.fragment`, `,
  )
}

/**
 * Parses the JSON of a row (`to_json(table)`) into an entity: the inverse of `recordsOf`. Ignores
 * columns without a field. Throws ZodError for a value of the wrong type.
 */
export function entityOf<Shape extends z.ZodRawShape>(
  entity: z.ZodObject<Shape>,
  record: Record<string, unknown>,
): z.infer<z.ZodObject<Shape>> {
  const fields: Record<string, unknown> = {}
  for (const { name, column, decode } of fieldsOf(entity)) {
    const value = record[column] ?? null
    fields[name] = value === null ? null : decode(value)
  }
  return entity.parse(fields)
}

/** A field of an entity, its column, and how its value is read from JSON. */
interface Field {
  name: string
  column: string
  decode: (value: unknown) => unknown
}

// Compiled once, because to look up the type of each field costs twice as much as the rest.
const fieldsByEntity = new WeakMap<z.ZodObject, Field[]>()

function fieldsOf(entity: z.ZodObject): Field[] {
  let fields = fieldsByEntity.get(entity)
  if (fields === undefined) {
    fields = Object.entries(entity.shape).map(([name, type]) => {
      return { name, column: columnOf(name), decode: decoderOf(type as z.ZodType) }
    })
    fieldsByEntity.set(entity, fields)
  }
  return fields
}

/** Converts a JSON value to bigint, Date or Buffer. JSON numbers are exact up to ±2^53−1. */
function decoderOf(field: z.ZodType): Field['decode'] {
  const type = field instanceof z.ZodNullable ? field.unwrap() : field
  if (type instanceof z.ZodBigInt) return (value) => BigInt(value as number)
  if (type instanceof z.ZodDate) return (value) => new Date(value as string)
  if (type instanceof z.ZodCustom) return (value) => Buffer.from((value as string).slice(2), 'hex')
  return (value) => value
}

/**
 * Returns entities as a JSON array for `jsonb_populate_recordset(NULL::table, …)`: one query
 * parameter for any number of rows. Amounts are exact up to ±2^53−1.
 */
export function recordsOf(entities: readonly object[]): string {
  return `[${entities.map(recordOf).join(',')}]`
}

/**
 * Builds the JSON text directly, since JSON.stringify of a renamed copy takes 1.5 times as long.
 */
function recordOf(entity: object): string {
  let text = ''
  for (const [name, value] of Object.entries(entity)) {
    // Omits nulls, because jsonb_populate_recordset sets missing fields to null.
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

/** Returns a field's value as a query parameter, whose type Postgres infers from the column. */
function parameterOf(value: unknown): FragmentSqlToken {
  if (value instanceof Date) return sql.fragment`${value.toISOString()}`
  if (Array.isArray(value)) return sql.fragment`${sql.array(value, 'text')}`
  if (value instanceof Buffer) return sql.fragment`${sql.binary(value)}`
  if (typeof value === 'object' && value !== null) return sql.fragment`${JSON.stringify(value)}`
  return sql.fragment`${(value ?? null) as PrimitiveValueExpression}`
}

// Cache without eviction: code has only a few hundred field names.
const columns = new Map<string, string>()

function columnOf(name: string): string {
  let column = columns.get(name)
  if (column === undefined) {
    column = name.replace(/[A-Z]/g, (letter) => `_${letter.toLowerCase()}`)
    columns.set(name, column)
  }
  return column
}
