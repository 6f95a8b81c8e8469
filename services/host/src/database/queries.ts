import type { Queries } from '@coffer/kit/database/database'
import { isRead } from '@coffer/kit/database/statement'
import {
  DataIntegrityError,
  NotFoundError,
  type QuerySqlToken,
  SchemaValidationError,
} from 'slonik'
import type { z } from 'zod'
import type { Found, Statement } from '../postgres/statement.ts'

/** Sends a prepared statement object. */
export type Run = (statement: Statement) => Promise<Found>

/**
 * Returns the name for a prepared statement; undefined for a new text once `textsMax` have names.
 */
export type NameOf = (text: string) => string | undefined

// Maximum number of named statements per connection pool; a service has a few hundred. No name is
// ever reused, because connections keep the statement that they prepared under it.
const textsMax = 1_000

/** Creates the naming function of a connection pool. */
export function nameStatements(): NameOf {
  const names = new Map<string, string>()
  return (text) => {
    let name = names.get(text)
    if (name === undefined && names.size < textsMax) {
      name = `s${names.size}`
      names.set(text, name)
    }
    return name
  }
}

/** Creates the functions that run statements and check the number of their rows and columns. */
export function createQueries(run: Run, nameOf: NameOf): Queries {
  const send = (token: QuerySqlToken, text: string, parse: Statement['parse']) => {
    // slonik's tag writes parameters as `$slonik_1`; Postgres requires `$1`.
    const plain = text.replaceAll('$slonik_', '$')
    const { values } = token
    return run({ text: plain, name: nameOf(plain), values, isRead: isRead(token), parse })
  }
  const query = (token: QuerySqlToken) => send(token, token.sql, parserOf(token))
  const rowsOf = async (token: QuerySqlToken) => (await query(token)).rows
  const rowOf = async (token: QuerySqlToken) => {
    const rows = await rowsOf(token)
    if (rows.length > 1) throw new DataIntegrityError('Query returned multiple rows.', shown(token))
    return rows.length === 0 ? null : rows[0]
  }
  const oneOf = async (token: QuerySqlToken) => {
    const row = await rowOf(token)
    if (row === null) throw new NotFoundError('Query returned no rows.', shown(token))
    return row
  }
  const first = (token: QuerySqlToken, row: unknown) => {
    const [value, ...others] = Object.values(row as object)
    if (others.length === 0) return value
    throw new DataIntegrityError('Query returned rows with multiple columns.', shown(token))
  }
  const queries = {
    query,
    any: rowsOf,
    anyFirst: async (token: QuerySqlToken) => {
      return (await rowsOf(token)).map((row) => first(token, row))
    },
    exists: async (token: QuerySqlToken) => {
      const { rows } = await send(token, `SELECT EXISTS(${token.sql})`, (row) => row.exists)
      return rows[0]
    },
    maybeOne: rowOf,
    maybeOneFirst: async (token: QuerySqlToken) => {
      const row = await rowOf(token)
      return row === null ? null : first(token, row)
    },
    one: oneOf,
    oneFirst: async (token: QuerySqlToken) => first(token, await oneOf(token)),
  }
  // Each row was validated by the schema of its token, so it has the token's type.
  return queries as unknown as Queries
}

/** Returns the function that checks and converts a row by the zod schema of its statement. */
function parserOf(token: QuerySqlToken): Statement['parse'] {
  const schema = token.parser as z.ZodType
  return (row) => {
    const parsed = schema.safeParse(row)
    if (parsed.success) return parsed.data
    throw new SchemaValidationError(shown(token), row as never, parsed.error.issues as never)
  }
}

function shown({ sql, values }: QuerySqlToken) {
  return { sql, values }
}
