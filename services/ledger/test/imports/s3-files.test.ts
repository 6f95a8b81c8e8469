import { type Booted, boot, eventually } from '@coffer/host/testing/boot'
import { createHousehold } from '@coffer/host/testing/household'
import { newId } from '@coffer/kit/values/id'
import { Code } from '@connectrpc/connect'
import { afterAll, beforeAll, expect, test } from '@jest/globals'
import { sql } from 'slonik'
import { z } from 'zod'
import { createS3Storage } from '../../src/imports/storage/s3-storage.client.ts'
import type { Storage } from '../../src/imports/storage/storage.ts'
import { auditLedger } from '../../src/money/audit.sql.ts'
import { ledger } from '../../src/service.ts'
import { type S3Server, startS3, withCredentials } from '../../testing/s3-server.ts'
import { neighbours } from '../neighbours.ts'
import { runSweep } from '../tenancy/sweeping.ts'
import { bytesOf, partsOf } from './file-parts.ts'
import { importing } from './importing.ts'
import { grouping } from './several/grouping.ts'
import { importFile, sendFile } from './uploading.ts'

let s3: S3Server
let booted: Booted
let storage: Storage

beforeAll(async () => {
  withCredentials()
  s3 = await startS3()
  booted = await boot([ledger, ...neighbours()], s3.settings)
  storage = createS3Storage({
    bucket: 'coffer',
    region: 'us-east-1',
    pathStyle: true,
    endpoint: s3.settings.COFFER_STORAGE_ENDPOINT ?? null,
  })
})

afterAll(async () => {
  await booted[Symbol.asyncDispose]()
  await storage.close()
  await s3[Symbol.asyncDispose]()
})

test('files are imported from S3, and then their bytes are removed', async () => {
  const home = await createHousehold(booted)
  expect(await importFile(home, 'checking.qfx')).toMatchObject({ importedCount: 316n })
  expect(await importing(booted).processed(home)).toMatchObject({ status: 'complete' })
  await eventually(
    () => storage.list({ after: '', limit: 10 }),
    ({ held }) => held.length === 0,
  )
  expect(await auditLedger(booted.database('ledger'))).toEqual([])
})

test('expired files and bytes without a row are removed from S3', async () => {
  const home = await createHousehold(booted)
  const { fileId = '' } = await importing(booted).createImport(home)
  const kept = { accountId: home.accountId, fileId }
  const orphan = { accountId: home.accountId, fileId: newId('file') }
  await storage.write(orphan, bytesOf(Uint8Array.of(1)))
  await runSweep(booted)
  expect(await storage.read(kept)).not.toBeNull()
  expect(await storage.read(orphan)).not.toBeNull()
  booted.clock.now = new Date(Date.now() + 25 * 60 * 60_000)
  await runSweep(booted)
  booted.clock.now = null
  expect(await storage.read(kept)).toBeNull()
  expect(await storage.read(orphan)).toBeNull()
  expect((await storage.list({ after: '', limit: 10 })).held).toEqual([])
})

test('a file that cannot be removed changes no answer', async () => {
  const { groups, household, send, ended } = grouping(booted)
  const home = await household()
  const { uploadGroupId } = await send(home)
  s3.refuseRemovals(true)
  const change = { uploadGroupId, statements: home.mappings }
  await Promise.all([1, 2, 3, 4].map(() => groups().updateUploadGroup(change, home.as)))
  // Parts without the last one: the bytes are complete, but the upload is not.
  async function* broken() {
    const sent = { bankAccountId: home.bankAccountId, name: 'a.ofx', content: Buffer.from('<OFX>') }
    for await (const part of partsOf(sent)) {
      if (part.part.of?.case !== 'end') yield part
    }
  }
  await expect(home.uploads.createUpload(broken(), home.as)).rejects.toMatchObject({
    code: Code.FailedPrecondition,
  })
  s3.refuseRemovals(false)
  await ended(home, uploadGroupId)
})

test('while S3 is unreachable an upload is unavailable, and nothing is stored', async () => {
  await using away = await boot([ledger], {
    ...s3.settings,
    COFFER_STORAGE_ENDPOINT: 'http://127.0.0.1:1',
  })
  const there = await createHousehold(away)
  await expect(sendFile(there, Buffer.from('<OFX>'))).rejects.toMatchObject({
    code: Code.Unavailable,
  })
  const Row = z.object({ count: z.bigint() })
  const files = await away.database('ledger').pool.oneFirst(sql.type(Row)`
    SELECT count(*) AS count FROM files WHERE account_id = ${there.accountId}`)
  expect(files).toBe(0n)
})
