import { serviceNames } from '@coffer/cli/settings/service-names'
import { runHere } from '@coffer/cli/testing/run-here'
import { connectBroker } from '@coffer/host/events/nats'
import { eventually } from '@coffer/host/testing/boot'
import { withClient } from '@coffer/host/testing/database'
import { silentLog } from '@coffer/host/testing/silent-log'
import { afterAll, beforeAll, expect, test } from '@jest/globals'
import { foreignCommands } from './commands.ts'
import { foreignSubjects, watchRefusals } from './subjects.ts'
import { type Mesh, parts, startWorld, type World } from './world.ts'

const schemaOf = (part: string) => part.replaceAll('-', '_')
const services: readonly string[] = serviceNames

/** Refusals that name a setting, or the owner of the tables. */
const refusal = /: not set[,;]|may not use these tables: |must be s3|The aggregator is off/

/**
 * Defines the tests of the walls between parts (docs/security.md#walls-between-parts): the
 * environment of each opens nothing of another part, at real servers.
 */
export function proveWalls(meshOf: () => Promise<Mesh>): void {
  let world: World

  beforeAll(async () => {
    world = await startWorld(await meshOf())
  }, 60_000)

  afterAll(async () => {
    await world[Symbol.asyncDispose]()
  })

  test.each(parts)('Postgres: %s opens the tables of its own schema alone', async (part) => {
    const urls = urlsIn(world.environmentOf(part), 'postgres')
    const own = services.includes(part) ? [schemaOf(part)] : []
    expect(urls).toHaveLength(own.length)
    for (const url of urls) expect(await openedBy(url)).toEqual(own)
  })

  test.each(parts)('NATS: %s is refused every subject of another part', async (part) => {
    const environment = world.environmentOf(part)
    const [url = ''] = urlsIn(environment, 'nats')
    const user = { user: part, hasStream: services.includes(part) }
    const of = { url, prefix: 'coffer', serviceNames: [...serviceNames], log: silentLog }
    await using broker = await connectBroker({ ...of, ...user })
    const refused = watchRefusals(broker.connection)
    const { publish, subscribe } = foreignSubjects('coffer', part)
    expect(publish.length).toBeGreaterThan(60)
    for (const subject of publish) broker.connection.publish(subject)
    for (const subject of subscribe) broker.connection.subscribe(subject, { callback: () => {} })
    const expected = [...publish, ...subscribe].sort()
    await eventually(
      async () => refused.length,
      (count) => count >= expected.length,
    )
    expect(refused.sort()).toEqual(expected)
    expect(world.violations().length).toBeGreaterThan(0)
  })

  test('coffer: no command of another part runs, and no table changes', async () => {
    const before = await world.fingerprint()
    for (const part of parts) {
      const environment = { ...world.environmentOf(part), ...lentTo(world.environmentOf(part)) }
      for (const args of foreignCommands(part, world.files)) {
        const { code, stdout, stderr } = await runHere(args, environment)
        const outcome = [part, args[0], code === 0, stdout, refusal.test(stderr) || stderr]
        expect(outcome).toEqual([part, args[0], false, '', true])
      }
    }
    expect(await world.fingerprint()).toEqual(before)
    const own = await runHere(['beta:new-code'], world.environmentOf('identity'))
    expect([own.code, own.stdout]).toEqual([0, expect.stringMatching(/\S/)])
  })
}

/** Returns the one URL of an environment in place of all that it lacks, as a thief would try. */
function lentTo(environment: Record<string, string>): Record<string, string> {
  const [url] = urlsIn(environment, 'postgres')
  return url === undefined ? {} : { COFFER_DATABASE_URL: url, COFFER_DIRECT_DATABASE_URL: url }
}

function urlsIn(environment: Record<string, string>, protocol: string): string[] {
  return Object.values(environment).filter((value) => value.startsWith(`${protocol}:`))
}

/** Returns the schemas of which a role can read or write a table, or whose tables it could get. */
async function openedBy(url: string): Promise<string[]> {
  return withClient(url, async (client) => {
    const { rows } = await client.query<{ schema: string; name: string; open: boolean }>(
      `SELECT nspname AS schema, quote_ident(nspname) || '.' || quote_ident(relname) AS name,
         has_table_privilege(pg_class.oid, 'SELECT, INSERT, UPDATE, DELETE, TRUNCATE') AS open
       FROM pg_class JOIN pg_namespace ON pg_namespace.oid = relnamespace
       WHERE relkind IN ('r', 'p') AND nspname !~ '^pg_' AND nspname <> 'information_schema'`,
    )
    const opened = new Set(rows.filter(({ open }) => open).map(({ schema }) => schema))
    for (const { schema, name } of rows) {
      const reading = client.query(`SELECT FROM ${name} LIMIT 1`)
      if (!opened.has(schema)) await expect(reading).rejects.toMatchObject({ code: '42501' })
      else await reading
    }
    // The detection of lost commits reads the identity of the server and its position.
    await client.query('SELECT pg_walfile_name(pg_current_wal_lsn()) FROM pg_control_system()')
    await expect(client.query('CREATE SCHEMA another')).rejects.toMatchObject({ code: '42501' })
    return [...opened]
  })
}
