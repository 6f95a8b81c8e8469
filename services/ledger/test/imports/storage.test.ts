import { mkdtemp, readdir, rm, stat, writeFile } from 'node:fs/promises'
import { hostname, tmpdir } from 'node:os'
import { join } from 'node:path'
import { createDatabase } from '@coffer/host/database/pool'
import { createLog } from '@coffer/host/logger'
import { readSettings } from '@coffer/host/settings'
import { cloneDatabase } from '@coffer/host/testing/database'
import { keepLogLines } from '@coffer/host/testing/log-lines'
import { refused } from '@coffer/kit/rpc/errors'
import { SettingsError } from '@coffer/kit/service/config'
import { newId } from '@coffer/kit/values/id'
import { Code } from '@connectrpc/connect'
import { afterAll, beforeAll, describe, expect, test } from '@jest/globals'
import { settings } from '../../src/config.ts'
import { copyFiles } from '../../src/imports/storage/file-copy.service.ts'
import { watchFilePlace } from '../../src/imports/storage/file-place.service.ts'
import { createStorage } from '../../src/imports/storage/storage.client.ts'
import { nameOf, type Storage } from '../../src/imports/storage/storage.ts'
import { ledger } from '../../src/service.ts'
import { type S3Server, startS3, withCredentials } from '../../testing/s3-server.ts'
import { bytesOf } from './file-parts.ts'

let folder: string
let s3: S3Server

beforeAll(async () => {
  folder = await mkdtemp(join(tmpdir(), 'coffer-storage-'))
  s3 = await startS3()
})

afterAll(async () => {
  await s3[Symbol.asyncDispose]()
  await rm(folder, { recursive: true, force: true })
})

function open(environment: Record<string, string>): Storage {
  withCredentials()
  const log = createLog({ level: 'silent', name: 'test' })
  return createStorage(readSettings(settings, environment), log)
}

function onDisk(): Storage {
  return open({ COFFER_DATA_DIR: folder })
}

function newKey() {
  return { accountId: newId('acct'), fileId: newId('file') }
}

describe.each([
  ['on disk', onDisk],
  ['in S3', () => open(s3.settings)],
])('bytes %s', (_place, opened) => {
  test('are stored until they are removed', async () => {
    const storage = opened()
    const key = newKey()
    expect(await storage.read(key)).toBeNull()
    await storage.write(key, bytesOf(Uint8Array.of(0, 255, 10)))
    await storage.write(key, bytesOf(Uint8Array.of(0, 255, 13)))
    expect([...((await storage.read(key)) ?? [])]).toEqual([0, 255, 13])
    await storage.remove(nameOf(key))
    await storage.remove(nameOf(key))
    expect(await storage.read(key)).toBeNull()
    await storage.close()
  })

  test('that are incomplete are not stored, and the error is thrown', async () => {
    const storage = opened()
    const key = newKey()
    const requests = s3.requests()
    async function* broken() {
      yield Uint8Array.of(1)
      throw refused('the form cannot be read')
    }
    await expect(storage.write(key, broken())).rejects.toThrow('the form cannot be read')
    expect(s3.requests()).toBe(requests)
    expect(await storage.read(key)).toBeNull()
    expect((await storage.list({ after: '', limit: 10 })).held).toEqual([])
    await storage.close()
  })

  test('are streamed: memory holds no whole file', async () => {
    const storage = opened()
    const key = newKey()
    let ahead = 0
    let [handed, taken] = [0, 0]
    async function* pieces() {
      for (const piece of Array.from({ length: 64 }, () => new Uint8Array(65_536))) {
        ahead = Math.max(ahead, handed - taken)
        handed += 1
        yield piece
        // The writer requests a chunk only after it has written the previous one.
        taken += 1
      }
    }
    await storage.write(key, pieces())
    expect([handed, taken, ahead]).toEqual([64, 64, 0])
    expect(await storage.read(key)).toHaveLength(64 * 65_536)
    await storage.remove(nameOf(key))
    await storage.close()
  })

  test('may have the largest size of an upload', async () => {
    const storage = opened()
    const key = newKey()
    const bytes = Buffer.alloc(6 * 1024 * 1024, 'ofx')
    await storage.write(key, bytesOf(bytes))
    expect(Buffer.from((await storage.read(key)) ?? []).equals(bytes)).toBe(true)
    await storage.remove(nameOf(key))
    await storage.close()
  })

  test('are listed by page, each once, ordered by name', async () => {
    const storage = opened()
    const keys = Array.from({ length: 7 }, newKey)
    const before = new Date(Date.now() - 60_000)
    for (const key of keys) await storage.write(key, bytesOf(Uint8Array.of(1)))
    const names: string[] = []
    let after: string | null = ''
    while (after !== null) {
      const page: Awaited<ReturnType<Storage['list']>> = await storage.list({ after, limit: 3 })
      for (const { name, key, writtenAt } of page.held) {
        expect(key && nameOf(key)).toBe(name)
        expect(writtenAt.getTime()).toBeGreaterThan(before.getTime())
        names.push(name)
      }
      after = page.next
    }
    expect(names).toEqual(keys.map(nameOf).sort())
    for (const name of names) await storage.remove(name)
    await storage.close()
  })
})

describe('on disk', () => {
  test('bytes are readable by this user only', async () => {
    const key = newKey()
    await onDisk().write(key, bytesOf(Uint8Array.of(1)))
    const path = join(folder, 'files', nameOf(key))
    expect((await stat(path)).mode & 0o777).toBe(0o600)
    expect((await stat(join(path, '..'))).mode & 0o777).toBe(0o700)
    await onDisk().remove(nameOf(key))
  })

  test('drafts are listed as such, and foreign files are not listed', async () => {
    const key = newKey()
    const draft = `${nameOf(key)}.${newId('draft')}`
    await onDisk().write(key, bytesOf(Uint8Array.of(1)))
    await writeFile(join(folder, 'files', draft), 'half')
    await writeFile(join(folder, 'files', nameOf(key).slice(0, 2), 'notes.txt'), 'mine')
    const { held } = await onDisk().list({ after: '', limit: 10 })
    expect(held.map((one) => [one.name, one.key])).toEqual([
      [nameOf(key), key],
      [draft, null],
    ])
  })

  test('a write that fails stores nothing and is unavailable', async () => {
    const key = newKey()
    const path = join(folder, 'files', nameOf(key))
    const blocked = open({ COFFER_DATA_DIR: path })
    await onDisk().write(key, bytesOf(Uint8Array.of(1)))
    await expect(blocked.write(newKey(), bytesOf(Uint8Array.of(1)))).rejects.toMatchObject({
      code: Code.Unavailable,
    })
    expect(await readdir(join(path, '..'))).toContain(path.split('/').at(-1))
  })
})

describe('in S3', () => {
  test('a wrong secret is unavailable', async () => {
    const storage = open(s3.settings)
    withCredentials('wrong')
    await expect(storage.write(newKey(), bytesOf(Uint8Array.of(1)))).rejects.toMatchObject({
      code: Code.Unavailable,
    })
    expect(s3.refused()).toBeGreaterThan(0)
    await storage.close()
  })

  test('a missing bucket or a lost server is unavailable, not a missing file', async () => {
    for (const changed of [
      { COFFER_STORAGE_BUCKET: 'nowhere' },
      { COFFER_STORAGE_ENDPOINT: 'http://127.0.0.1:1' },
    ]) {
      const storage = open({ ...s3.settings, ...changed })
      await expect(storage.read(newKey())).rejects.toMatchObject({
        code: Code.Unavailable,
        rawMessage: 'the storage of files is not available: repeat the request later',
      })
      await storage.close()
    }
  })

  test('the bucket is a required setting', () => {
    expect(() => open({ COFFER_STORAGE: 's3' })).toThrow(SettingsError)
  })
})

test('files are copied from disk to a bucket, once', async () => {
  const disk = onDisk()
  const bucket = open(s3.settings)
  const keys = [newKey(), newKey(), newKey()]
  for (const key of keys) await disk.write(key, bytesOf(Buffer.from(key.fileId)))
  const { copied } = await copyFiles(disk, bucket)
  expect(copied).toBeGreaterThanOrEqual(keys.length)
  for (const key of keys) {
    expect(Buffer.from((await bucket.read(key)) ?? '').toString()).toBe(key.fileId)
  }
  expect(await copyFiles(disk, bucket)).toMatchObject({ copied: 0 })
  await bucket.close()
})

test('several replicas with uploads to disk do not start', () => {
  const severals = { COFFER_DATA_DIR: folder, COFFER_REPLICAS: '2' }
  expect(() => open({ ...severals, COFFER_UPLOADS_ENABLED: 'true' })).toThrow(
    'COFFER_STORAGE: disk, but COFFER_REPLICAS is 2: a file is on one of their disks',
  )
  expect(() => open(severals)).not.toThrow()
})

test('processes that store files on two disks warn, those on one disk do not', async () => {
  await using place = await cloneDatabase([ledger])
  const limits = { poolSizeMax: 2, statementTimeoutMs: 10_000 }
  await using database = await createDatabase({ url: place.url, schema: 'ledger', ...limits })
  const { log, lines } = keepLogLines()
  const watch = async (dataDir: string) => {
    const environment = { COFFER_DATA_DIR: dataDir, COFFER_UPLOADS_ENABLED: 'true' }
    const config = readSettings(settings, environment)
    await watchFilePlace({ config, database, log })[Symbol.asyncDispose]()
  }
  await watch(folder)
  await watch(folder)
  expect(lines()).toEqual([])
  await watch(join(folder, 'elsewhere'))
  expect(lines()).toMatchObject([
    { hosts: hostname(), msg: expect.stringContaining('other processes store files elsewhere') },
  ])
})
