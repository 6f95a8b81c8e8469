import { readFile } from 'node:fs/promises'
import { definitions } from '@coffer/cli/process/services'
import { cloneDatabase, type TestDatabase } from '@coffer/host/testing/database'
import pg from 'pg'

/**
 * A database with a household, in the tables of the oldest version that can be upgraded
 * (test/data/README.md).
 */
export interface FormerDatabase extends TestDatabase {
  query: (text: string) => Promise<Record<string, unknown>[]>
  /** An API key of the household, as `id:secret`. */
  key: string
}

/** Services of that release. */
const formerServices = definitions.filter(({ name }) => name !== 'notices')

/**
 * Creates a database, runs for each service the migrations of the oldest release that can be
 * upgraded, and inserts a household.
 */
export async function createFormerDatabase(): Promise<FormerDatabase> {
  await using opening = new AsyncDisposableStack()
  const { url } = opening.use(await cloneDatabase([]))
  const client = new pg.Client({ connectionString: url })
  await client.connect()
  opening.defer(() => client.end())
  for (const { name, schema } of formerServices) {
    await client.query(`CREATE SCHEMA ${schema}; SET search_path = ${schema}`)
    await client.query('CREATE TABLE migrations (name text PRIMARY KEY, checksum text)')
    for (const file of [...(await migrations('kit')), ...(await migrations(name))]) {
      await client.query(file.text)
      await client.query('INSERT INTO migrations (name) VALUES ($1)', [file.name])
    }
  }
  const key = await fill(client)
  const stack = opening.move()
  return {
    url,
    key,
    query: async (text) => (await client.query(text)).rows,
    [Symbol.asyncDispose]: () => stack.disposeAsync(),
  }
}

/**
 * Splits a service's file into its migrations, each after `-- Migration <name> of an earlier
 * release`.
 */
async function migrations(folder: string): Promise<{ name: string; text: string }[]> {
  const heading = /^-- Migration (.+) of an earlier release\n/m
  const parts = (await read(`${folder}.sql`)).split(heading).slice(1)
  return parts.flatMap((name, index) =>
    index % 2 === 0 ? [{ name, text: parts[index + 1] ?? '' }] : [],
  )
}

/**
 * Inserts the household of `household.txt`: a line has a table and a row in JSON. Returns the API
 * key in the first line.
 */
async function fill(client: pg.Client): Promise<string> {
  const [first = '', ...lines] = (await read('household.txt')).trimEnd().split('\n')
  const tables = Map.groupBy(lines, (line) => line.slice(0, line.indexOf(' ')))
  for (const [table, rows] of tables) {
    const array = `[${rows.map((row) => row.slice(table.length + 1)).join()}]`
    await client.query(
      `INSERT INTO ${table} OVERRIDING SYSTEM VALUE
      SELECT * FROM jsonb_populate_recordset(NULL::${table}, $1)`,
      [array],
    )
  }
  await client.query(
    `SELECT setval('ledger.journal_entry_id_seq', (SELECT max(entry_id) FROM ledger.journal))`,
  )
  return first.replace('key ', '')
}

const read = (name: string) => readFile(new URL(`../data/former/${name}`, import.meta.url), 'utf8')
