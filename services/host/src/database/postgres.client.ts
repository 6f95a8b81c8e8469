import { Socket } from 'node:net'
import { LostConnectionError, type TransactionName } from '@coffer/kit/rpc/lost-connection'
import pg from 'pg'
import {
  BackendTerminatedError,
  CheckIntegrityConstraintViolationError,
  createDriverFactory,
  type DriverConfiguration,
  type DriverFactory,
  ForeignKeyIntegrityConstraintViolationError,
  IdleTransactionTimeoutError,
  NotNullIntegrityConstraintViolationError,
  StatementCancelledError,
  StatementTimeoutError,
  UniqueIntegrityConstraintViolationError,
} from 'slonik'
import { connectionOptions } from './connection.ts'
import { requireRoleSettings } from './service-role.ts'

const begin = 'START TRANSACTION'
const beginNamed = `${begin};
  SELECT CASE WHEN NOT pg_is_in_recovery() THEN pg_current_xact_id()::text END AS id,
    pg_postmaster_start_time()::text AS "serverStartedAt"`

// Idle time in ms before TCP keep-alive. Ten probes follow, one a second (libuv), so a server that
// has vanished is detected after 20 s.
const keepAliveAfterMs = 10_000

/** Limits of a driver. */
export interface DriverOptions {
  answerMsMax: number
  /**
   * Schema that the role of the connection must have as its search path, behind a transaction
   * pooler: it refuses startup parameters. Null without a pooler.
   */
  pooledSchema: string | null
  /** Called with each statement before it is sent; null in production. */
  onStatement: ((text: string) => void) | null
}

/**
 * Creates slonik's Postgres driver with TCP keep-alive, and with a limit on the time to an answer.
 * Postgres's statement timeout ends slow statements; the limit destroys the connection to a server
 * that no longer answers.
 */
export function postgresDriver(options: DriverOptions): DriverFactory {
  const { answerMsMax, pooledSchema, onStatement } = options
  return createDriverFactory(async ({ driverConfiguration }) => {
    return {
      createPoolClient: async ({ clientEventEmitter }) => {
        const config = await clientConfig(driverConfiguration, pooledSchema !== null)
        const socket = new Socket()
        const client = new pg.Client({ ...config, stream: () => socket })
        let underWay: string | null = null
        let transaction: TransactionName | null = null
        let lost: LostConnectionError | null = null
        const limit = createLimit({ answerMsMax, socket, isAwaited: () => underWay !== null })
        client.on('error', (error) => {
          if (lost) return
          lost = new LostConnectionError(error, mayCommit(underWay, client), transaction)
          // Slonik has no 'error' listener once it has ended the connection: Node would throw.
          if (clientEventEmitter.listenerCount('error') > 0) clientEventEmitter.emit('error', lost)
        })
        return {
          connect: async () => {
            await client.connect()
            if (pooledSchema !== null) await requireRoleSettings(client, pooledSchema)
          },
          end: async () => {
            clearTimeout(limit)
            await client.end()
          },
          query: async (text, values, options) => {
            if (lost) throw lost
            onStatement?.(text)
            underWay = text
            limit.refresh()
            try {
              const sent = text === begin ? beginNamed : text
              const found = await client.query({ ...options, text: sent, values: values ?? [] })
              // BEGIN is sent together with a second statement, so the answer has two results.
              const [result = found, named] = [found].flat()
              if (named) transaction = named.rows[0]
              return resultOf(result)
            } catch (error) {
              throw lost ?? driverError(error as Error)
            } finally {
              underWay = null
            }
          },
          stream: () => {
            throw new Error('rows are read in pages, never streamed')
          },
        }
      },
    }
  })
}

/**
 * Creates the watchdog timer of a connection, which each statement restarts. Destroys the socket
 * when a statement gets no answer; waits longer if the event loop was too busy to read it.
 */
function createLimit(options: {
  answerMsMax: number
  socket: Socket
  isAwaited: () => boolean
}): NodeJS.Timeout {
  const { answerMsMax, socket, isAwaited } = options
  const limit = setTimeout(() => {
    if (!isAwaited()) return
    const { bytesRead } = socket
    setImmediate(() => {
      if (!isAwaited()) return
      if (socket.bytesRead > bytesRead) limit.refresh()
      else socket.destroy(new Error(`no answer from Postgres within ${answerMsMax} ms`))
    })
  }, answerMsMax)
  limit.unref()
  return limit
}

/** Returns whether a statement can commit: a write outside a transaction, or COMMIT. */
function mayCommit(text: string | null, client: pg.Client): boolean {
  if (text === null) return false
  if (client.getTransactionStatus() === 'T') return text === 'COMMIT'
  return !/^\s*(SELECT|START TRANSACTION|WITH(?!.*\b(INSERT|UPDATE|DELETE)\b))\b/is.test(text)
}

async function clientConfig(
  driver: DriverConfiguration,
  isPooled: boolean,
): Promise<pg.ClientConfig> {
  const startup = {
    statement_timeout: millisecondsOf(driver.statementTimeout),
    idle_in_transaction_session_timeout: millisecondsOf(driver.idleInTransactionSessionTimeout),
  }
  return {
    ...(await connectionOptions(driver.connectionUri)),
    ...(isPooled ? {} : startup),
    connectionTimeoutMillis: millisecondsOf(driver.connectionTimeout),
    keepAlive: true,
    keepAliveInitialDelayMillis: keepAliveAfterMs,
    types: exactTypes(),
  }
}

function millisecondsOf(timeout: number | 'DISABLE_TIMEOUT'): number | undefined {
  return timeout === 'DISABLE_TIMEOUT' ? undefined : timeout
}

type Parse = (text: string) => unknown

/** Returns pg's parsers with exact ones for bigint, timestamps (Date), JSON and bytea (Buffer). */
function exactTypes(): pg.TypeOverrides {
  const { INT8, TIMESTAMPTZ, JSONB, BYTEA } = pg.types.builtins
  const parsers: [type: number, arrayType: number, parse: Parse][] = [
    [INT8, 1016, BigInt],
    [TIMESTAMPTZ, 1185, (text) => new Date(text)],
    [JSONB, 3807, JSON.parse],
    [BYTEA, 1001, (text) => Buffer.from(text.slice(2), 'hex')],
  ]
  const readTexts = pg.types.getTypeParser(1009 as number) as (text: string) => (string | null)[]
  const types = new pg.TypeOverrides()
  for (const [type, arrayType, parse] of parsers) {
    types.setTypeParser(type, parse)
    types.setTypeParser(arrayType, (text: string) =>
      readTexts(text).map((one) => (one === null ? null : parse(one))),
    )
  }
  return types
}

function resultOf({ command, fields, rowCount, rows }: pg.QueryResult) {
  return {
    command: command as 'SELECT',
    fields: fields.map(({ name, dataTypeID }) => ({ name, dataTypeId: dataTypeID })),
    rowCount,
    rows,
  }
}

const errorsByState: Record<string, new (error: Error) => Error> = {
  '23502': NotNullIntegrityConstraintViolationError,
  '23503': ForeignKeyIntegrityConstraintViolationError,
  '23505': UniqueIntegrityConstraintViolationError,
  '23514': CheckIntegrityConstraintViolationError,
  '25P03': IdleTransactionTimeoutError,
  '57014': StatementTimeoutError,
  '57P01': BackendTerminatedError,
}

/** Maps a pg error to slonik's error class for its SQLSTATE; returns other errors unchanged. */
function driverError(error: Error & { code?: string }): Error {
  const { code = '', message } = error
  if (code === '57014' && message.includes('due to user request')) {
    return new StatementCancelledError(error)
  }
  const Known = errorsByState[code]
  return Known ? new Known(error) : error
}
