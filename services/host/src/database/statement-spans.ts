import { type Attributes, currentTraceId, traced } from '@coffer/kit/telemetry/trace'
import { LRUCache } from 'lru-cache'
import { summarize } from './statement-summary.ts'

// Maximum number of cached span names, one for each statement text; a service has a few hundred.
const namesMax = 2_000

type Named = { name: string; options: { kind: 'client'; attributes: Attributes } }

/**
 * Creates the function that runs a statement in a span, if its request is sampled. The span's name
 * is the summary of the statement (`SELECT transactions`), without text and parameters, because
 * they may contain data of users.
 */
export function traceStatements(schema: string) {
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
  return <T>(text: string, run: () => Promise<T>): Promise<T> => {
    if (currentTraceId() === undefined) return run()
    const { name, options } = describe(text)
    return traced(name, options, run)
  }
}
