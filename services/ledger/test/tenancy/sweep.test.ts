import { readFile, utimes, writeFile } from 'node:fs/promises'
import { join } from 'node:path'
import { startConsumer } from '@coffer/host/events/consumer'
import { createLog } from '@coffer/host/logger'
import { eventually } from '@coffer/host/testing/boot'
import { booting } from '@coffer/host/testing/booting'
import { createHousehold, type Household } from '@coffer/host/testing/household'
import { newId } from '@coffer/kit/values/id'
import type { WorkflowStart, Workflows } from '@coffer/kit/workflows/workflows'
import { beforeAll, expect, test } from '@jest/globals'
import { sql } from 'slonik'
import { z } from 'zod'
import { createDiskStorage } from '../../src/imports/storage/disk-storage.client.ts'
import { nameOf, type Storage } from '../../src/imports/storage/storage.ts'
import { insertUpload } from '../../src/imports/upload.sql.ts'
import { createUpload } from '../../src/imports/upload.ts'
import { ledger } from '../../src/service.ts'
import { eventHandlers } from '../../src/tenancy/events.consumer.ts'
import { bytesOf } from '../imports/file-parts.ts'
import { importing } from '../imports/importing.ts'
import { importFile } from '../imports/uploading.ts'
import { neighbours } from '../neighbours.ts'
import { runSweep } from './sweeping.ts'

const booted = booting([ledger, ...neighbours()])
let storage: Storage

beforeAll(() => {
  storage = createDiskStorage(join(booted.dataDir, 'files'))
})

/**
 * Stores an upload without publishing its event, like a process that is killed before publishing.
 */
async function uploadWithoutEvent(home: Household, createdAt: Date) {
  const { accountId, bankAccountId } = home
  const ids = { fileId: newId('file'), transactionUploadId: newId('txup') }
  const content = await readFile(new URL('../../../../test/data/equal-rows.ofx', import.meta.url))
  const size = BigInt(content.length)
  const what = { name: 'a.ofx', contentType: 'application/octet-stream', size, choices: null }
  const owner = { accountId, bankAccountId, createdBy: 'user_1' }
  const stored = createUpload({ ...owner, ...ids, ...what, format: 'ofx' }, createdAt)
  const settings = { accountId, timezone: 'UTC', locale: 'en_US', version: 0n }
  await storage.write(stored.file, bytesOf(content))
  await booted
    .database('ledger')
    .transaction((tx) => insertUpload(tx, { ...stored, settings, changes: [] }))
  return stored
}

function minutesAgo(minutes: number): Date {
  return new Date(Date.now() - minutes * 60_000)
}

test('starts the import of an upload whose event is lost; its file expires later', async () => {
  const home = await createHousehold(booted)
  const { uploads, bankAccountId, as } = home
  const { upload, file } = await uploadWithoutEvent(home, minutesAgo(90))
  await runSweep(booted)
  const key = { bankAccountId, transactionUploadId: upload.transactionUploadId }
  const done = await eventually(
    async () => (await uploads.getUpload(key, as)).upload,
    (one) => one?.status === 'complete',
  )
  expect(done).toMatchObject({ importedCount: 2n })
  await eventually(
    () => storage.read(file),
    (bytes) => bytes === null,
  )
})

test('leaves an upload of this minute to its event', async () => {
  const home = await createHousehold(booted)
  const { uploads, bankAccountId, as } = home
  const { upload } = await uploadWithoutEvent(home, new Date())
  await runSweep(booted)
  const key = { bankAccountId, transactionUploadId: upload.transactionUploadId }
  expect((await uploads.getUpload(key, as)).upload?.status).toBe('pending')
})

test('removes an expired file whose import has failed', async () => {
  const home = await createHousehold(booted)
  const { upload, file } = await uploadWithoutEvent(home, minutesAgo(61))
  await booted.database('ledger').pool.query(sql.unsafe`
    UPDATE uploads SET status = 'failed', error = 'by hand'
    WHERE transaction_upload_id = ${upload.transactionUploadId}`)
  await runSweep(booted)
  expect(await storage.read(file)).toBeNull()
})

test('removes bytes without a row and drafts after a day, but no stored files', async () => {
  const home = await createHousehold(booted)
  const { file } = await uploadWithoutEvent(home, new Date())
  const orphan = { accountId: home.accountId, fileId: newId('file') }
  const recent = { accountId: home.accountId, fileId: newId('file') }
  const draft = `${nameOf(orphan)}.${newId('draft')}`
  for (const key of [orphan, recent]) await storage.write(key, bytesOf(Uint8Array.of(1)))
  await writeFile(join(booted.dataDir, 'files', draft), 'half')
  const past = minutesAgo(25 * 60)
  for (const name of [nameOf(file), nameOf(orphan), draft]) {
    await utimes(join(booted.dataDir, 'files', name), past, past)
  }
  await runSweep(booted)
  const { held } = await storage.list({ after: '', limit: 100 })
  const names = held.map(({ name }) => name)
  expect(names).toEqual(expect.arrayContaining([file, recent].map(nameOf)))
  expect(names).not.toContain(nameOf(orphan))
  expect(names).not.toContain(draft)
})

/**
 * Replays the stream of events from its beginning. Returns the IDs of the workflows that the
 * handlers start for these accounts.
 */
async function startedAgain(accountIds: string[]): Promise<string[]> {
  const started: string[] = []
  const start = async ({ id, args }: WorkflowStart) => {
    if (accountIds.includes((args[0] as { accountId: string }).accountId)) started.push(id)
  }
  const database = booted.database('ledger')
  const workflows: Workflows = { start }
  const handlers = eventHandlers({ database, workflows })
  // A new durable consumer reads the stream from its first message.
  const name = newId('again')
  const log = createLog({ level: 'silent', name: 'test' })
  const { broker } = booted
  await using _again = await startConsumer({ name, handlers, database, broker, log })
  const consumer = await broker.stream.consumers.get(broker.streamName, name)
  await eventually(
    () => consumer.info(),
    ({ num_pending, num_ack_pending }) => num_pending + num_ack_pending === 0,
  )
  return started
}

test('a replay of events starts no finished work again', async () => {
  const [home, leaver] = [await createHousehold(booted), await createHousehold(booted)]
  const { accountId } = home
  const { pool } = booted.database('ledger')
  const { transactionUploadId } = await importFile(home, 'equal-rows.ofx')
  const { transactionImportId } = await importing(booted).previewed(home)
  await leaver.links.deleteLink({ linkId: leaver.linkId }, leaver.as)
  const uncleaned = () =>
    pool.exists(sql.unsafe`
      SELECT FROM links WHERE account_id = ${leaver.accountId} AND cleaned_at IS NULL`)
  await eventually(uncleaned, (isLeft) => !isLeft)
  // The previous release publishes events of this type. The handler for them does nothing.
  const { broker } = booted
  const former = broker.subject('ledger.transactions-changed')
  await broker.stream.publish(former, new Uint8Array(), { msgID: newId('chg') })
  expect(await startedAgain([accountId, leaver.accountId])).toEqual([])

  await pool.query(sql.unsafe`
    WITH upload AS (
      UPDATE uploads SET status = 'processing', completed_at = NULL
      WHERE transaction_upload_id = ${transactionUploadId}
    ), preview AS (
      UPDATE transaction_imports SET status = 'pending-preview'
      WHERE transaction_import_id = ${transactionImportId}
    )
    UPDATE links SET cleaned_at = NULL WHERE account_id = ${leaver.accountId}`)
  expect((await startedAgain([accountId, leaver.accountId])).sort()).toEqual([
    `file-import/${transactionUploadId}`,
    `import-preview/${transactionImportId}`,
    `link-clean-up/${leaver.linkId}`,
  ])
})

test('starts a clean-up whose event is lost', async () => {
  const { accountId, linkId } = await createHousehold(booted)
  const { pool } = booted.database('ledger')
  const past = minutesAgo(5).toISOString()
  await pool.query(sql.unsafe`
    WITH link AS (UPDATE links SET deleted_at = ${past} WHERE account_id = ${accountId})
    UPDATE bank_accounts SET removed_at = ${past} WHERE account_id = ${accountId}`)
  await runSweep(booted)
  const Row = z.object({ cleanedAt: z.date().nullable() })
  await eventually(
    () =>
      pool.oneFirst(sql.type(Row)`
        SELECT cleaned_at AS "cleanedAt" FROM links
        WHERE account_id = ${accountId} AND link_id = ${linkId}`),
    (instant) => instant !== null,
  )
  const left = await pool.any(sql.type(z.object({ id: z.string() }))`
    SELECT bank_account_id AS id FROM bank_accounts WHERE account_id = ${accountId}`)
  expect(left).toEqual([])
})
