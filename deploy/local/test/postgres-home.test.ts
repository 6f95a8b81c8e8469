import { chmodSync, existsSync, lstatSync, mkdirSync, readdirSync, statSync } from 'node:fs'
import { join } from 'node:path'
import { expect, test } from '@jest/globals'
import { postgresHome, removePostgresHome, sharedDirectory } from '../src/postgres-home.ts'
import { serverUser } from '../src/postgres-user.ts'
import { quietProgress, scratchDirectory } from './scratch.ts'

const user = serverUser()
const owner = user?.uid ?? process.getuid?.()

test('the cluster lies in the data directory and belongs to its user', () => {
  using scratch = scratchDirectory()
  const home = postgresHome({ dataDir: scratch.path, user, log: quietProgress() })
  expect(home).toBe(join(scratch.path, 'postgres'))
  expect(statSync(home).uid).toBe(owner)
  expect(postgresHome({ dataDir: scratch.path, user, log: quietProgress() })).toBe(home)
})

test('below a directory that is closed to its user the cluster lies elsewhere, for good', () => {
  using scratch = scratchDirectory()
  const dataDir = join(scratch.path, 'closed/data')
  mkdirSync(dataDir, { recursive: true })
  chmodSync(join(scratch.path, 'closed'), 0o700)
  const home = postgresHome({ dataDir, user, log: quietProgress() })
  const isElsewhere = home.startsWith(join(sharedDirectory, 'postgres-'))
  expect(isElsewhere).toBe(user !== undefined)
  expect(lstatSync(join(dataDir, 'postgres')).isSymbolicLink()).toBe(isElsewhere)
  expect(statSync(home).uid).toBe(owner)
  expect(postgresHome({ dataDir, user, log: quietProgress() })).toBe(home)

  removePostgresHome(dataDir)
  expect(existsSync(home)).toBe(false)
  expect(readdirSync(dataDir)).toEqual([])
})
