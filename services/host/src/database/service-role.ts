import pg from 'pg'
import { connectionOptions } from './connection.ts'
import { excessStatements, requireOnlyOwnRights } from './excess-rights.ts'

/** A service's role in Postgres, restricted to the tables of this service. */
export interface ServiceRole {
  /** URL with the role's name and password. */
  url: string
  /** URL of the owner of the tables, not through a pooler. */
  ownerUrl: string
  schema: string
  statementTimeoutMs: number
}

/**
 * Returns the time in ms after which Postgres ends an idle transaction. A hanging process holds its
 * row locks for that long, so the time is at most 8 s.
 */
export function idleInTransactionMs(statementTimeoutMs: number): number {
  return Math.min(2 * statementTimeoutMs, 8_000)
}

const remedy = 'run "coffer migrate --roles", and connect as a role of its own for each service'

/**
 * Throws if a role lacks the search path and the other settings of a session. Behind a pooler,
 * which refuses startup parameters, a connection cannot set them itself: its statements would find
 * no tables, or those of another service.
 */
export async function requireRoleSettings(client: pg.Client, schema: string): Promise<void> {
  const { rows } = await client.query(
    `SELECT current_user AS role, current_setting('search_path') AS path,
       current_setting('TimeZone') AS zone`,
  )
  const [{ role, path, zone }] = rows
  if (path === schema && zone === 'UTC') return
  throw new Error(
    `COFFER_DATABASE_POOLER: the role ${role} has the search path ${path} and the timezone ` +
      `${zone} instead of ${schema} and UTC: ${remedy}`,
  )
}

/**
 * Creates or updates the role of a service: its password, its settings in the database, and its
 * rights on the schema, also for tables of later migrations. Revokes all other rights. One
 * transaction, safe to run concurrently. Returns the role's name. Throws if Postgres refuses, or
 * the role keeps a right that would open another schema (docs/running/secured-servers.md).
 */
export async function ensureServiceRole(role: ServiceRole): Promise<string> {
  const { user: name, password } = await connectionOptions(role.url)
  const owner = await connectionOptions(role.ownerUrl)
  if (!name || typeof password !== 'string') {
    throw new Error(`the URL of the database with ${role.schema} names no role with a password`)
  }
  if (name === owner.user) {
    throw new Error(`${name} owns the tables of ${role.schema}: ${remedy}`)
  }
  const client = new pg.Client(owner)
  await client.connect()
  try {
    await client.query('BEGIN')
    // Advisory locks: waits for other runs of this function and for migrations, because concurrent
    // updates of the same catalog rows fail.
    for (const lock of ['coffer roles', `migrate ${role.schema}`]) {
      await client.query('SELECT pg_advisory_xact_lock(hashtext($1))', [lock])
    }
    for (const statement of await roleStatements(client, { ...role, name, password })) {
      await client.query(statement)
    }
    const of = { name, schema: role.schema }
    for (const statement of await excessStatements(client, of)) await client.query(statement)
    await requireOnlyOwnRights(client, of)
    await client.query('COMMIT')
  } catch (error) {
    throw (error as { code?: string }).code === '42501'
      ? new Error(`${(error as Error).message}: ${owner.user} needs CREATEROLE, or be superuser`)
      : error
  } finally {
    await client.end()
  }
  return name
}

async function roleStatements(
  client: pg.Client,
  given: ServiceRole & { name: string; password: string },
): Promise<string[]> {
  const role = client.escapeIdentifier(given.name)
  const schema = client.escapeIdentifier(given.schema)
  const { rows } = await client.query(
    `SELECT current_database() AS database,
       EXISTS (SELECT FROM pg_roles WHERE rolname = $1) AS exists`,
    [given.name],
  )
  const database = client.escapeIdentifier(rows[0].database)
  const settings = {
    search_path: schema,
    timezone: "'UTC'",
    statement_timeout: String(given.statementTimeoutMs),
    idle_in_transaction_session_timeout: String(idleInTransactionMs(given.statementTimeoutMs)),
  }
  const login = `LOGIN PASSWORD ${client.escapeLiteral(given.password)}`
  const rights = [
    ['SELECT, INSERT, UPDATE, DELETE, TRUNCATE', 'TABLES'],
    ['USAGE, SELECT, UPDATE', 'SEQUENCES'],
  ]
  return [
    `${rows[0].exists ? 'ALTER' : 'CREATE'} ROLE ${role} ${login}`,
    ...Object.entries(settings).map(
      ([name, value]) => `ALTER ROLE ${role} IN DATABASE ${database} SET ${name} = ${value}`,
    ),
    `GRANT USAGE ON SCHEMA ${schema} TO ${role}`,
    ...rights.flatMap(([right, kind]) => [
      `GRANT ${right} ON ALL ${kind} IN SCHEMA ${schema} TO ${role}`,
      `ALTER DEFAULT PRIVILEGES IN SCHEMA ${schema} GRANT ${right} ON ${kind} TO ${role}`,
    ]),
  ]
}
