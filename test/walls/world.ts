import { mkdtempSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { definitions } from '@coffer/cli/process/services'
import { calls, serviceNames } from '@coffer/cli/settings/service-names'
import { runHere } from '@coffer/cli/testing/run-here'
import { cloneDatabase, requiredVariable, withClient } from '@coffer/host/testing/database'
import { newId } from '@coffer/kit/values/id'
import { freePorts } from '@coffer/local/ports'
import { generateX25519Identity, identityToRecipient } from 'age-encryption'
import { startOwnNats } from '../secured/servers.ts'
import type { Archive } from './commands.ts'

export const parts = Object.keys(calls)

type Environment = Record<string, string>

/** The environments of a mesh; their hosts are `postgres` and `nats:4222`. */
export interface Mesh {
  environmentOf: (part: string) => Environment
  /** The environment of the migration, which creates the roles. */
  migration: Environment
}

/** Real servers for the environments of a mesh, which lead to them. */
export interface World extends AsyncDisposable {
  environmentOf: (part: string) => Environment
  ownerUrl: string
  /** Returns the lines of NATS about refused subjects. */
  violations: () => string[]
  /** An archive of the database, made as the owner. */
  files: Archive
  /** Returns the content of each schema, as a hash. */
  fingerprint: () => Promise<Record<string, string>>
}

/** Returns the password that the environments have for a variable or a user, such as `ledger`. */
export function passwordOf(user: string): string {
  return `password-of-${user.toLowerCase().replaceAll('_', '-')}`
}

/**
 * Starts NATS with the users that `coffer nats:permissions` prints, and creates tables and roles by
 * `coffer migrate --roles` in a database of the world's own.
 */
export async function startWorld(mesh: Mesh, prefix = 'coffer'): Promise<World> {
  await using stack = new AsyncDisposableStack()
  const { url: ownerUrl } = stack.use(await cloneDatabase(definitions))
  const [port = 0] = await freePorts(1)
  const { stdout: users } = await runHere(['nats:permissions'], { COFFER_PREFIX: prefix })
  const known = users.replace(/\$NATS_PASSWORD_(\w+)/g, (_, user) => `"${passwordOf(user)}"`)
  const nats = stack.use(await startOwnNats('walls', port, known))
  const folder = mkdtempSync(join(tmpdir(), 'coffer-walls-'))
  stack.defer(() => rmSync(folder, { recursive: true }))
  const suffix = newId('w')
  const at = { ownerUrl, natsPort: port, prefix, suffix }
  stack.defer(() => dropRoles(ownerUrl, suffix))
  const located = (name: string, environment: Environment): Environment => ({
    ...Object.fromEntries(
      Object.entries(environment).map(([key, value]) => [key, locate(value, at)]),
    ),
    COFFER_DATA_DIR: join(folder, name),
    COFFER_TEMPORAL_ADDRESS: requiredVariable('COFFER_TEST_TEMPORAL_ADDRESS'),
  })
  const migrated = await runHere(['migrate', '--roles'], located('migration', mesh.migration))
  if (migrated.code !== 0) throw new Error(migrated.stderr)
  const files = await makeArchive(ownerUrl, folder)
  const started = stack.move()
  return {
    files,
    ownerUrl,
    violations: () => nats.log().filter((line) => line.includes(' Violation')),
    fingerprint: () => fingerprintOf(ownerUrl),
    environmentOf: (part) => located(part, mesh.environmentOf(part)),
    [Symbol.asyncDispose]: () => started.disposeAsync(),
  }
}

/** Addresses of the real servers, the prefix of users in NATS, and the suffix of roles. */
interface Place {
  ownerUrl: string
  natsPort: number
  prefix: string
  suffix: string
}

/** Returns a URL of Postgres or NATS with the address of the real server, other values as is. */
function locate(value: string, { ownerUrl, natsPort, prefix, suffix }: Place): string {
  if (value.startsWith('nats:')) {
    return value.replace('nats:4222', `127.0.0.1:${natsPort}`).replace('//coffer-', `//${prefix}-`)
  }
  if (!value.startsWith('postgres:')) return value
  const { username, password } = new URL(value)
  if (username === 'coffer') return ownerUrl
  // Roles belong to the whole server, which other tests use too.
  const url = new URL(ownerUrl)
  return Object.assign(url, { username: `${username}_${suffix}`, password }).href
}

async function makeArchive(ownerUrl: string, folder: string): Promise<Archive> {
  const [archive, identity] = [join(folder, 'archive.age'), join(folder, 'age.key')]
  const secret = await generateX25519Identity()
  writeFileSync(identity, secret)
  const recipient = await identityToRecipient(secret)
  const environment = { COFFER_DATABASE_URL: ownerUrl, COFFER_DATA_DIR: join(folder, 'owner') }
  const args = ['backup', '--to', archive, '--recipient', recipient]
  const { code, stderr } = await runHere(args, environment)
  if (code !== 0) throw new Error(stderr)
  return { archive, recipient, identity, absent: join(folder, 'absent.age') }
}

/** Tables are the same if no row of any has changed. */
async function fingerprintOf(ownerUrl: string): Promise<Record<string, string>> {
  return withClient(ownerUrl, async (owner) => {
    const found: Record<string, string> = {}
    for (const { schema } of definitions) {
      const { rows } = await owner.query(
        "SELECT md5(schema_to_xml($1, false, false, '')::text) AS hash",
        [schema],
      )
      found[schema] = rows[0].hash
    }
    return found
  })
}

async function dropRoles(ownerUrl: string, suffix: string): Promise<void> {
  await withClient(ownerUrl, async (owner) => {
    for (const name of serviceNames) {
      const role = `coffer_${name.replaceAll('-', '_')}_${suffix}`
      await owner.query(`DROP OWNED BY ${role}; DROP ROLE ${role}`)
    }
  })
}
