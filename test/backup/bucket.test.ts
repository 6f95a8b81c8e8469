import { randomBytes } from 'node:crypto'
import { mkdtempDisposableSync, readdirSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { Readable } from 'node:stream'
import { buffer } from 'node:stream/consumers'
import { placeOf } from '@coffer/cli/backup/place.client'
import { runHere } from '@coffer/cli/testing/run-here'
import { cloneDatabase, withClient } from '@coffer/host/testing/database'
import { newId } from '@coffer/kit/values/id'
import { createDiskStorage } from '@coffer/ledger/imports/storage/disk-storage.client'
import { type S3Server, startS3, withCredentials } from '@coffer/ledger/testing/s3-server'
import { afterAll, beforeAll, expect, test } from '@jest/globals'
import { generateX25519Identity, identityToRecipient } from 'age-encryption'
import { contentOf } from './tables.ts'

const stack = new AsyncDisposableStack()
const { path: folder } = stack.use(mkdtempDisposableSync(join(tmpdir(), 'coffer-bucket-')))
const identityFile = join(folder, 'age.key')
let server: S3Server
let source: Record<string, string>
let by: string[]

beforeAll(async () => {
  server = stack.use(await startS3())
  withCredentials()
  // The archive alone is in the bucket: uploaded files are on the disk.
  const { COFFER_STORAGE: _storage, ...bucket } = server.settings
  const { url } = stack.use(await cloneDatabase([]))
  const dataDir = join(folder, 'source')
  source = { ...bucket, COFFER_DATABASE_URL: url, COFFER_DATA_DIR: dataDir }
  expect((await runHere(['migrate'], source)).code).toBe(0)
  expect((await runHere(['keys:create'], source)).code).toBe(0)
  const rows = `INSERT INTO ledger.inbox (consumer, change_id) VALUES ('ledger', 'one')`
  await withClient(url, (client) => client.query(rows))
  const key = { accountId: newId('acct'), fileId: newId('file') }
  await createDiskStorage(join(dataDir, 'files')).write(key, Readable.from(['D01/05/2026']))
  const identity = await generateX25519Identity()
  writeFileSync(identityFile, identity)
  by = ['--recipient', await identityToRecipient(identity), '--with-keys']
})

afterAll(() => stack.disposeAsync())

test('an archive in a bucket is restored from there, and not overwritten', async () => {
  const saved = await runHere(['backup', '--to', 's3://coffer/nightly/', ...by], source)
  const written = /^(s3:\/\/coffer\/nightly\/coffer-\d{8}T\d{6}Z\.age): \d+ rows, 1 files/
  expect([saved.code, saved.stdout]).toEqual([0, expect.stringMatching(written)])
  const name = written.exec(saved.stdout)?.[1] ?? ''

  const again = await runHere(['backup', '--to', name, ...by], source)
  const exists = `--to: ${name} exists already: name a new object.\n`
  expect([again.code, again.stderr]).toEqual([1, exists])

  await using database = await cloneDatabase([])
  const dataDir = join(folder, 'target')
  const target = { ...source, COFFER_DATABASE_URL: database.url, COFFER_DATA_DIR: dataDir }
  const restored = await runHere(['restore', '--from', name, '--identity', identityFile], target)
  expect([restored.code, restored.stdout]).toEqual([0, expect.stringContaining(' and 1 files')])
  const content = await contentOf(source.COFFER_DATABASE_URL ?? '')
  expect(content['ledger.inbox']?.count).toBe(1)
  expect(await contentOf(database.url)).toEqual(content)
})

test('a role that may read all tables is enough for a backup and an audit', async () => {
  const { COFFER_DATABASE_URL: ownerUrl = '', ...rest } = source
  const url = new URL(ownerUrl)
  const role = `reader_${newId('key')}`
  const create = `CREATE ROLE ${role} LOGIN PASSWORD 'reading' IN ROLE pg_read_all_data`
  await withClient(ownerUrl, (client) => client.query(create))
  Object.assign(url, { username: role, password: 'reading' })
  try {
    for (const variable of ['COFFER_DATABASE_URL', 'COFFER_DIRECT_DATABASE_URL']) {
      const reader = { ...rest, [variable]: url.href }
      const saved = await runHere(['backup', '--to', `s3://coffer/${variable}/`, ...by], reader)
      expect(saved).toMatchObject({
        stderr: '',
        code: 0,
        stdout: expect.stringContaining(' rows, 1 files'),
      })
      const audited = await runHere(['audit'], reader)
      expect(audited).toMatchObject({ code: 0, stdout: 'everything adds up\n' })
    }
  } finally {
    await withClient(ownerUrl, (client) => client.query(`DROP ROLE ${role}`))
  }
})

test('an archive of several parts is whole, and an unfinished one is not there', async () => {
  const { COFFER_STORAGE_ENDPOINT: endpoint = '' } = server.settings
  const store = { endpoint, region: 'us-east-1', pathStyle: true }
  const place = placeOf('s3://coffer/parts', store, new Date(0))
  const parts = Array.from({ length: 5 }, () => randomBytes(8 * 1024 * 1024))
  expect(await place.write(Readable.from(parts))).toBe(40 * 1024 * 1024)
  const read = await buffer(await place.read())
  expect(read.equals(Buffer.concat(parts))).toBe(true)

  const broken = placeOf('s3://coffer/broken', store, new Date(0))
  const fault = new Error('the database is gone')
  const source = Readable.from(
    (async function* () {
      yield* parts
      throw fault
    })(),
  )
  await expect(broken.write(source)).rejects.toBe(fault)
  await expect(broken.requireNew()).resolves.toBeUndefined()
})

test.each([
  ['s3://coffer', 's3://coffer needs a bucket and a key: s3://bucket/key'],
  ['s3://coffer/none.age', 's3://coffer/none.age cannot be reached: '],
  ['s3://other/none.age', 's3://other/none.age cannot be reached: '],
])('a place that cannot be read is named: %s', async (from, reason) => {
  const words = ['restore', '--from', from, '--identity', identityFile]
  const { code, stderr } = await runHere(words, source)
  expect([code, stderr]).toEqual([1, expect.stringContaining(reason)])
})

test.each([[], ['--check']])('a bucket that refuses the archive is named %s', async (...more) => {
  const words = ['backup', ...by, ...more, '--to']
  const refused = [1, expect.stringMatching(/^--to: s3:.* cannot be reached: /)]
  withCredentials('wrong')
  const { code, stderr } = await runHere([...words, 's3://coffer/refused/'], source)
  withCredentials()
  expect([code, stderr]).toEqual(refused)
  const missing = await runHere([...words, 's3://missing/nightly/'], source)
  expect([missing.code, missing.stderr]).toEqual(refused)
  expect(missing.stderr).toContain('NoSuchBucket')
})

test('a check of a place writes nothing there', async () => {
  for (const to of ['s3://coffer/checked.age', join(folder, 'checked.age')]) {
    const before = server.unfinished()
    const checked = await runHere(['backup', '--check', '--to', to, ...by], source)
    expect(checked).toEqual({ code: 0, stderr: '', stdout: `${to} can take an archive\n` })
    expect(server.unfinished()).toBe(before)
    const saved = await runHere(['backup', '--to', to, ...by], source)
    expect(saved).toMatchObject({ code: 0, stderr: '' })
    const again = await runHere(['backup', '--check', '--to', to, ...by], source)
    expect([again.code, again.stderr]).toEqual([1, expect.stringContaining('exists already')])
  }
  const place = join(folder, 'missing/checked.age')
  const { code, stderr } = await runHere(['backup', '--check', '--to', place, ...by], source)
  expect([code, stderr]).toEqual([1, expect.stringMatching(/^--to: .* cannot be written: ENOENT/)])
  expect(readdirSync(folder).filter((name) => name.endsWith('.part'))).toEqual([])
})
