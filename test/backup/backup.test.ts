import { mkdtempDisposableSync, readdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { type Entry, readArchive, writeArchive } from '@coffer/cli/backup/archive'
import { Header, headerName, jsonEntry } from '@coffer/cli/backup/contents'
import { placeOf } from '@coffer/cli/backup/place.client'
import { runHere } from '@coffer/cli/testing/run-here'
import { cloneDatabase, withClient } from '@coffer/host/testing/database'
import { newId } from '@coffer/kit/values/id'
import { createDiskStorage } from '@coffer/ledger/imports/storage/disk-storage.client'
import { afterAll, beforeAll, beforeEach, expect, test } from '@jest/globals'
import { Decrypter, Encrypter, generateX25519Identity, identityToRecipient } from 'age-encryption'
import { createFormerDatabase, type FormerDatabase } from '../harness/former.ts'
import { contentOf } from './tables.ts'

const stack = new AsyncDisposableStack()
const { path: folder } = stack.use(mkdtempDisposableSync(join(tmpdir(), 'coffer-backup-')))
const archive = join(folder, 'coffer.age')
const identityFile = join(folder, 'age.key')
const source = { COFFER_DATABASE_URL: '', COFFER_DATA_DIR: join(folder, 'source') }
const key = { accountId: newId('acct'), fileId: newId('file') }
const statement = 'D01/05/2026\nT-12.50\n^\n'
let identity: string
let recipient: string
let former: FormerDatabase

// Several parts of 1 MiB; the text of COPY escapes the characters in between.
const manyRows = `
  INSERT INTO ledger.inbox (consumer, change_id)
  SELECT E'a\\tb\\n\\\\' || n, repeat('x', 60) FROM generate_series(1, 20000) AS n`

beforeAll(async () => {
  former = stack.use(await createFormerDatabase())
  source.COFFER_DATABASE_URL = former.url
  expect((await runHere(['migrate'], source)).code).toBe(0)
  expect((await runHere(['keys:create'], source)).code).toBe(0)
  await former.query(manyRows)
  await former.query(`UPDATE ledger.changes SET published_at = now(), stream_position = 7`)
  await former.query(`INSERT INTO ledger.stream_positions VALUES ('coffer', 'then', 0, 7, 7)`)
  await former.query(`INSERT INTO ledger.file_places VALUES ('disk_1', 'former-host', now())`)
  const storage = createDiskStorage(join(source.COFFER_DATA_DIR, 'files'))
  await storage.write(key, bytesOf(statement))
  identity = await generateX25519Identity()
  recipient = await identityToRecipient(identity)
  writeFileSync(identityFile, `# a comment, as of age-keygen\n${identity}\n`)
  const { code, stdout } = await backUp('--with-keys')
  expect([code, stdout]).toEqual([0, expect.stringMatching(/: \d+ rows, 1 files, \d+ bytes\n$/)])
})

afterAll(() => stack.disposeAsync())

async function* bytesOf(text: string): AsyncGenerator<Uint8Array> {
  yield Buffer.from(text)
}

const backUp = (...more: string[]) =>
  runHere(['backup', '--to', archive, '--recipient', recipient, ...more], source)

/** A machine without data: an empty database and an empty data directory. */
let target: { COFFER_DATABASE_URL: string; COFFER_DATA_DIR: string }

beforeEach(async () => {
  const database = stack.use(await cloneDatabase([]))
  target = { COFFER_DATABASE_URL: database.url, COFFER_DATA_DIR: join(folder, newId('target')) }
})

const restore = (from = archive, by = identityFile) =>
  runHere(['restore', '--from', from, '--identity', by], target)

/** Returns the rows of all tables of the target, and all files of its data directory. */
async function found() {
  const rows = await contentOf(target.COFFER_DATABASE_URL)
  const filled = Object.entries(rows).filter(([name, { count }]) => {
    return count > 0 && !name.endsWith('.applied_migrations')
  })
  return { filled: filled.map(([name]) => name), files: filesIn(target.COFFER_DATA_DIR) }
}

function filesIn(path: string): string[] {
  try {
    const entries = readdirSync(path, { recursive: true, withFileTypes: true })
    return entries.filter((one) => one.isFile()).map(({ name }) => name)
  } catch {
    return []
  }
}

const store = { endpoint: null, region: 'us-east-1', pathStyle: false }

const nothing = { filled: [], files: [] }

/** Writes a copy of the archive whose entries are changed. */
async function rewrite(change: (entry: Entry) => Entry): Promise<string> {
  const path = join(folder, newId('archive'))
  const [decrypter, encrypter] = [new Decrypter(), new Encrypter()]
  decrypter.addIdentity(identity)
  encrypter.addRecipient(recipient)
  const entries = readArchive(placeOf(archive, store, new Date()), decrypter)
  await writeArchive(
    placeOf(path, store, new Date()),
    encrypter,
    (async function* () {
      for await (const entry of entries) yield change(entry)
    })(),
  )
  return path
}

test('a restore brings back every row, file and key, and will publish all changes', async () => {
  const { code, stdout } = await restore()
  expect([code, stdout]).toEqual([0, expect.stringContaining('1 files of 2')])
  const restored = await contentOf(target.COFFER_DATABASE_URL)
  expect(restored['ledger.inbox']?.count).toBe(20_000)
  expect(restored).toEqual(await contentOf(former.url))
  const [unpublished] = await withClient(target.COFFER_DATABASE_URL, async (client) => {
    const counted = await client.query(
      `SELECT count(*)::int AS waiting, count(published_at)::int AS done,
         count(stream_position)::int AS positions,
         (SELECT count(*)::int FROM ledger.stream_positions) AS streams,
         (SELECT count(*)::int FROM ledger.file_places) AS processes FROM ledger.changes`,
    )
    return counted.rows
  })
  // The new stream is no loss of the former one, and no process of the former installation runs.
  const cleared = { positions: 0, streams: 0, processes: 0 }
  expect(unpublished).toEqual({ waiting: 25, done: 0, ...cleared })
  const next = `INSERT INTO ledger.journal (account_id) VALUES ('x') RETURNING entry_id`
  await expect(
    withClient(target.COFFER_DATABASE_URL, (client) => client.query(next)),
  ).rejects.toMatchObject({ message: expect.not.stringContaining('duplicate') })
  const storage = createDiskStorage(join(target.COFFER_DATA_DIR, 'files'))
  expect(Buffer.from((await storage.read(key)) ?? []).toString()).toBe(statement)
  for (const name of ['secrets.key', 'gateway.key', 'ledger.pub']) {
    const [former, own] = [source, target].map(({ COFFER_DATA_DIR }) =>
      readFileSync(join(COFFER_DATA_DIR, 'keys', name), 'utf8'),
    )
    expect(own).toBe(former)
  }
  expect((await runHere(['audit'], target)).stdout).toBe('everything adds up\n')
  const again = await restore()
  expect([again.code, again.stderr]).toEqual([1, expect.stringMatching(/files|has rows/)])
  expect(await contentOf(target.COFFER_DATABASE_URL)).toEqual(restored)
})

/** Changes one bit in the middle. */
function flip(bytes: Buffer): Buffer {
  const middle = Math.floor(bytes.length / 2)
  bytes.writeUInt8(bytes.readUInt8(middle) ^ 1, middle)
  return bytes
}

test.each([
  ['changed', flip],
  ['cut off', (bytes: Buffer) => bytes.subarray(0, bytes.length / 2)],
  ['emptied', (bytes: Buffer) => bytes.subarray(0, 0)],
])('an archive that was %s changes nothing', async (_, damage) => {
  const damaged = join(folder, newId('damaged'))
  writeFileSync(damaged, damage(readFileSync(archive)))
  const { code, stderr } = await restore(damaged)
  expect([code, stderr]).toEqual([
    1,
    expect.stringMatching(/cannot be read: it is cut off or changed \(.+Nothing was changed/),
  ])
  expect(await found()).toEqual(nothing)
})

test('an archive is not overwritten, and a place that cannot be written is named', async () => {
  const before = readFileSync(archive)
  const again = await backUp()
  expect([again.code, again.stderr]).toEqual([
    1,
    `--to: ${archive} exists already: name a new file.\n`,
  ])
  expect(readFileSync(archive)).toEqual(before)
  const to = join(folder, 'missing', 'coffer.age')
  const nowhere = await runHere(['backup', '--to', to, '--recipient', recipient], source)
  expect([nowhere.code, nowhere.stderr]).toEqual([
    1,
    expect.stringMatching(/^--to: .+missing.coffer\.age cannot be written: ENOENT.+\n$/),
  ])
})

test('a wrong passphrase is called so', async () => {
  const [to, right, wrong] = ['secret.age', 'right', 'wrong'].map((name) => join(folder, name))
  writeFileSync(right as string, 'right')
  writeFileSync(wrong as string, 'wrong')
  const by = (file: string) => ['--passphrase-file', file]
  const saved = await runHere(['backup', '--to', to as string, ...by(right as string)], source)
  expect(saved.code).toBe(0)
  const options = ['restore', '--from', to as string, ...by(wrong as string)]
  const { code, stderr } = await runHere(options, target)
  expect([code, stderr]).toEqual([
    1,
    `${to} cannot be read: wrong passphrase. Nothing was changed.\n`,
  ])
})

test('a keys folder that cannot be written is named', async () => {
  // No user can create a folder here, not even root.
  const keysDir = '/proc/coffer-keys'
  const options = ['restore', '--from', archive, '--identity', identityFile]
  const { stderr } = await runHere(options, { ...target, COFFER_KEYS_DIR: keysDir })
  expect(stderr).toContain(`make ${keysDir} a folder that can be written`)
  expect((await found()).filled).toEqual([])
})

test('another key changes nothing', async () => {
  const other = join(folder, 'other.key')
  writeFileSync(other, await generateX25519Identity())
  const { code, stderr } = await restore(archive, other)
  expect([code, stderr]).toEqual([1, expect.stringContaining('Nothing was changed')])
  expect(await found()).toEqual(nothing)
})

test('a later version is refused, and a failure half-way takes everything back', async () => {
  const later = await rewrite((entry) => {
    if (entry.name !== headerName) return entry
    const header = Header.parse(JSON.parse(Buffer.from(entry.bytes).toString()))
    header.schemas[1]?.migrations.push({ name: '0099-later.sql', checksum: 'x' })
    return jsonEntry(headerName, header)
  })
  const refused = await restore(later)
  expect([refused.code, refused.stderr]).toEqual([1, expect.stringContaining('0099-later.sql')])
  expect(await found()).toEqual(nothing)
  const broken = await rewrite((entry) =>
    entry.name.startsWith('database/ledger/transactions/')
      ? { ...entry, bytes: Buffer.concat([entry.bytes, Buffer.from('no row\n')]) }
      : entry,
  )
  const failed = await restore(broken)
  const line = /^ledger\.transactions cannot be loaded, and nothing is restored: missing data/
  expect([failed.code, failed.stderr]).toEqual([1, expect.stringMatching(line)])
  expect(await found()).toEqual(nothing)
})

test('a folder with other keys is refused; rows alone are restored beside them', async () => {
  expect((await runHere(['keys:create'], target)).code).toBe(0)
  const { code, stderr } = await restore()
  expect([code, stderr]).toEqual([1, expect.stringContaining('is another key than the archive')])
  const to = join(folder, 'without-keys.age')
  const saved = await runHere(['backup', '--to', to, '--recipient', recipient], source)
  expect([saved.code, saved.stdout]).toEqual([0, expect.stringContaining('without the keys')])
  expect((await restore(to)).code).toBe(0)
  expect(await contentOf(target.COFFER_DATABASE_URL)).toEqual(await contentOf(former.url))
})

test('an archive names all keys of its secrets, and a restore those that are missing', async () => {
  const other = (name: string) => `local:${name.repeat(16)}`
  const seal = (keyId: string) =>
    former.query(
      `INSERT INTO aggregator_sync.link_tokens
         (account_id, user_id, expires_at, key_id, data_key, ciphertext)
       VALUES ('acct', '${newId('user')}', now(), '${keyId}', '', '')`,
    )
  const to = join(folder, 'sealed.age')
  try {
    await seal(other('a'))
    await seal(other('b'))
    const options = ['--to', to, '--recipient', recipient, '--with-keys']
    expect((await runHere(['backup', ...options], source)).code).toBe(0)
  } finally {
    await former.query(`DELETE FROM aggregator_sync.link_tokens WHERE account_id = 'acct'`)
  }
  const { code, stderr } = await restore(to)
  expect([code, stderr]).toEqual([
    1,
    expect.stringContaining(`under the keys ${other('a')}, ${other('b')}, which are not in`),
  ])
  expect(await found()).toEqual(nothing)
  // A key that is declared lost is not asked for.
  expect((await runHere(['keys:create', '--lost', other('a')], target)).code).toBe(0)
  const keys = join(target.COFFER_DATA_DIR, 'keys')
  for (const name of readdirSync(keys).filter((one) => !one.endsWith('.lost'))) {
    rmSync(join(keys, name))
  }
  const again = await restore(to)
  expect([again.code, again.stderr]).toEqual([
    1,
    expect.stringContaining(`under the key ${other('b')}, which is not in`),
  ])
})
