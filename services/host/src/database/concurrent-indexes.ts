import { setTimeout as sleep } from 'node:timers/promises'
import pg from 'pg'

/** A statement that creates or drops an index without blocking writes to its table. */
interface IndexChange {
  action: 'CREATE' | 'DROP'
  name: string
  text: string
}

/**
 * Returns whether the first line of a migration says that it runs outside a transaction. Postgres
 * builds an index CONCURRENTLY only outside a transaction.
 */
export function isOutsideTransaction(text: string): boolean {
  return /^-- no transaction\r?\n/.test(text)
}

const creation = /^CREATE\s+(?:UNIQUE\s+)?INDEX\s+CONCURRENTLY\s+(\w+)\s/i
const removal = /^DROP\s+INDEX\s+CONCURRENTLY\s+IF\s+EXISTS\s+(\w+)$/i

/**
 * Returns the statements of a migration that runs outside a transaction; null if one of them is
 * neither CREATE INDEX CONCURRENTLY nor DROP INDEX CONCURRENTLY IF EXISTS.
 */
export function indexChanges(text: string): IndexChange[] | null {
  const plain = text.replace(/^\s*--.*$/gm, '')
  const statements = plain.split(/;\s*$/m).map((statement) => statement.trim())
  const changes: IndexChange[] = []
  for (const statement of statements.filter((one) => one !== '')) {
    const [, created] = creation.exec(statement) ?? []
    const name = created ?? removal.exec(statement)?.[1]
    // Refuses statements without a name, and IF NOT EXISTS, which would keep an INVALID index.
    if (name === undefined || /^(if|on)$/i.test(name)) return null
    changes.push({ action: created ? 'CREATE' : 'DROP', name, text: statement })
  }
  return changes
}

/**
 * Creates and drops indexes; resumes an interrupted run: a valid index is kept, an INVALID one is
 * dropped and built again. No lock timeout, because requests do not queue behind these statements.
 */
export async function changeIndexes(
  client: pg.Client,
  schema: string,
  changes: IndexChange[],
): Promise<void> {
  // Operator classes of an extension may be in another schema, so the search path includes it.
  await client.query(
    `SELECT set_config('search_path', concat_ws(', ', quote_ident($1),
        string_agg(DISTINCT extnamespace::regnamespace::text, ', ')), false)
      FROM pg_extension`,
    [schema],
  )
  await client.query('SET lock_timeout = 0; SET statement_timeout = 0')
  for (const { action, name, text } of changes) {
    if (action === 'DROP') await client.query(text)
    else await createIndex(client, name, text)
  }
}

const buildPollMs = 500

async function createIndex(client: pg.Client, name: string, text: string): Promise<void> {
  for (;;) {
    const state = await stateOf(client, name)
    if (state === 'valid') return
    if (state === 'building') {
      await sleep(buildPollMs)
      continue
    }
    if (state === 'invalid') await dropInvalid(client, name)
    try {
      await client.query(text)
    } catch (error) {
      if (!(error instanceof pg.DatabaseError)) throw error
      const isTaken = error.code === duplicateTable && (await stateOf(client, name)) !== 'missing'
      if (isTaken) continue
      // Drops the failed index, because writes would still maintain an INVALID index, and a unique
      // one would still refuse rows.
      await dropInvalid(client, name).catch(() => undefined)
      throw error
    }
  }
}

/**
 * SQLSTATE duplicate_table: the index exists already. A process that was killed may have begun to
 * build it, and Postgres continues the build.
 */
const duplicateTable = '42P07'

type IndexState = 'missing' | 'valid' | 'invalid' | 'building'

/**
 * Returns the state of an index; `building` while Postgres runs its build, even after the process
 * that began it was killed.
 */
async function stateOf(client: pg.Client, name: string): Promise<IndexState> {
  const { rows } = await client.query<{ state: IndexState }>(
    `SELECT CASE WHEN indisvalid THEN 'valid'
       WHEN EXISTS (SELECT FROM pg_stat_progress_create_index WHERE index_relid = indexrelid)
         THEN 'building'
       ELSE 'invalid' END AS state
     FROM pg_index WHERE indexrelid = to_regclass($1)`,
    [name],
  )
  return rows[0]?.state ?? 'missing'
}

async function dropInvalid(client: pg.Client, name: string): Promise<void> {
  if ((await stateOf(client, name)) !== 'invalid') return
  await client.query(`DROP INDEX CONCURRENTLY IF EXISTS ${name}`)
}
