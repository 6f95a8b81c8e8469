import type { PrimitiveValueExpression, QuerySqlToken } from 'slonik'

/**
 * A statement whose text is built once: `build` is called a single time, with a stand-in for each
 * parameter, and every use fills in the values. For statements on the hot path, where joining
 * fragments would cost as much as running them. An array is passed as it is (`${ids}::text[]`).
 * However often a parameter stands in the text, it is sent and read once.
 */
export function prepare<Token extends QuerySqlToken, Name extends string>(
  names: readonly Name[],
  build: (parameters: Record<Name, string>) => Token,
): (values: Record<Name, unknown>) => Token {
  const standIns = Object.fromEntries(names.map((name) => [name, `stand-in for ${name}`]))
  const token = build(standIns as Record<Name, string>)
  const order = token.values.map((value) => {
    const name = names.find((one) => standIns[one] === value)
    if (name === undefined) throw new Error(`a value that is no parameter: ${String(value)}`)
    return name
  })
  const distinct = [...new Set(order)]
  const placeOf = (index: string) => distinct.indexOf(order[Number(index) - 1] as Name) + 1
  const text = token.sql.replace(/\$slonik_(\d+)/g, (_all, index: string) => `$${placeOf(index)}`)
  return (values) => ({
    ...token,
    sql: text,
    values: distinct.map((name) => values[name] as PrimitiveValueExpression),
  })
}

/**
 * Statements that differ in the parts they have, each built when it is first needed. For statements
 * whose parts are often without work: Postgres sets up all that a statement has each time it runs.
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
