import { mkdtemp, readdir, rm, stat } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { afterAll, beforeAll, expect, test } from '@jest/globals'
import { openStorage } from '../src/storage.client.ts'

let folder: string

beforeAll(async () => {
  folder = await mkdtemp(join(tmpdir(), 'coffer-storage-'))
})

afterAll(() => rm(folder, { recursive: true, force: true }))

const key = { accountId: 'acct_01k0000000000000000000000x', fileId: 'file_1' }

test('bytes are there until they are removed, for this user alone', async () => {
  const storage = openStorage(join(folder, 'files'))
  expect(await storage.read(key)).toBeNull()
  await storage.write(key, Uint8Array.of(0, 255, 10))
  await storage.write(key, Uint8Array.of(0, 255, 13))
  expect(await storage.read(key)).toEqual(Buffer.from([0, 255, 13]))
  const owner = join(folder, 'files', '0x', key.accountId)
  expect(await readdir(owner)).toEqual(['file_1'])
  expect((await stat(join(owner, 'file_1'))).mode & 0o777).toBe(0o600)
  expect((await stat(owner)).mode & 0o777).toBe(0o700)
  await storage.remove(key)
  await storage.remove(key)
  expect(await storage.read(key)).toBeNull()
})
