import {
  type Attributes,
  currentTraceId,
  type StartedSpan,
  startChild,
} from '@coffer/kit/telemetry/trace'
import { LRUCache } from 'lru-cache'
import type { Interceptor } from 'slonik'
import { summarize } from './statement-summary.ts'

// Statements by text: a service has a few hundred.
const namesMax = 2_000

type Named = { name: string; options: { kind: 'client'; attributes: Attributes } }

/**
 * Creates the interceptor that makes a span of each statement of a sampled request. Its name is the
 * summary of the statement (`SELECT transactions`): the text and the parameters are left out,
 * because they may contain data of users.
 */
export function traceStatements(schema: string): Interceptor {
  const known = new LRUCache<string, Named>({ max: namesMax })
  const describe = (text: string): Named => {
    const found = known.get(text)
    if (found !== undefined) return found
    const { text: name, operation, table } = summarize(text)
    const attributes = Object.freeze({
      'db.system.name': 'postgresql',
      'db.namespace': schema,
      'db.query.summary': name,
      ...(operation === null ? {} : { 'db.operation.name': operation }),
      ...(table === null ? {} : { 'db.collection.name': table }),
    })
    const described: Named = { name, options: { kind: 'client', attributes } }
    known.set(text, described)
    return described
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
      if (currentTraceId() === undefined) return null
      const { name, options } = describe(sql)
      sandbox.span = startChild(name, options)
      return null
    },
    afterQueryExecution: ({ sandbox }) => end(sandbox),
    queryExecutionError: ({ sandbox }, _query, error) => end(sandbox, error),
  }
}
