import { finished } from 'node:stream/promises'
import { connectClient } from '@coffer/host/database/connection'
import { FatalError } from '@coffer/local/bootstrap/fatal-error.mjs'
import pg from 'pg'
import { type CopyStreamQuery, from } from 'pg-copy-streams'
import type { ArchivedSchema, End } from './contents.ts'
import { placeOf } from './snapshot.ts'

/** Transactions that write, one for each database. Disposing rolls back what is not committed. */
export interface Loading extends AsyncDisposable {
  /** Appends rows in the text format of COPY to a table of a service. */
  add: (place: { service: string; table: string }, bytes: Uint8Array) => Promise<void>
  /**
   * Sets the sequences, and clears what is only valid for the former installation. Returns the
   * number of rows by table.
   */
  end: (sequences: End['sequences']) => Promise<End['rows']>
  commit: () => Promise<void>
}

/**
 * Begins a transaction in each database. Locks the tables against writes of running services.
 * @throws {FatalError} when a table has rows
 */
export async function beginLoading(
  schemas: readonly ArchivedSchema[],
  urlOf: (service: string) => string,
): Promise<Loading> {
  await using opening = new AsyncDisposableStack()
  const clients = new Map<string, pg.Client>()
  for (const url of new Set(schemas.map(({ service }) => urlOf(service)))) {
    const { client } = opening.use(await connectClient(url))
    await client.query(`
      BEGIN;
      SET LOCAL statement_timeout = 0;
      SET LOCAL idle_in_transaction_session_timeout = 0;
      SET LOCAL lock_timeout = '10s'`)
    clients.set(url, client)
  }
  const clientOf = (service: string) => clients.get(urlOf(service)) as pg.Client
  for (const schema of schemas) await prepare(clientOf(schema.service), schema)
  const stack = opening.move()
  const rows: End['rows'] = {}
  let open: OpenCopy | null = null
  const close = async () => {
    if (open !== null) rows[open.key] = await endCopy(open)
    open = null
  }
  return {
    add: async ({ service, table }, bytes) => {
      const schema = schemas.find((one) => one.service === service)
      const described = schema?.tables.find((one) => one.table === table)
      if (!schema || !described)
        throw new Error(`the archive does not describe ${service} ${table}`)
      const key = `${schema.schema}.${table}`
      if (open?.key !== key) {
        await close()
        open = beginCopy(clientOf(service), key, placeOf(schema.schema, table, described.columns))
      }
      await write(open, bytes)
    },
    end: async (sequences) => {
      await close()
      for (const described of schemas) {
        const { service, schema } = described
        const client = clientOf(service)
        for (const name of namesOf(described)) {
          await client.query(`ALTER TABLE ${name} ENABLE TRIGGER USER`)
        }
        for (const one of sequences.filter((sequence) => sequence.schema === schema)) {
          const name = `${pg.escapeIdentifier(schema)}.${pg.escapeIdentifier(one.sequence)}`
          await client.query('SELECT setval($1, $2)', [name, one.last])
        }
        await forgetFormer(client, described)
      }
      return rows
    },
    commit: async () => {
      for (const client of clients.values()) await client.query('COMMIT')
    },
    [Symbol.asyncDispose]: () => stack.disposeAsync(),
  }
}

/**
 * Locks the tables and disables their triggers, because the archive already contains the rows that
 * triggers write. Foreign keys are still checked.
 */
async function prepare(client: pg.Client, schema: ArchivedSchema): Promise<void> {
  const names = namesOf(schema)
  await client.query(`LOCK TABLE ${names.join(', ')} IN SHARE ROW EXCLUSIVE MODE`)
  for (const name of names) {
    const { rows } = await client.query(`SELECT EXISTS (SELECT FROM ${name}) AS filled`)
    if (rows[0].filled) {
      throw new FatalError(`The table ${name} has rows: restore into an empty database.`)
    }
    await client.query(`ALTER TABLE ${name} DISABLE TRIGGER USER`)
  }
}

interface Forgotten {
  table: string
  /** The column to set to NULL in all rows; without it, the rows are deleted. */
  column?: string
  /** A table of the archive. If the archive lacks it, it has no such content either. */
  since: string
}

/**
 * Content that is only valid for the former installation, in the order in which it is cleared. All
 * changes of the outbox become unpublished, so that the relay publishes them again. Positions in
 * the former NATS stream would make the audit report losses. The storages in `file_places` belong
 * to processes that do not use the restored database.
 * until 0.4: archives of 0.2.0 lack some of these tables.
 */
const forgotten: readonly Forgotten[] = [
  { table: 'changes', column: 'published_at', since: 'changes' },
  { table: 'changes', column: 'stream_position', since: 'stream_positions' },
  { table: 'stream_positions', since: 'stream_positions' },
  { table: 'consumer_positions', since: 'consumer_positions' },
  { table: 'file_places', since: 'file_places' },
]

/** Clears the content in `forgotten`, in the tables that the archive has. */
async function forgetFormer(client: pg.Client, { schema, tables }: ArchivedSchema): Promise<void> {
  const archived = new Set(tables.map(({ table }) => table))
  for (const { table, column, since } of forgotten) {
    if (!archived.has(since)) continue
    const place = `${pg.escapeIdentifier(schema)}.${table}`
    await client.query(
      column === undefined
        ? `DELETE FROM ${place}`
        : `UPDATE ${place} SET ${column} = NULL WHERE ${column} IS NOT NULL`,
    )
  }
}

function namesOf({ schema, tables }: ArchivedSchema): string[] {
  return tables.map(({ table }) => {
    return [schema, table].map((one) => pg.escapeIdentifier(one)).join('.')
  })
}

/** A COPY in progress. A connection has at most one, so it ends before that of another table. */
interface OpenCopy {
  key: string
  stream: CopyStreamQuery
  ended: Promise<void>
}

function beginCopy(client: pg.Client, key: string, place: string): OpenCopy {
  const stream = client.query(from(`COPY ${place} FROM STDIN`))
  const ended = finished(stream)
  ended.catch(() => undefined)
  return { key, stream, ended }
}

async function endCopy({ key, stream, ended }: OpenCopy): Promise<number> {
  stream.end()
  await ended.catch((error) => refuse(key, error))
  return stream.rowCount ?? 0
}

/** Backpressure: resolves when Postgres accepts more data. */
async function write({ key, stream, ended }: OpenCopy, bytes: Uint8Array): Promise<void> {
  const written = Promise.withResolvers<void>()
  stream.write(bytes, (error) => (error ? written.reject(error) : written.resolve()))
  await Promise.race([written.promise, ended]).catch((error) => refuse(key, error))
}

function refuse(table: string, error: Error): never {
  throw new FatalError(`${table} cannot be loaded, and nothing is restored: ${error.message}`)
}
