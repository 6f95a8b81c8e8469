import { withClient } from '@coffer/host/testing/database'
import type pg from 'pg'

/**
 * Tables with rows of a household. Events, files, clusters of similar transactions and rows of
 * other services are not copied.
 */
const tables = [
  'identity.logins',
  'identity.accounts',
  'identity.users',
  'identity.api_keys',
  'ledger.account_settings',
  'ledger.links',
  'ledger.bank_accounts',
  'ledger.bank_account_keys',
  'ledger.envelopes',
  'ledger.transactions',
  'ledger.journal',
  'budgeting.account_settings',
  'budgeting.funding_schedules',
  'budgeting.spending',
  'budgeting.plan_books',
]

/**
 * Number of rows of a household that are inserted together before those of the next household. The
 * rows of a page are on several heap pages, as after a sync that inserts a few rows every day.
 */
const together = 5

/** SQL values of columns that are not copied as they are. */
const changed: Record<string, string> = {
  email: `number || '.' || email`,
  // No search for similar transactions: it would run in all copies.
  unsearched_from: 'NULL',
}

/** Inserts the copies 1 to `count` of all rows of an account, and updates the statistics. */
export async function insertCopies(
  databaseUrl: string,
  of: { accountId: string; count: number },
): Promise<void> {
  const copy = (table: string) => {
    return withClient(databaseUrl, async (client) => {
      await client.query(`SET maintenance_work_mem = '1GB'`)
      // No triggers: foreign keys are not checked again in rows that are copies of checked ones.
      await client.query('SET session_replication_role = replica')
      await copyTable(client, table, of)
    })
  }
  await Promise.all(tables.map(copy))
  await withClient(databaseUrl, (client) => client.query('CHECKPOINT'))
}

/** Returns the size of the database in GiB. */
export async function databaseGib(databaseUrl: string): Promise<number> {
  const { rows } = await withClient(databaseUrl, (client) =>
    client.query('SELECT pg_database_size(current_database())::float8 / 2 ^ 30 AS gib'),
  )
  return rows[0].gib
}

/** Copies the rows of one table; its indexes are dropped meanwhile, except those of constraints. */
async function copyTable(
  client: pg.Client,
  table: string,
  { accountId, count }: { accountId: string; count: number },
): Promise<void> {
  const login = 'login_id IN (SELECT login_id FROM identity.users WHERE account_id = $1)'
  await client.query('BEGIN')
  const { rowCount } = await client.query(
    `CREATE TEMP TABLE pattern ON COMMIT DROP AS
     SELECT row_number() OVER (ORDER BY ctid) AS place, * FROM ${table}
     WHERE ${table === 'identity.logins' ? login : 'account_id = $1'}`,
    [accountId],
  )
  const indexes = await client.query(
    `SELECT indexrelid::regclass::text AS name, pg_get_indexdef(indexrelid) AS definition
     FROM pg_index WHERE indrelid = $1::regclass
       AND NOT EXISTS (SELECT FROM pg_constraint WHERE conindid = indexrelid)`,
    [table],
  )
  for (const { name } of indexes.rows) await client.query(`DROP INDEX ${name}`)
  const insert = await insertOf(client, table)
  for (let place = 0; place < (rowCount ?? 0); place += together) {
    await client.query(insert, [count, place + 1, place + together])
  }
  for (const { definition } of indexes.rows) await client.query(definition)
  await client.query('COMMIT')
  await client.query(`VACUUM (ANALYZE) ${table}`)
}

/** Returns an INSERT of the copies 1 to $1 of the rows $2 to $3 of the table `pattern`. */
async function insertOf(client: pg.Client, table: string): Promise<string> {
  const { rows } = await client.query<{ name: string; is_text: boolean }>(
    `SELECT attname AS name, atttypid = 'text'::regtype AS is_text FROM pg_attribute
     WHERE attrelid = $1::regclass AND attnum > 0 AND NOT attisdropped AND attidentity = ''
     ORDER BY attnum`,
    [table],
  )
  const values = rows.map(({ name, is_text }) => {
    const isId = is_text && (name.endsWith('_id') || name === 'created_by')
    return changed[name] ?? (isId ? numbered(name) : name)
  })
  return `INSERT INTO ${table} (${rows.map(({ name }) => name).join(', ')})
    SELECT ${values.join(', ')} FROM pattern, generate_series(1, $1::int) AS number
    WHERE place BETWEEN $2 AND $3 ORDER BY number, place`
}

/**
 * Returns SQL of a copied ID. The number replaces the first four of the 16 random characters of the
 * ULID: the copies of one account are next to each other in an index, in the order of the numbers.
 */
function numbered(name: string): string {
  return `CASE WHEN length(${name}) > 26 THEN
    overlay(${name} PLACING lpad(to_hex(number), 4, '0') FROM length(${name}) - 15 FOR 4)
    ELSE ${name} END`
}
