import { connectClient } from '@coffer/host/database/connection'
import { referringFirst } from '@coffer/kit/accounts/table-order'
import type { ServiceDefinition } from '@coffer/kit/service/service'
import pg from 'pg'
import { to } from 'pg-copy-streams'
import type { Entry } from './archive.ts'
import { type ArchivedSchema, type End, partName } from './contents.ts'

/** Transactions that read, one for each database; each reads all tables in one snapshot. */
export interface Snapshot extends AsyncDisposable {
  /** Returns the transaction that reads the tables of a service. */
  of: (service: string) => pg.Client
}

/**
 * Begins a read-only transaction in each database under REPEATABLE READ, whose snapshot is taken by
 * its first statement. Services with the same URL share a transaction.
 */
export async function takeSnapshot(
  definitions: readonly ServiceDefinition[],
  urlOf: (service: string) => string,
): Promise<Snapshot> {
  await using opening = new AsyncDisposableStack()
  const clients = new Map<string, pg.Client>()
  for (const url of new Set(definitions.map(({ name }) => urlOf(name)))) {
    const { client } = opening.use(await connectClient(url))
    await client.query(`
      BEGIN ISOLATION LEVEL REPEATABLE READ READ ONLY;
      SET LOCAL statement_timeout = 0;
      SET LOCAL idle_in_transaction_session_timeout = 0`)
    await client.query('SELECT pg_current_snapshot()')
    clients.set(url, client)
  }
  const stack = opening.move()
  return {
    of: (service) => clients.get(urlOf(service)) as pg.Client,
    [Symbol.asyncDispose]: () => stack.disposeAsync(),
  }
}

/** Describes the tables of a service, ordered so that foreign keys hold during the restore. */
export async function describeSchema(
  client: pg.Client,
  { name: service, schema }: ServiceDefinition,
): Promise<Omit<ArchivedSchema, 'keyIds'>> {
  const columns = await client.query<{ table: string; columns: string[] }>(columnsText, [schema])
  const references = await client.query<{ from: string; to: string }>(referencesText, [schema])
  const order = referringFirst(
    columns.rows.map(({ table }) => table),
    references.rows,
  ).reverse()
  const migrations = await client.query<{ name: string; checksum: string }>(
    `SELECT name, checksum FROM ${pg.escapeIdentifier(schema)}.applied_migrations ORDER BY name`,
  )
  const place = ({ table }: { table: string }) => order.indexOf(table)
  return {
    service,
    schema,
    migrations: migrations.rows,
    tables: columns.rows.sort((one, other) => place(one) - place(other)),
  }
}

// Excludes tables of applied migrations, which the restore creates, and generated columns, which
// Postgres computes.
const columnsText = `
  SELECT relname::text AS "table", array_agg(attname::text ORDER BY attnum) AS columns
  FROM pg_class JOIN pg_attribute ON attrelid = pg_class.oid
  WHERE relnamespace = $1::text::regnamespace AND relkind = 'r'
    AND relname NOT IN ('applied_migrations', 'migrations')
    AND attnum > 0 AND NOT attisdropped AND attgenerated = ''
  GROUP BY relname ORDER BY relname`

const referencesText = `
  SELECT referring.relname::text AS "from", referred.relname::text AS "to"
  FROM pg_constraint
  JOIN pg_class AS referring ON referring.oid = conrelid
  JOIN pg_class AS referred ON referred.oid = confrelid
  WHERE contype = 'f' AND connamespace = $1::text::regnamespace`

/**
 * Lists the IDs of all keys that encrypt secrets of a schema, as of the snapshot. Reads whole
 * tables with such columns, which the backup copies anyway.
 */
export async function listKeyIds(
  client: pg.Client,
  { schema, tables }: Pick<ArchivedSchema, 'schema' | 'tables'>,
): Promise<string[]> {
  const sealed = tables.filter(({ columns }) =>
    ['key_id', 'data_key', 'ciphertext'].every((column) => columns.includes(column)),
  )
  const keyIds = new Set<string>()
  for (const { table } of sealed) {
    const name = [schema, table].map((one) => pg.escapeIdentifier(one)).join('.')
    const { rows } = await client.query<{ keyId: string }>(
      `SELECT DISTINCT key_id AS "keyId" FROM ${name} ORDER BY 1`,
    )
    for (const { keyId } of rows) keyIds.add(keyId)
  }
  return [...keyIds]
}

/** Minimum size in bytes of an entry with rows; a larger row is an entry of its own. */
const partBytes = 1024 * 1024

/** Yields the rows of a table in the text format of COPY; returns their number. */
export async function* copyTable(
  client: pg.Client,
  { service, schema }: Pick<ArchivedSchema, 'service' | 'schema'>,
  { table, columns }: ArchivedSchema['tables'][number],
): AsyncGenerator<Entry, number> {
  const copy = client.query(to(`COPY ${placeOf(schema, table, columns)} TO STDOUT`))
  let part = 0
  let waiting: Uint8Array[] = []
  let size = 0
  for await (const bytes of copy as AsyncIterable<Uint8Array>) {
    waiting.push(bytes)
    size += bytes.length
    if (size < partBytes) continue
    yield { name: partName(service, table, ++part), bytes: Buffer.concat(waiting) }
    waiting = []
    size = 0
  }
  if (size > 0) yield { name: partName(service, table, ++part), bytes: Buffer.concat(waiting) }
  return copy.rowCount ?? 0
}

/** Returns `<schema>.<table> (<columns>)` for COPY. */
export function placeOf(schema: string, table: string, columns: readonly string[]): string {
  const [name, own] = [schema, table].map((one) => pg.escapeIdentifier(one))
  return `${name}.${own} (${columns.map((column) => pg.escapeIdentifier(column)).join(', ')})`
}

/** Returns the last value of each sequence of a schema; omits unused sequences. */
export async function readSequences(client: pg.Client, schema: string): Promise<End['sequences']> {
  const { rows } = await client.query(
    `SELECT schemaname::text AS schema, sequencename::text AS sequence, last_value::text AS last
     FROM pg_sequences WHERE schemaname = $1 AND last_value IS NOT NULL`,
    [schema],
  )
  return rows
}
