import { newId } from '@coffer/kit/values/id'
import { afterAll, beforeAll, expect, test } from '@jest/globals'
import { sql } from 'slonik'
import { ensureServiceRole } from '../../src/database/service-role.ts'
import { cloneDatabase, withClient } from '../../testing/database.ts'
import { fixture } from '../../testing/fixture/service.ts'
import { createLoggedDatabase } from '../../testing/statement-log.ts'

const stack = new AsyncDisposableStack()
const role = newId('role')
const { schema } = fixture
let ownerUrl: string
let url: string

beforeAll(async () => {
  ownerUrl = stack.use(await cloneDatabase([fixture])).url
  const located = new URL(ownerUrl)
  located.username = role
  located.password = "it's a password"
  url = located.href
})

afterAll(async () => {
  await withClient(ownerUrl, (owner) => owner.query(`DROP OWNED BY ${role}; DROP ROLE ${role}`))
  await stack.disposeAsync()
})

const limits = { schema, poolSizeMax: 1, statementTimeoutMs: 4_000 }
const pooled = (at: string) => createLoggedDatabase({ ...limits, url: at, pooler: 'transaction' })
const ensure = () => ensureServiceRole({ url, ownerUrl, schema, statementTimeoutMs: 4_000 })

test('a role has what connections set without a pooler, and rights on later tables', async () => {
  expect(await ensure()).toBe(role)
  expect(await ensure()).toBe(role)
  await withClient(ownerUrl, (owner) => owner.query(`CREATE TABLE ${schema}.later (id text)`))
  await using database = await pooled(url)
  const read = sql.unsafe`
    SELECT current_user AS role, current_setting('search_path') AS path,
      current_setting('TimeZone') AS zone, current_setting('statement_timeout') AS timeout,
      (SELECT count(*)::int FROM pg_prepared_statements) AS prepared,
      (SELECT count(*)::int FROM pg_settings WHERE source = 'client' AND name <> 'client_encoding')
        AS startup`
  const found = { role, path: schema, zone: 'UTC', timeout: '4s', prepared: 0, startup: 0 }
  expect(await database.pool.one(read)).toEqual(found)
  await database.transaction(async (tx) => {
    await tx.query(sql.unsafe`INSERT INTO later (id) VALUES ('one')`)
    await tx.query(sql.unsafe`
      INSERT INTO connections (account_id, feed_link_id, name, version)
      VALUES ('acct_role', 'link', 'name', 1)`)
  })
  expect(await database.pool.oneFirst(sql.unsafe`SELECT id FROM later`)).toBe('one')
  expect(await database.pool.one(read)).toEqual(found)
  expect(database.texts().length).toBeGreaterThan(0)
})

test('a role without these settings, and the owner as a role, are refused', async () => {
  await using database = await pooled(ownerUrl)
  const refusal = /has the search path .* instead of fixture and UTC: run "coffer migrate --roles"/
  await expect(database.pool.query(sql.unsafe`SELECT 1`)).rejects.toThrow(refusal)
  const owner = { url: ownerUrl, ownerUrl, schema, statementTimeoutMs: 100 }
  await expect(ensureServiceRole(owner)).rejects.toThrow('owns the tables of fixture')
  const located = new URL(url)
  located.password = ''
  const nameless = ensureServiceRole({ ...owner, url: located.href })
  await expect(nameless).rejects.toThrow('names no role with a password')
})

test('a role loses all rights beyond its schema; three runs at once are sequential', async () => {
  await ensure()
  const another = newId('other')
  await withClient(ownerUrl, (owner) =>
    owner.query(`
      CREATE SCHEMA ${another};
      CREATE TABLE ${another}.applied_migrations (name text);
      CREATE ROLE ${another};
      GRANT ${another} TO ${role};
      ALTER ROLE ${role} CREATEDB CREATEROLE;
      GRANT ALL ON SCHEMA ${another}, public, ${schema} TO ${role};
      GRANT CREATE ON SCHEMA public TO PUBLIC;
      GRANT ALL ON ALL TABLES IN SCHEMA ${another}, ${schema} TO ${role};
      ALTER DEFAULT PRIVILEGES IN SCHEMA ${another} GRANT ALL ON TABLES TO ${role};
      ALTER DEFAULT PRIVILEGES GRANT SELECT ON SEQUENCES TO ${role}`),
  )
  expect(await Promise.all([ensure(), ensure(), ensure()])).toEqual([role, role, role])
  await withClient(ownerUrl, (owner) => owner.query(`CREATE TABLE ${another}.later (id text)`))
  const refused = [
    `SELECT * FROM ${another}.applied_migrations`,
    `SELECT * FROM ${another}.later`,
    `SET ROLE ${another}`,
    `CREATE TABLE public.mine (id text)`,
    `CREATE TABLE ${schema}.mine (id text)`,
    `CREATE SCHEMA mine`,
    `CREATE ROLE mine`,
    `CREATE DATABASE mine`,
    `ALTER TABLE ${schema}.connections ADD COLUMN mine text`,
  ]
  await withClient(url, async (client) => {
    for (const statement of refused) {
      await expect(client.query(statement)).rejects.toMatchObject({ code: '42501' })
    }
  })
  const toPublic = `GRANT USAGE ON SCHEMA ${another} TO PUBLIC`
  await withClient(ownerUrl, (owner) => owner.query(toPublic))
  await expect(ensure()).rejects.toThrow(`the role ${role} may use the schema ${another}`)
  await withClient(ownerUrl, (owner) =>
    owner.query(`DROP SCHEMA ${another} CASCADE; DROP ROLE ${another}`),
  )
})

test('a role of another name replaces it; documented statements remove the former', async () => {
  await ensure()
  const next = new URL(url)
  next.username = newId('next')
  await ensureServiceRole({ url: next.href, ownerUrl, schema, statementTimeoutMs: 4_000 })
  for (const used of [url, next.href]) {
    await withClient(used, (client) => client.query(`SELECT * FROM ${schema}.connections`))
  }
  await withClient(ownerUrl, (owner) =>
    owner.query(`GRANT ${role} TO CURRENT_USER; DROP OWNED BY ${role}; DROP ROLE ${role}`),
  )
  await expect(withClient(url, async () => {})).rejects.toThrow(/password authentication failed/)
  await withClient(next.href, (client) => client.query(`SELECT * FROM ${schema}.connections`))
  await withClient(ownerUrl, (owner) =>
    owner.query(`DROP OWNED BY ${next.username}; DROP ROLE ${next.username}`),
  )
  await ensure()
})
