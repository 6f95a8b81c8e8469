import type { DescService } from '@bufbuild/protobuf'
import { intercept } from '@coffer/host/rpc/intercept'
import type { Database, Queries } from '@coffer/kit/database/database'
import { headers } from '@coffer/kit/rpc/rpc'
import type { Service, ServiceDefinition, ServiceDeps } from '@coffer/kit/service/service'
import type { HandlerContext } from '@connectrpc/connect'
import type { QuerySqlToken } from 'slonik'
import { beginStep, noteCommit, runObserved } from './observed-request.ts'

/** Returns the services with their calls, statements and starts of workflows observed. */
export function observed(definitions: readonly ServiceDefinition[]): ServiceDefinition[] {
  return definitions.map((definition) => ({
    ...definition,
    create: (deps) => withObservedCalls(definition.create(withObservedDeps(deps))),
  }))
}

function withObservedDeps(deps: ServiceDeps): ServiceDeps {
  const { workflows } = deps
  return {
    ...deps,
    database: observeDatabase(deps.database),
    workflows: Object.assign(Object.create(workflows), {
      start: async (workflow: Parameters<typeof workflows.start>[0]) => {
        beginStep(`start of ${workflow.type}`)
        await workflows.start(workflow)
      },
    }),
  }
}

type Implementation = (request: never, context: HandlerContext) => unknown

function withObservedCalls(service: Service): Service {
  return {
    ...service,
    routes: (router) =>
      service.routes(
        intercept(router, (described, implementation) => {
          router.service(described, observeCalls(described, implementation))
        }),
      ),
  }
}

function observeCalls({ methods, typeName }: DescService, implementation: object) {
  const all = implementation as Record<string, Implementation>
  const each = methods.map(({ localName, name }): [string, Implementation] => [
    localName,
    (request, context) =>
      runObserved(context.requestHeader.get(headers.requestId), async () => {
        const isRepeated = context.requestHeader.get('coffer-attempt') === 'second'
        beginStep(`call of ${typeName}/${name}`, { isRepeated })
        return all[localName]?.(request, context)
      }),
  ])
  return Object.fromEntries(each) as never
}

const querying = [
  'any',
  'anyFirst',
  'exists',
  'maybeOne',
  'maybeOneFirst',
  'one',
  'oneFirst',
  'query',
] as const

interface Watch {
  /** Called before each statement. */
  onBegin?: (text: string) => void
  /** Called after each statement that changed rows. */
  onWrite: (text: string) => void
}

function observeQueries<Connection extends Queries>(
  connection: Connection,
  { onBegin, onWrite }: Watch,
): Connection {
  const methods = querying.map((name) => {
    // A transaction's method is called on its connection.
    const send = connection[name].bind(connection) as (statement: QuerySqlToken) => Promise<unknown>
    const observe = async (statement: QuerySqlToken): Promise<unknown> => {
      const text = statement.sql.replaceAll(/\s+/g, ' ').trim()
      onBegin?.(text)
      const result = await send(statement)
      if (hasRows(result)) onWrite(text)
      return result
    }
    return [name, observe] as const
  })
  return Object.assign(Object.create(connection), Object.fromEntries(methods))
}

/** Whether a result has rows, of a statement with RETURNING, or counts some. */
function hasRows(result: unknown): boolean {
  if (result === null || result === false) return false
  if (Array.isArray(result)) return result.length > 0
  const { rowCount } = Object(result)
  return rowCount === undefined || rowCount > 0
}

function observeDatabase(database: Database): Database {
  const pool = observeQueries(database.pool, {
    onBegin: (text) => beginStep(text, { isSql: true }),
    onWrite: noteCommit,
  })
  return {
    ...database,
    pool,
    autocommit: (run) => database.autocommit(() => run(pool)),
    transaction: async (run) => {
      beginStep('BEGIN', { isSql: true })
      let written: string[] = []
      const result = await database.transaction((tx) => {
        written = []
        return run(observeQueries(tx, { onWrite: (text) => written.push(text) }))
      })
      for (const text of written) noteCommit(text)
      return result
    },
  }
}
