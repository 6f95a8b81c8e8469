import type { Socket } from 'node:net'
import { serialize } from 'pg-protocol'
import { Parser } from 'pg-protocol/dist/parser.js'
import { type Column, columnsOf, type Field, formatsOf, readRow } from './columns.ts'
import { bind, describe, encode, execute, parametersMax } from './frontend-messages.ts'
import { headSize, MessageReader } from './message-reader.ts'
import { BufferedSocket } from './socket.client.ts'
import type { Found, Statement } from './statement.ts'

/** A prepared statement of the connection; without `columns` until Postgres has described them. */
interface Prepared {
  name: string
  isParsed: boolean
  columns: readonly Column[] | null
  formats: readonly number[]
}

/** A statement without a complete answer. */
interface Sent extends Pick<PromiseWithResolvers<Found>, 'resolve' | 'reject'> {
  parse: Statement['parse']
  /** Null for statements of the simple query protocol. */
  prepared: Prepared | null
  columns: readonly Column[] | null
  found: Found
  /** Error of a row that `parse` refused. */
  refusal: { error: unknown } | null
}

/** Types of messages from Postgres. */
const dataRow = 0x44
const commandComplete = 0x43
const readyForQuery = 0x5a
const rowDescription = 0x54
const noData = 0x6e
const parseComplete = 0x31
const errorResponse = 0x45

/** Transaction status in ReadyForQuery: in a transaction block that has not failed. */
const inTransaction = 0x54

/**
 * Runs statements over a connection that pg has opened, many in flight at a time, in the order in
 * which they were sent. It takes less CPU time than pg's own queue
 * (docs/benchmarks/lists.md#a-client-below-pg): it writes the statements of one iteration
 * of the event loop at once. It asks for the columns of a prepared statement once per connection,
 * and reads each row from its bytes. An error ends one statement only, since each has its own Sync.
 */
export class Pipeline {
  readonly #stream: Socket
  readonly #onLost: (error: Error) => void
  readonly #prepared = new Map<string, Prepared>()
  readonly #sent: Sent[] = []
  readonly #closed = Promise.withResolvers<void>()
  /** Messages of this iteration of the event loop. */
  #unsent: Buffer[] = []
  #isEnding = false
  #isInTransaction = false
  #lost: Error | null = null

  /** `onLost` is called before the statements in flight fail with its error. */
  constructor(stream: Socket, onLost: (error: Error) => void) {
    this.#stream = stream
    this.#onLost = onLost
    const reader = new MessageReader(this.#handle)
    const read = (chunk: Buffer): void => reader.read(chunk)
    // Replaces the listener by which pg has read the answers to its start.
    stream.removeAllListeners('data')
    if (stream instanceof BufferedSocket) stream.onChunk = read
    else stream.on('data', read)
    stream.on('error', this.#lose)
    stream.on('close', () => {
      this.#lose(new Error('Connection terminated unexpectedly'))
      this.#closed.resolve()
    })
  }

  /** Returns whether the last statement has left a transaction open that has not failed. */
  isInTransaction = (): boolean => this.#isInTransaction

  /** Returns whether statements wait to be written at the end of this iteration. */
  hasUnsent = (): boolean => this.#unsent.length > 0

  /** Sends a statement. Throws pg's DatabaseError, or the error that broke the connection. */
  send({ name = '', text, values, parse }: Statement): Promise<Found> {
    if (values.length > parametersMax) return Promise.reject(new Error('too many parameters'))
    const parameters = values.map(encode)
    const known = this.#prepared.get(name)
    const prepared = known ?? { name, isParsed: false, columns: null, formats: [] }
    const messages = [bind(name, parameters, prepared.formats), execute]
    if (prepared.columns === null) messages.splice(1, 0, describe)
    if (known === undefined) messages.unshift(serialize.parse({ name, text }))
    if (known === undefined && name !== '') {
      // Postgres may have a statement of this name that has to be prepared again.
      messages.unshift(serialize.close({ type: 'S', name }))
      this.#prepared.set(name, prepared)
    }
    return this.#enqueue(messages, parse, prepared)
  }

  /**
   * Sends statements without parameters by the simple query protocol; returns the rows of all. A
   * COMMIT must be sent so: by the extended protocol, Postgres may end the session after the commit
   * and before its answer is complete, with the same error as before the commit.
   */
  query(text: string): Promise<Found> {
    return this.#enqueue([serialize.query(text)], (row) => row, null)
  }

  /** Closes the connection after the answers to all statements. */
  end(): Promise<void> {
    const wasEnding = this.#isEnding
    this.#isEnding = true
    if (this.#isDone() && !wasEnding) this.#close()
    return this.#closed.promise
  }

  #enqueue(
    messages: readonly Buffer[],
    parse: Statement['parse'],
    prepared: Prepared | null,
  ): Promise<Found> {
    if (this.#lost) return Promise.reject(this.#lost)
    if (this.#isEnding) return Promise.reject(new Error('the connection is closed'))
    if (this.#unsent.length === 0) setImmediate(this.#flush)
    this.#unsent.push(...messages)
    const { promise, resolve, reject } = Promise.withResolvers<Found>()
    const columns = prepared?.columns ?? null
    const found = { rows: [], rowCount: 0 }
    this.#sent.push({ parse, prepared, columns, found, refusal: null, resolve, reject })
    return promise
  }

  #flush = (): void => {
    this.#stream.write(Buffer.concat(this.#unsent.splice(0)))
  }

  #isDone(): boolean {
    return this.#isEnding && this.#sent.length === 0
  }

  #close(): void {
    this.#stream.end(serialize.end())
  }

  #lose = (error: Error): void => {
    if (this.#lost === null && !this.#isDone()) this.#onLost(error)
    this.#lost ??= error
    for (const { reject } of this.#sent.splice(0)) reject(error)
  }

  #handle = (type: number, bytes: Buffer, start: number, end: number): void => {
    const [sent] = this.#sent
    if (sent === undefined) {
      // Postgres ends the session; other messages without a statement are notices.
      if (type === errorResponse) this.#stream.destroy(rareMessage(bytes, start, end) as Error)
      return
    }
    if (type === dataRow) addRow(sent, bytes, start)
    else if (type === commandComplete) complete(sent, bytes, start, end)
    else if (type === readyForQuery) this.#finish(bytes[start] === inTransaction)
    else if (type === rowDescription) {
      const { fields } = rareMessage(bytes, start, end) as { fields: Field[] }
      addColumns(sent, fields)
    } else if (type === noData) addColumns(sent, [])
    else if (type === parseComplete && sent.prepared) sent.prepared.isParsed = true
    else if (type === errorResponse) this.#fail(sent, rareMessage(bytes, start, end))
  }

  #finish(isInTransaction: boolean): void {
    this.#isInTransaction = isInTransaction
    const { refusal, found, resolve, reject } = this.#sent.shift() as Sent
    if (refusal) reject(refusal.error)
    else resolve(found)
    if (this.#isDone()) this.#close()
  }

  #fail({ prepared, reject }: Sent, error: unknown): void {
    // The next statement of this name prepares it again.
    const isOutdated = prepared && (!prepared.isParsed || isUnprepared(error))
    if (isOutdated && this.#prepared.get(prepared.name) === prepared) {
      this.#prepared.delete(prepared.name)
    }
    reject(error)
  }
}

/**
 * Returns whether a statement failed because it has to be prepared again: Postgres does not know it
 * (26000), or the types of its columns have changed.
 */
export function isUnprepared(error: unknown): boolean {
  const { code, routine } = error as { code?: unknown; routine?: unknown }
  return code === '26000' || routine === 'RevalidateCachedQuery'
}

function addColumns(sent: Sent, fields: readonly Field[]): void {
  sent.columns = columnsOf(fields, [])
  if (sent.prepared === null) return
  sent.prepared.formats = formatsOf(fields)
  sent.prepared.columns ??= columnsOf(fields, sent.prepared.formats)
}

function addRow(sent: Sent, bytes: Buffer, start: number): void {
  if (sent.refusal !== null || sent.columns === null) return
  try {
    sent.found.rows.push(sent.parse(readRow(sent.columns, bytes, start)))
  } catch (error) {
    sent.refusal = { error }
  }
}

/** Reads the tag of a command that is complete, which ends with a zero byte. */
function complete({ prepared, found }: Sent, bytes: Buffer, start: number, end: number): void {
  if (prepared === null) found.tag = bytes.toString('latin1', start, end - 1)
  found.rowCount = rowCountOf(bytes, end)
}

/** Returns the number at the end of a command tag ("SELECT 25", "INSERT 0 1"); 0 without one. */
function rowCountOf(bytes: Buffer, end: number): number {
  let count = 0
  let unit = 1
  for (let at = end - 2; ; at -= 1) {
    const digit = (bytes[at] as number) - 0x30
    if (digit < 0 || digit > 9) return count
    count += digit * unit
    unit *= 10
  }
}

/** Parses a message of a type that few statements get. */
function rareMessage(bytes: Buffer, start: number, end: number): unknown {
  let parsed: unknown
  new Parser().parse(bytes.subarray(start - headSize, end), (message) => {
    parsed = message
  })
  return parsed
}
