import { type PrimitiveValueExpression, type QuerySqlToken, sql } from 'slonik'
import type { z } from 'zod'

/**
 * Returns the SQL tag of a short read, with the schema of its rows: a SELECT that an index bounds
 * to few rows, without locks and without functions that wait. Short reads share a connection, on
 * which a slow one would delay the others; other statements have a connection of their own
 * (docs/architecture.md#connections-to-postgres).
 */
export function read<Row extends z.ZodType>(schema: Row) {
  const tag = sql.type(schema)
  return (...parts: Parameters<typeof tag>) => asRead(tag(...parts))
}

/**
 * Marks a statement as a short read. For statements that are short only with some parameter values;
 * others use `read`.
 */
export function asRead<Token extends QuerySqlToken>(token: Token): Token {
  return { ...token, isRead: true }
}

/** Returns whether a statement is one of `read`. */
export function isRead(token: QuerySqlToken): boolean {
  return (token as { isRead?: boolean }).isRead === true
}

/**
 * Compiles a statement once, because joining SQL fragments costs as much as running the statement.
 * `build` gets placeholders, whose values each call of the result fills in. Arrays are passed as
 * parameters (`${ids}::text[]`).
 */
export function prepare<Token extends QuerySqlToken, Name extends string>(
  names: readonly Name[],
  build: (parameters: Record<Name, string>) => Token,
): (values: Record<Name, unknown>) => Token {
  const placeholders = Object.fromEntries(names.map((name) => [name, `placeholder for ${name}`]))
  const token = build(placeholders as Record<Name, string>)
  const order = token.values.map((value) => {
    const name = names.find((one) => placeholders[one] === value)
    if (name === undefined) throw new Error(`a value that is no parameter: ${String(value)}`)
    return name
  })
  const distinct = [...new Set(order)]
  const numberOf = (index: string) => distinct.indexOf(order[Number(index) - 1] as Name) + 1
  const text = token.sql.replace(/\$slonik_(\d+)/g, (_all, index: string) => `$${numberOf(index)}`)
  return (values) => ({
    ...token,
    sql: text,
    values: distinct.map((name) => values[name] as PrimitiveValueExpression),
  })
}

/**
 * Compiles one statement for each combination of optional parts, on first use. Omitting unused
 * parts saves time, because Postgres initializes the whole plan at each execution.
 */
export function prepareParts<Token extends QuerySqlToken, Name extends string, Part extends string>(
  names: readonly Name[],
  build: (parameters: Record<Name, string>, parts: ReadonlySet<Part>) => Token,
): (values: Record<Name, unknown>, parts: readonly Part[]) => Token {
  const prepared = new Map<string, (values: Record<Name, unknown>) => Token>()
  return (values, parts) => {
    const key = parts.join()
    let statement = prepared.get(key)
    if (!statement) {
      statement = prepare(names, (parameters) => build(parameters, new Set(parts)))
      prepared.set(key, statement)
    }
    return statement(values)
  }
}
