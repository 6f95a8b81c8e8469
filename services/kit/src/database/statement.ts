import type { PrimitiveValueExpression, QuerySqlToken } from 'slonik'

/**
 * Compiles a statement once, because joining SQL fragments costs as much as running the statement.
 * `build` gets placeholders; each call of the result fills in their values. Arrays are passed as
 * they are (`${ids}::text[]`).
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
 * parts saves time, because Postgres initializes the whole plan at each run.
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
