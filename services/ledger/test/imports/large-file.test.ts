import { once } from 'node:events'
import { mkdtemp, rm } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { setTimeout as sleep } from 'node:timers/promises'
import { timestampFromDate } from '@bufbuild/protobuf/wkt'
import { type Booted, boot, eventually, untilLockAwaited } from '@coffer/host/testing/boot'
import { createHousehold, type Household } from '@coffer/host/testing/household'
import { mortalOf } from '@coffer/kit/testing/mortal'
import { startProxy, type TcpProxy } from '@coffer/kit/testing/proxy'
import { afterAll, beforeAll, expect, test } from '@jest/globals'
import fc from 'fast-check'
import { sql } from 'slonik'
import { z } from 'zod'
import type { UploadKey } from '../../src/book/upload-key.ts'
import { auditLedger } from '../../src/money/audit.sql.ts'
import { ledger } from '../../src/service.ts'
import { hold, isFree } from '../held-row.ts'
import { largeStatement, startImporting, textNear } from './large-files.ts'
import { opening, sendFile, undo } from './uploading.ts'

// The file has 100,000 rows in `npm run test:long`, which sets a seed, and 1,500 otherwise.
const isLong = process.env.COFFER_TEST_SEED !== undefined
const rowCount = isLong ? 100_000 : 1_500
const stated = 1_234_00n
const file = largeStatement(rowCount, '1234.00')

const mortal = mortalOf(ledger)
const stack = new AsyncDisposableStack()
let booted: Booted
let proxy: TcpProxy
let folder: string

beforeAll(async () => {
  folder = await mkdtemp(join(tmpdir(), 'coffer-large-'))
  stack.defer(() => rm(folder, { recursive: true, force: true }))
  booted = stack.use(await boot([mortal.definition], { COFFER_DATA_DIR: folder }))
  proxy = stack.use(await startProxy(booted.databaseUrl))
})

afterAll(async () => {
  expect(await auditLedger(booted.database('ledger'))).toEqual([])
  await stack.disposeAsync()
})

/** Uploads `file` and starts its import. Returns functions that continue and read the import. */
async function upload(into?: Household) {
  const home = into ?? (await createHousehold(booted, opening))
  const key = { accountId: home.accountId, ...(await sendFile(home, file)) }
  const activities = mortal.activities() as Record<string, (of: UploadKey) => Promise<unknown>>
  await activities.startImport?.(key)
  let posted = 0n
  return {
    key,
    home,
    try: async () => activities.importFile?.(key),
    // Repeats, because the locks of a killed process are held until Postgres notices the end of its
    // connection.
    import: () =>
      eventually(
        async () => activities.importFile?.(key),
        (result) => result === 'done',
      ),
    post: async () => {
      await spend(home)
      posted += 1n
    },
    look: async () => {
      const as = booted.as(home.accountId)
      const { status } = (await home.uploads.getUpload(key, as)).upload ?? {}
      const { current, available } = (await home.accounts.getBalances(key, as)).balances ?? {}
      const balances = [(current ?? 0n) + posted, (available ?? 0n) + posted]
      return { status, rows: await countRows(key), balances }
    },
  }
}

const none = {
  status: 'processing',
  rows: 0,
  balances: [opening.currentBalance, opening.availableBalance],
}
const all = { status: 'complete', rows: rowCount, balances: [stated, stated] }

/** Creates a manual transaction of 0.01 with a date after the dates of the file's balances. */
function spend({ transactions, bankAccountId, accountId }: Household) {
  const date = timestampFromDate(new Date('2026-03-02T06:00:00Z'))
  const tea = { bankAccountId, name: 'Tea', amount: 1n, date, adjustsBalance: true }
  // A new caller token, because the first one may expire during a long import.
  return transactions.createTransaction(tea, booted.as(accountId))
}

function countRows({ accountId, transactionUploadId }: UploadKey): Promise<number> {
  return booted.database('ledger').pool.oneFirst(sql.type(z.object({ count: z.number() }))`
    SELECT count(*)::int FROM transactions
    WHERE account_id = ${accountId} AND transaction_upload_id = ${transactionUploadId}`)
}

const lastStatements = [
  { text: `SET status = 'complete'`, isLocked: false, left: none },
  { text: '"cause":"upload"', isLocked: true, left: none },
]
// An import inserts the rows from the last to the first, 250 in each INSERT. None of these rows
// is in the first INSERT, so at least one INSERT precedes the kill.
const row = fc.integer({ min: 0, max: rowCount - 1_001 })
const pages = fc.sample(row, isLong ? 4 : 1).map(textNear)

test('a large file is stored completely or not at all, wherever its import is killed', async () => {
  const { key, post, look, ...again } = await upload()
  const killedBefore = [
    ...pages.map((text) => ({ text, isLocked: false, left: none })),
    ...(isLong ? lastStatements : []),
    { text: 'COMMIT', isLocked: true, left: all },
  ]
  for (const { text, isLocked, left } of killedBefore) {
    const held = proxy.hold(text)
    const running = startImporting({ url: proxy.url, folder: join(folder, 'files'), key })
    const exit = once(running, 'exit')
    const line = await Promise.race([held, exit])
    if (!('deliver' in line)) throw new Error(`it ended before ${text}`)
    expect(await isFree(booted.database('ledger'), key)).toBe(!isLocked)
    const posting = post()
    // Only the last statements of an import lock the bank account and block its other changes.
    if (!isLocked) await posting
    const delivered = line.deliver()
    running.kill('SIGKILL')
    await Promise.all([exit, delivered, posting])
    expect(await look()).toEqual(left)
  }
  await again.import()
  expect(await look()).toEqual(all)
})

test('a large file and concurrent requests are both applied', async () => {
  const { post, look, ...beside } = await upload()
  const waitsMs: number[] = []
  let isOver = false
  const posting = async () => {
    while (!isOver) {
      const begun = performance.now()
      await post()
      waitsMs.push(performance.now() - begun)
      await sleep(20)
    }
  }
  const importing = beside.import().finally(() => {
    isOver = true
  })
  await Promise.all([importing, posting(), posting()])
  if (isLong) {
    const longest = Math.round(Math.max(...waitsMs))
    process.stdout.write(`${rowCount} rows, ${waitsMs.length} POSTs: ${longest} ms at most\n`)
  }
  expect(await look()).toEqual(all)
})

test('files are imported into a bank account one after the other', async () => {
  const first = await upload()
  const second = await upload(first.home)
  const release = await hold(
    booted.database('ledger'),
    sql.fragment`
    uploads WHERE transaction_upload_id = ${first.key.transactionUploadId}`,
  )
  const importing = first.import()
  await untilLockAwaited(booted.database('ledger'))
  expect(await second.try()).toBe('busy')
  await Promise.all([importing, release()])
  await second.import()
  expect([await countRows(first.key), await countRows(second.key)]).toEqual([rowCount, 0])
})

test('the undo of a large file removes its rows without a lock on the bank account', async () => {
  const { key, home, post, look, ...file } = await upload()
  await file.import()
  const database = booted.database('ledger')
  const release = await hold(
    booted.database('ledger'),
    sql.fragment`
    transactions WHERE transaction_upload_id = ${key.transactionUploadId}`,
  )
  const undone = undo(home, key.transactionUploadId)
  await untilLockAwaited(database)
  expect(await isFree(booted.database('ledger'), key)).toBe(true)
  await post()
  await Promise.all([undone, release()])
  expect(await look()).toEqual({ ...none, status: 'complete' })
})
