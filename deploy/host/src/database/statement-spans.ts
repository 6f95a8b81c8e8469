import { type StartedSpan, startChild } from '@coffer/kit/service/trace'
import type { Interceptor } from 'slonik'

// Statements by text: a service has a few hundred.
const namesMax = 2_000

/**
 * Creates the interceptor that makes a span of each statement of a sampled request. Its name is the
 * operation and the first table (`SELECT transactions`): the text and the parameters are left out,
 * because they may contain data of users.
 */
export function traceStatements(schema: string): Interceptor {
  const names = new Map<string, string>()
  const nameOf = (text: string): string => {
    const known = names.get(text)
    if (known !== undefined) return known
    const name = statementName(text)
    if (names.size < namesMax) names.set(text, name)
    return name
  }
  const end = (sandbox: Record<string, unknown>, error?: unknown): null => {
    const span = sandbox.span as StartedSpan | null | undefined
    if (error !== undefined) span?.fail(error)
    span?.end()
    return null
  }
  return {
    name: 'trace-statements',
    beforeQueryExecution: ({ sandbox }, { sql }) => {
      const name = nameOf(sql)
      const attributes = {
        'db.system.name': 'postgresql',
        'db.namespace': schema,
        'db.query.summary': name,
      }
      sandbox.span = startChild(name, { kind: 'client', attributes })
      return null
    },
    afterQueryExecution: ({ sandbox }) => end(sandbox),
    queryExecutionError: ({ sandbox }, _query, error) => end(sandbox, error),
  }
}

/**
 * Returns the operation of a statement and its first table, `WITH` aside: `UPDATE changes`. Names
 * of tables are those of migrations, so they contain no data.
 */
function statementName(text: string): string {
  const operation = /\b(SELECT|INSERT|UPDATE|DELETE)\b/i.exec(text)?.[1]?.toUpperCase()
  const table = /\b(?:FROM|INTO|UPDATE|JOIN)\s+"?([a-z_][a-z0-9_]*)/i.exec(text)?.[1]
  return [operation ?? 'SQL', table ?? ''].join(' ').trim()
}
