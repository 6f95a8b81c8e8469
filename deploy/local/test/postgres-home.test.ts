import {
  chmodSync,
  existsSync,
  mkdirSync,
  readdirSync,
  rmSync,
  statSync,
  symlinkSync,
  writeFileSync,
} from 'node:fs'
import { join } from 'node:path'
import { expect, test } from '@jest/globals'
import { postgresHome, removePostgresHome, requireDatabase } from '../src/postgres/postgres-home.ts'
import { serverUser } from '../src/postgres/postgres-user.ts'
import { quietProgress, scratchDirectory } from './scratch.ts'

const user = serverUser()
const owner = user?.uid ?? process.getuid?.()

test('the cluster is in the data directory, and its user owns it', () => {
  using scratch = scratchDirectory()
  const home = postgresHome({ dataDir: scratch.path, user, log: quietProgress() })
  expect(home).toEqual({ path: join(scratch.path, 'postgres'), isClosed: false })
  expect(statSync(home.path).uid).toBe(owner)
  expect(postgresHome({ dataDir: scratch.path, user, log: quietProgress() })).toEqual(home)
})

test('the cluster is there too below a directory that its user cannot enter', () => {
  using scratch = scratchDirectory()
  const dataDir = join(scratch.path, 'closed/data')
  mkdirSync(dataDir, { recursive: true })
  chmodSync(join(scratch.path, 'closed'), 0o700)
  const home = postgresHome({ dataDir, user, log: quietProgress() })
  expect(home).toEqual({ path: join(dataDir, 'postgres'), isClosed: user !== undefined })
})

test('the user owns a copied cluster again, and alone may read it', () => {
  using scratch = scratchDirectory()
  const cluster = join(scratch.path, 'postgres/data')
  mkdirSync(join(cluster, 'base'), { recursive: true, mode: 0o755 })
  postgresHome({ dataDir: scratch.path, user, log: quietProgress() })
  expect(statSync(cluster).mode & 0o777).toBe(0o700)
  expect(statSync(join(cluster, 'base')).uid).toBe(owner)
})

test('a cluster behind a link stays there, and a line names its path', () => {
  using scratch = scratchDirectory()
  const [dataDir, elsewhere] = [join(scratch.path, 'data'), join(scratch.path, 'elsewhere')]
  mkdirSync(dataDir)
  mkdirSync(elsewhere)
  writeFileSync(join(elsewhere, 'kept'), '')
  symlinkSync(elsewhere, join(dataDir, 'postgres'))
  const log = quietProgress()
  expect(postgresHome({ dataDir, user, log }).path).toBe(elsewhere)
  expect(log.lines).toEqual([
    expect.stringContaining(`the database is in ${elsewhere}, so copies of ${dataDir} lack it`),
  ])
  removePostgresHome(dataDir)
  expect(existsSync(elsewhere)).toBe(false)
  expect(readdirSync(dataDir)).toEqual([])
})

test('a broken link, as in a copy on another machine, is refused in one line', () => {
  using scratch = scratchDirectory()
  const place = join(scratch.path, 'postgres')
  symlinkSync('/nonexistent/postgres-1', place)
  const open = () => postgresHome({ dataDir: scratch.path, user, log: quietProgress() })
  expect(open).toThrow(
    /^The database is missing: \S+ is a link to \/nonexistent\/postgres-1, .+ without data\.$/,
  )
  removePostgresHome(scratch.path)
  expect(readdirSync(scratch.path)).toEqual([])
})

test('a new data directory, or one of an interrupted first start, is accepted', () => {
  using scratch = scratchDirectory()
  requireDatabase(join(scratch.path, 'new'))
  // `coffer keys:create` may run before the first start.
  mkdirSync(join(scratch.path, 'keys'))
  requireDatabase(scratch.path)
  mkdirSync(join(scratch.path, 'postgres/data.new'), { recursive: true })
  writeFileSync(join(scratch.path, 'postgres-password'), 'secret')
  requireDatabase(scratch.path)
})

test.each(['postgres', 'postgres/data'])('a data directory without its %s is refused', (lost) => {
  using scratch = scratchDirectory()
  const { path } = scratch
  mkdirSync(join(path, 'postgres/data'), { recursive: true })
  mkdirSync(join(path, 'files'))
  writeFileSync(join(path, 'postgres/data/PG_VERSION'), '18\n')
  requireDatabase(path)
  rmSync(join(path, lost), { recursive: true })
  expect(() => requireDatabase(path)).toThrow(
    `The database is missing: ${join(path, 'postgres/data')} is not there`,
  )
})
