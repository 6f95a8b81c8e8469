import { mkdtempDisposableSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { runHere } from '@coffer/cli/testing/run-here'
import { withClient } from '@coffer/host/testing/database'
import { afterAll, beforeAll, expect, test } from '@jest/globals'
import { render, requireTools, valuesOf } from '../packaging/chart.ts'
import { helm } from '../packaging/tools/tool-list.ts'
import { environmentIn, objectIn, variablesIn } from './chart-environment.ts'
import { startWorld, type World } from './world.ts'

const base = [
  ...valuesOf('minimal'),
  '--set=nats.url=,nats.urls.secretName=coffer-nats',
  '--set=backup.enabled=true,backup.to=s3://budget-backups/nightly/,backup.recipients={age1a}',
  '--set=audit.enabled=true,operator.enabled=true',
]
const ownerAlone = '--set=database.urls.secretName=,database.url.secretName=coffer-databases'
const ownerKey = '--set=database.url.key=owner'
const readers = ['backup', 'audit', 'operator'].map(
  (name) => `--set=${name}.databaseUrl.secretName=coffer-reader`,
)
const operatorAsOwner =
  '--set=operator.databaseUrl.secretName=coffer-databases,operator.databaseUrl.key=owner'

/** Options of helm for each way to name the databases. */
const ways: Record<string, string[]> = {
  'URLs of all parts': base,
  'URLs of all parts and a reader': [...base, ...readers, operatorAsOwner],
  'one URL': [...base, ownerAlone, ownerKey],
  'one URL and a reader': [...base, ownerAlone, ownerKey, ...readers, operatorAsOwner],
}

const stack = new AsyncDisposableStack()
const { path: folder } = stack.use(mkdtempDisposableSync(join(tmpdir(), 'coffer-commands-')))
const rendered: Record<string, string> = {}
let world: World

const variablesOf = (way: string, name: string) =>
  variablesIn(objectIn(rendered[way] ?? '', 'CronJob', `coffer-${name}`))

beforeAll(async () => {
  requireTools([helm])
  for (const [way, options] of Object.entries(ways)) rendered[way] = await render(options)
  const migration = objectIn(rendered['URLs of all parts'] ?? '', 'Job', 'coffer-migration')
  world = await startWorld({
    environmentOf: (place) => {
      const [way = '', name = ''] = place.split('/')
      return environmentIn(variablesOf(way, name))
    },
    migration: environmentIn(variablesIn(migration)),
  })
  stack.use(world)
  const keys = { COFFER_KEYS_DIR: folder, COFFER_DATA_DIR: folder }
  expect((await runHere(['keys:create'], keys)).code).toBe(0)
  const url = world.environmentOf('one URL and a reader/backup').COFFER_DATABASE_URL ?? ''
  const { username, password } = new URL(url)
  const create = `CREATE ROLE ${username} LOGIN PASSWORD '${password}' IN ROLE pg_read_all_data`
  await withClient(world.ownerUrl, (owner) => owner.query(create))
  stack.defer(() =>
    withClient(world.ownerUrl, async (owner) => {
      await owner.query(`DROP ROLE ${username}`)
    }),
  )
}, 60_000)

afterAll(() => stack.disposeAsync())

const commands: [string, string[]][] = [
  ['backup', ['backup']],
  ['audit', ['audit']],
  ['operator', ['audit']],
  ['operator', ['keys:rotate', '--finish']],
  ['operator', ['replay']],
  ['operator', ['backup']],
]

test.each(Object.keys(ways))(
  'with %s each command runs with the variables of its pod',
  async (way) => {
    for (const [index, [name, words]] of commands.entries()) {
      const { COFFER_PORT: _port, ...variables } = world.environmentOf(`${way}/${name}`)
      const archive = join(folder, `${way}-${index}.age`)
      const to = ['--to', archive, '--recipient', world.files.recipient]
      const args = words[0] === 'backup' ? [...words, ...to] : words
      const { code, stderr } = await runHere(args, { ...variables, COFFER_KEYS_DIR: folder })
      expect({ args, code, stderr }).toEqual({ args, code: 0, stderr: '' })
    }
  },
)

test.each(['backup', 'audit'])('the %s that has a reader has no other URL', (name) => {
  for (const way of Object.keys(ways).filter((one) => one.endsWith('reader'))) {
    const secrets = Object.values(variablesOf(way, name)).filter((one) => typeof one !== 'string')
    expect(secrets).toEqual([{ secret: 'coffer-reader', key: 'url' }])
  }
})
