import { Socket } from 'node:net'
import { LostConnectionError, type TransactionName } from '@coffer/kit/rpc/lost-connection'
import pg from 'pg'
import {
  BackendTerminatedError,
  CheckIntegrityConstraintViolationError,
  ConnectionError,
  ForeignKeyIntegrityConstraintViolationError,
  IdleTransactionTimeoutError,
  NotNullIntegrityConstraintViolationError,
  StatementCancelledError,
  StatementTimeoutError,
  UniqueIntegrityConstraintViolationError,
} from 'slonik'
import { Pipeline } from '../postgres/pipeline.client.ts'
import { BufferedSocket } from '../postgres/socket.client.ts'
import type { Found, Statement } from '../postgres/statement.ts'
import { connectionOptions } from './connection.ts'
import { idleInTransactionMs, requireRoleSettings } from './service-role.ts'

// Idle time in ms before TCP keep-alive. Ten probes follow, one a second (libuv), so a server that
// has vanished is detected after 20 s.
const keepAliveAfterMs = 10_000

/** Connection timeout in ms, below the 5 s timeout of calls: callers get a 503, not a timeout. */
const connectMsMax = 4_000

/**
 * Time in ms added to the statement timeout, after which a server without an answer counts as dead.
 */
const answerMarginMs = 2_000

type OnStatement = (text: string, isRead: boolean) => void

/** Options for opening a connection. */
export interface ConnectionOptions {
  url: string
  statementTimeoutMs: number
  /**
   * Behind a transaction pooler, the schema that the role must have as its search path, because the
   * pooler refuses startup parameters. Null without a pooler.
   */
  pooledSchema: string | null
  /** Called with each statement before it is sent; null in production. */
  onStatement: OnStatement | null
}

/** One connection to Postgres. Several statements may be in flight; each fails alone. */
export interface Connection {
  /** Sends a statement. Throws slonik's errors, or LostConnectionError. */
  send: (statement: Statement) => Promise<Found>
  /** Begins a transaction, and reads the ID by which its outcome can be looked up. */
  begin: () => Promise<void>
  /**
   * Ends a transaction. Throws LostConnectionError if its outcome is unknown. A COMMIT after a
   * statement has failed throws the error of that one: Postgres answers it with ROLLBACK.
   */
  finish: (how: 'COMMIT' | 'ROLLBACK') => Promise<void>
  /** Number of statements sent but not answered. */
  inFlight: () => number
  /** Whether statements wait for the end of this iteration of the event loop. */
  hasUnsent: () => boolean
  /** Whether the connection cannot be used again. */
  isLost: () => boolean
  end: () => Promise<void>
}

const begin = 'START TRANSACTION'
const beginNamed = `${begin};
  SELECT CASE WHEN NOT pg_is_in_recovery() THEN pg_current_xact_id()::text END AS id,
    pg_postmaster_start_time()::text AS "serverStartedAt"`

/** Opens a connection. Throws slonik's ConnectionError when the server does not accept it. */
export async function openConnection(options: ConnectionOptions): Promise<Connection> {
  const { pooledSchema, statementTimeoutMs } = options
  const config = await clientConfig(options)
  // TLS reads from the socket below Node's streams.
  const socket = config.ssl ? new Socket() : new BufferedSocket()
  try {
    const client = new pg.Client({ ...config, stream: () => socket })
    // Without a listener, Node throws on 'error'. A lost connection fails its statements.
    client.on('error', () => {})
    await client.connect()
    if (pooledSchema !== null) await requireRoleSettings(client, pooledSchema)
    return new PostgresConnection(streamOf(client), socket, {
      answerMsMax: statementTimeoutMs + answerMarginMs,
      onStatement: options.onStatement,
    })
  } catch (error) {
    socket.destroy()
    throw new ConnectionError((error as Error).message, { cause: error as Error })
  }
}

/** Returns the stream of a client that is connected: its socket, or TLS over it. */
function streamOf(client: pg.Client): Socket {
  // pg's types do not declare its connection.
  return (client as unknown as { connection: { stream: Socket } }).connection.stream
}

class PostgresConnection implements Connection {
  readonly #pipeline: Pipeline
  readonly #limit: NodeJS.Timeout
  readonly #onStatement: OnStatement | null
  #inFlight = 0
  #lastText: string | null = null
  #transaction: TransactionName | null = null
  /** First error of a statement since the transaction began. */
  #failure: Error | null = null
  #lost: LostConnectionError | null = null
  #isUnusable = false
  #isEnding = false

  constructor(
    stream: Socket,
    socket: Socket,
    { answerMsMax, onStatement }: { answerMsMax: number; onStatement: OnStatement | null },
  ) {
    this.#pipeline = new Pipeline(stream, this.#lose)
    this.#onStatement = onStatement
    const isAwaited = () => this.#inFlight > 0 || this.#isEnding
    this.#limit = createLimit({ answerMsMax, socket, isAwaited })
  }

  inFlight = (): number => this.#inFlight

  hasUnsent = (): boolean => this.#pipeline.hasUnsent()

  isLost = (): boolean => this.#lost !== null || this.#isUnusable

  send = (statement: Statement): Promise<Found> =>
    this.#track(statement, () => this.#pipeline.send(statement))

  begin = async (): Promise<void> => {
    const { rows } = await this.#track({ text: begin, isRead: false }, () =>
      this.#pipeline.query(beginNamed),
    )
    this.#transaction = rows[0] as TransactionName
    this.#failure = null
  }

  finish = async (how: 'COMMIT' | 'ROLLBACK'): Promise<void> => {
    const { tag } = await this.#track({ text: how, isRead: false }, () => this.#pipeline.query(how))
    if (tag !== how) throw this.#failure ?? new Error(`${how} was answered by ${tag}`)
  }

  end = async (): Promise<void> => {
    this.#isUnusable = true
    this.#isEnding = true
    this.#limit.refresh()
    await this.#pipeline.end()
    clearTimeout(this.#limit)
  }

  async #track<T>(
    { text, isRead }: Pick<Statement, 'text' | 'isRead'>,
    run: () => Promise<T>,
  ): Promise<T> {
    if (this.#lost) throw this.#lost
    this.#onStatement?.(text, isRead)
    this.#lastText = text
    if (this.#inFlight === 0) this.#limit.refresh()
    this.#inFlight += 1
    try {
      return await run()
    } catch (error) {
      if (isBrokenBehind(error)) this.#lose(error)
      const known = this.#lost ?? knownError(error as Error)
      this.#isUnusable ||= isUnusableAfter(known)
      this.#failure ??= known
      throw known
    } finally {
      this.#inFlight -= 1
      if (this.#inFlight > 0) this.#limit.refresh()
    }
  }

  #lose = (error: Error): void => {
    const text = this.#inFlight > 0 ? this.#lastText : null
    const mayBeDone = mayCommit(text, this.#pipeline.isInTransaction())
    this.#lost ??= new LostConnectionError(error, mayBeDone, this.#transaction)
  }
}

/**
 * Creates the watchdog timer of a connection, which each statement restarts. Slow statements end by
 * Postgres's statement timeout; this timer destroys the socket if no answer arrives at all. The
 * wait is extended if the event loop was too busy to read an answer.
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
function mayCommit(text: string | null, isInTransaction: boolean): boolean {
  if (text === null) return false
  if (isInTransaction) return text === 'COMMIT'
  return !/^\s*(SELECT|START TRANSACTION|WITH(?!.*\b(INSERT|UPDATE|DELETE)\b))\b/is.test(text)
}

async function clientConfig(options: ConnectionOptions): Promise<pg.ClientConfig> {
  const { url, statementTimeoutMs, pooledSchema } = options
  const isPooled = pooledSchema !== null
  return {
    ...(await connectionOptions(url)),
    ...(isPooled
      ? {}
      : {
          statement_timeout: statementTimeoutMs,
          idle_in_transaction_session_timeout: idleInTransactionMs(statementTimeoutMs),
        }),
    connectionTimeoutMillis: connectMsMax,
    keepAlive: true,
    keepAliveInitialDelayMillis: keepAliveAfterMs,
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

/**
 * Returns whether a pooler says that its connection to Postgres broke (SQLSTATE class 08, 08P01 of
 * PgBouncer): the statement may be committed, as if this connection broke.
 */
function isBrokenBehind(error: unknown): error is Error {
  return error instanceof pg.DatabaseError && error.code?.startsWith('08') === true
}

/** Maps a pg error to slonik's error class for its SQLSTATE; returns other errors unchanged. */
function knownError(error: Error & { code?: string }): Error {
  const { code = '', message } = error
  if (code === '57014' && message.includes('due to user request')) {
    return new StatementCancelledError(error)
  }
  const Known = errorsByState[code]
  return Known ? new Known(error) : error
}

/**
 * Returns whether the connection must be replaced after an error: its session has ended, or is
 * read-only. A read-only session stays read-only when the server becomes writable.
 */
function isUnusableAfter(error: Error & { code?: unknown }): boolean {
  const isEnded = error instanceof BackendTerminatedError
  return isEnded || error instanceof IdleTransactionTimeoutError || error.code === '25006'
}
