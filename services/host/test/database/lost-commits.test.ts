import type { Database } from '@coffer/kit/database/database'
import { newId } from '@coffer/kit/values/id'
import { expect, test } from '@jest/globals'
import { sql } from 'slonik'
import { mayLackCommits, watchLostCommits } from '../../src/database/lost-commits.ts'
import { eventually } from '../../testing/boot.ts'
import { cloneDatabase, withClient } from '../../testing/database.ts'
import { fixture } from '../../testing/fixture/service.ts'
import { keepLogLines } from '../../testing/log-lines.ts'
import { createLoggedDatabase } from '../../testing/statement-log.ts'

const known = { systemId: '7', timeline: '00000001', lsn: 100n }

test('commits may be missing on another cluster or timeline, and when the log went back', () => {
  expect(mayLackCommits(known, { ...known, lsn: 100n })).toBe(false)
  expect(mayLackCommits(known, { ...known, lsn: 101n })).toBe(false)
  expect(mayLackCommits(known, { ...known, lsn: 99n })).toBe(true)
  expect(mayLackCommits(known, { ...known, timeline: '00000002', lsn: 200n })).toBe(true)
  expect(mayLackCommits(known, { ...known, systemId: '8', lsn: 200n })).toBe(true)
})

async function createChanges() {
  const stack = new AsyncDisposableStack()
  const { url } = stack.use(await cloneDatabase([fixture]))
  const limits = { poolSizeMax: 2, statementTimeoutMs: 10_000 }
  const database = stack.use(await createLoggedDatabase({ url, schema: fixture.schema, ...limits }))
  const add = (ageMinutes: number) =>
    database.pool.query(sql.unsafe`
      INSERT INTO changes (change_id, account_id, type, entity_id, version, payload, created_at,
        published_at)
      VALUES (${newId('chg')}, 'acct_1', 'a', 'e', 1, '',
        now() - make_interval(mins => ${ageMinutes}), now())`)
  const unpublished = () =>
    database.pool.oneFirst(sql.unsafe`SELECT count(*)::int FROM changes WHERE published_at IS NULL`)
  return { database, add, unpublished, [Symbol.asyncDispose]: () => stack.disposeAsync() }
}

test('after a fail-over the changes of the last ten minutes are published again', async () => {
  await using changes = await createChanges()
  const { database, add, unpublished } = changes
  for (const ageMinutes of [40, 30, 5, 0]) await add(ageMinutes)
  const { log, lines } = keepLogLines()
  const positions = [known, { ...known, timeline: '00000002' }]
  const maybeOne = async () => positions.shift() ?? null
  const pool: Database['pool'] = Object.assign(Object.create(database.pool), { maybeOne })
  const failing: Database = { ...database, pool }
  const pauses = { everyMs: 5, republishMs: 5 }
  await using _watch = watchLostCommits({ service: 'fixture', database: failing, log, ...pauses })
  await eventually(unpublished, (count) => count === 2)
  await eventually(
    async () => lines(),
    ({ length }) => length === 2,
  )
  expect(lines()).toMatchObject([
    { msg: 'the database may lack commits', after: '7 00000002 100' },
    { msg: 'the latest changes are published again', count: 2 },
  ])
})

test('a server that goes on as before causes no publication', async () => {
  await using changes = await createChanges()
  const { database, add, unpublished } = changes
  await add(0)
  const { log, lines } = keepLogLines()
  const before = database.statements()
  await using _watch = watchLostCommits({ service: 'fixture', database, log, everyMs: 5 })
  await eventually(
    async () => database.statements() - before,
    (count) => count > 5,
  )
  expect([lines(), await unpublished()]).toEqual([[], 0])
})

test('a server that refuses its position is named once, and in the notice', async () => {
  await using clone = await cloneDatabase([fixture])
  const role = newId('role')
  const located = new URL(clone.url)
  located.username = role
  located.password = 'secret'
  await withClient(clone.url, (owner) =>
    owner.query(`
      REVOKE EXECUTE ON FUNCTION pg_control_system() FROM PUBLIC;
      CREATE ROLE ${role} LOGIN PASSWORD 'secret'`),
  )
  try {
    const options = { schema: fixture.schema, poolSizeMax: 1, statementTimeoutMs: 10_000 }
    await using database = await createLoggedDatabase({ ...options, url: located.href })
    const { log, lines } = keepLogLines()
    const before = database.statements()
    await using watch = watchLostCommits({ service: 'fixture', database, log, everyMs: 5 })
    await eventually(
      async () => database.statements() - before,
      (count) => count > 3,
    )
    const fault =
      'lost commits are not noticed, as Postgres refuses its position ' +
      '(permission denied for function pg_control_system)'
    expect(watch.notice()).toBe(`fixture: ${fault}`)
    expect(lines()).toMatchObject([
      { level: 40, msg: `${fault}: run "coffer replay" after a fail-over` },
    ])
    await withClient(clone.url, (owner) =>
      owner.query(`GRANT EXECUTE ON FUNCTION pg_control_system() TO ${role}`),
    )
    await eventually(
      async () => watch.notice(),
      (notice) => notice === null,
    )
  } finally {
    await withClient(clone.url, (owner) => owner.query(`DROP OWNED BY ${role}; DROP ROLE ${role}`))
  }
})
