import { timestampDate } from '@bufbuild/protobuf/wkt'
import { eventually } from '@coffer/host/testing/boot'
import { booting } from '@coffer/host/testing/booting'
import { createHousehold, type Household } from '@coffer/host/testing/household'
import { progressSubject } from '@coffer/kit/events/progress'
import { headers } from '@coffer/kit/rpc/rpc'
import { newId } from '@coffer/kit/values/id'
import { Code } from '@connectrpc/connect'
import { describe, expect, test } from '@jest/globals'
import { auditLedger } from '../../src/money/audit.sql.ts'
import { ledger } from '../../src/service.ts'
import { partsOf } from './file-parts.ts'
import { storedFiles } from './stored-files.ts'
import { importFile, statementOf } from './uploading.ts'

const booted = booting([ledger])

const OFX = { name: 'export.ofx', contentType: 'application/octet-stream' }

async function list(home: Household, offset = 0) {
  const { transactions, bankAccountId, as } = home
  const page = { bankAccountId, limit: 100, offset }
  return (await transactions.listTransactions(page, as)).transactions
}

describe('an uploaded file', () => {
  test('becomes transactions and balances, newest and first of the file first', async () => {
    const home = await createHousehold(booted)
    const done = await importFile(home, 'checking.qfx')
    expect(done).toMatchObject({ status: 'complete', importedCount: 316n, skippedCount: 0n })
    expect(done.completedAt).toBeDefined()
    // The ledger balance in the file is 11738.82, of which 64.37 are not available
    // (test/data/README.md).
    expect(await home.balances()).toMatchObject({ current: 1173882n, available: 1167445n })
    const [newest, second, third] = await list(home)
    expect(newest).toMatchObject({
      amount: 2122n,
      name: 'WALGREENS #5817',
      originalName: 'POS DEBIT 4417 WALGREENS #5817 MINNEAPOLIS MN',
      originalMerchantName: 'WALGREENS #5817',
      source: 'upload',
      uploadIdentifier: '202611160441700001',
      isPending: false,
    })
    expect(newest?.date && timestampDate(newest.date)).toEqual(new Date('2026-11-16T06:00:00Z'))
    expect([second?.name, third?.name]).toEqual(['ALDI 72045', 'YWCA FITNESS'])
    expect(await list(home, 300)).toHaveLength(16)
    expect(await auditLedger(booted.database('ledger'))).toEqual([])
  })

  test('is imported beside concurrent uploads', async () => {
    const home = await createHousehold(booted)
    const files = ['a', 'b', 'c', 'd', 'e'].map((id) => statementOf({ [id]: '-1.00' }))
    const ended = await Promise.all(files.map((file) => importFile(home, file)))
    for (const one of ended) expect(one).toMatchObject({ status: 'complete', importedCount: 1n })
    expect(await list(home)).toHaveLength(5)
  })

  test('changes nothing when it is uploaded again', async () => {
    const home = await createHousehold(booted)
    await importFile(home, 'several-statements.ofx')
    const before = await list(home)
    expect(before).toHaveLength(2)
    const again = await importFile(home, 'several-statements.ofx')
    expect(again).toMatchObject({ status: 'complete', importedCount: 0n, skippedCount: 2n })
    expect(await list(home)).toEqual(before)
  })

  test('restores a hard-deleted transaction, but not a soft-deleted one', async () => {
    const home = await createHousehold(booted)
    const { transactions, bankAccountId, as } = home
    await importFile(home, 'equal-rows.ofx')
    for (const [index, { transactionId }] of (await list(home)).entries()) {
      const soft = index === 0
      await transactions.deleteTransaction({ bankAccountId, transactionId, soft }, as)
    }
    const again = await importFile(home, 'equal-rows.ofx')
    expect(again).toMatchObject({ importedCount: 1n, skippedCount: 1n })
    expect(await list(home)).toHaveLength(1)
  })

  test('asks for a choice, keeps the file and reads it again by the choice', async () => {
    const home = await createHousehold(booted)
    const { uploads, bankAccountId, accountId, as } = home
    const failed = await importFile(home, statementOf({ a: '-1,400' }))
    expect(failed).toMatchObject({
      status: 'failed',
      asks: 'decimalMark',
      error: expect.stringContaining('State decimalMark'),
    })
    expect(await storedFiles(booted.dataDir, accountId)).toHaveLength(1)
    const key = { bankAccountId, transactionUploadId: failed.transactionUploadId }
    const chosen = { ...key, choices: { decimalMark: '.' } }
    await Promise.all([1, 2].map(() => uploads.updateUpload(chosen, as)))
    const done = await eventually(
      async () => (await uploads.getUpload(key, as)).upload,
      (one) => one?.status === 'complete',
    )
    expect(done).toMatchObject({ importedCount: 1n })
    expect(done?.asks).toBeUndefined()
    expect((await list(home)).map(({ amount }) => amount)).toEqual([140000n])
    expect((await uploads.updateUpload(chosen, as)).upload).toEqual(done)
    await expect(uploads.updateUpload(key, as)).rejects.toMatchObject({
      code: Code.FailedPrecondition,
    })
    await eventually(
      () => storedFiles(booted.dataDir, accountId),
      (files) => files.length === 0,
    )
  })

  test('of several accounts lists them, and reads the stated one', async () => {
    const home = await createHousehold(booted)
    const { uploads, bankAccountId, as } = home
    const failed = await importFile(home, 'several-accounts.ofx')
    expect(failed).toMatchObject({
      asks: 'statement',
      statements: [
        { statement: '091000000 1001', kind: 'checking', rowCount: 1n, balance: 100000n },
        { statement: '091000000 2002' },
      ],
    })
    const key = { bankAccountId, transactionUploadId: failed.transactionUploadId }
    await uploads.updateUpload({ ...key, choices: { statement: '091000000 2002' } }, as)
    const done = await eventually(
      async () => (await uploads.getUpload(key, as)).upload,
      (one) => one?.status === 'complete',
    )
    expect(done).toMatchObject({ importedCount: 1n, statements: { length: 2 } })
  })

  test('counts skipped rows', async () => {
    const home = await createHousehold(booted)
    const done = await importFile(home, 'bad-rows.ofx')
    expect(done).toMatchObject({ status: 'complete', importedCount: 2n, skippedCount: 9n })
    const counts = { rowCount: 11n, importedCount: 2n, knownCount: 0n, skippedCount: 9n }
    expect(done).toMatchObject(counts)
    expect(done.skipped[0]).toMatchObject({ reason: 'amount', count: 4n, rows: { length: 4 } })
    const { uploads, bankAccountId, as } = home
    const [shown] = (await uploads.listUploads({ bankAccountId, limit: 1 }, as)).uploads
    const skippedInList = done.skipped.map((one) => ({ ...one, rows: [] }))
    expect(shown).toMatchObject({ ...counts, skipped: skippedInList })
    const again = await importFile(home, 'bad-rows.ofx')
    expect(again).toMatchObject({ rowCount: 11n, knownCount: 2n, skippedCount: 11n })
  })

  test('of whose rows none can be read fails, and tells them', async () => {
    const home = await createHousehold(booted)
    expect(await importFile(home, statementOf({ a: 'x', b: '0.00' }))).toMatchObject({
      status: 'failed',
      error: expect.stringContaining(
        'No row of the file can be read: 1 of 1 without a readable amount',
      ),
      rowCount: 2n,
      skippedCount: 2n,
      skipped: [{ reason: 'amount', count: 1n, rows: [{ line: 1 }] }, { reason: 'zero' }],
    })
  })

  test.each([
    ['blank-balance.ofx', { current: 500n, available: 95000n }],
    ['card.qfx', { current: -25000n, available: 75000n, limit: 100000n }],
  ])('%s sets the balances that it states', async (file, balances) => {
    const home = await createHousehold(booted, { currentBalance: 500n, availableBalance: 400n })
    await importFile(home, file)
    expect(await home.balances()).toMatchObject(balances)
  })

  test.each([
    ['truncated.ofx', 'The file ends before its statement does'],
    ['other-currency.ofx', 'The file is in CAD, the account in USD: choose another account'],
  ])('%s fails with the reason and stores nothing', async (file, error) => {
    const home = await createHousehold(booted, { currentBalance: 500n })
    const failed = await importFile(home, file)
    expect(failed).toMatchObject({ status: 'failed', error, importedCount: 0n })
    expect(await list(home)).toEqual([])
    expect(await home.balances()).toMatchObject({ current: 500n })
  })

  test('publishes its progress, and its bytes are removed at the end', async () => {
    const home = await createHousehold(booted)
    const { accountId } = home
    const { connection, subject } = booted.broker
    const seen: object[] = []
    const progress = connection.subscribe(subject(progressSubject({ accountId, id: '*' })), {
      callback: (_error, message) => {
        seen.push(message.json())
      },
    })
    await connection.flush()
    await importFile(home, 'equal-rows.ofx')
    await eventually(
      async () => seen,
      (all) => all.length > 1,
    )
    const counts = { importedCount: 0, skippedCount: 0, rowCount: null, knownCount: null }
    const none = { ...counts, joinedCount: null, skipped: [] }
    const all = { importedCount: 2, rowCount: 2, knownCount: 0, joinedCount: 0 }
    expect(seen).toEqual([
      { ...none, status: 'processing' },
      { ...none, status: 'complete', ...all },
    ])
    progress.unsubscribe()
    await eventually(
      () => storedFiles(booted.dataDir, accountId),
      (names) => names.length === 0,
    )
  })
})

describe('an upload', () => {
  const content = new TextEncoder().encode('<OFX>')

  test('is first pending, with its file', async () => {
    const { uploads, bankAccountId, as } = await createHousehold(booted)
    const { upload } = await uploads.createUpload(partsOf({ bankAccountId, ...OFX, content }), as)
    expect(upload).toMatchObject({
      bankAccountId,
      status: 'pending',
      fileId: upload?.file?.fileId,
      file: { kind: 'transactions/uploads', name: 'export.ofx', size: 5n },
    })
    const key = { bankAccountId, transactionUploadId: upload?.transactionUploadId ?? '' }
    expect((await uploads.getUpload(key, as)).upload?.file).toBeUndefined()
  })

  test('is complete when its rows are stored, not when the transaction begins', async () => {
    const home = await createHousehold(booted)
    let now = Date.now()
    // Each read of this clock returns a time one millisecond after the previous one.
    Object.defineProperty(booted.clock, 'now', {
      configurable: true,
      get: () => {
        now += 1
        return new Date(now)
      },
    })
    const done = await importFile(home, statementOf({ a: '-1.00' }))
    Object.defineProperty(booted.clock, 'now', { value: null, writable: true })
    const [stored] = await list(home)
    const [storedAt, completedAt] = [stored?.createdAt, done.completedAt].map(
      (at) => at && timestampDate(at).getTime(),
    )
    expect(completedAt).toBeGreaterThan(storedAt ?? Number.POSITIVE_INFINITY)
  })

  test('with a repeated Idempotency-Key is one upload', async () => {
    const { uploads, bankAccountId, as } = await createHousehold(booted)
    const keyed = { ...as, headers: { [headers.idempotencyKey]: 'k' } }
    const replies = await Promise.all(
      Array.from({ length: 5 }, () =>
        uploads.createUpload(partsOf({ bankAccountId, ...OFX, content }), keyed),
      ),
    )
    expect(new Set(replies.map(({ upload }) => upload?.transactionUploadId)).size).toBe(1)
  })

  test('is refused for unsuitable bank accounts and files', async () => {
    const home = await createHousehold(booted)
    const { uploads, accounts, bankAccountId, as } = home
    const create = (changes: object, options = as) =>
      uploads.createUpload(partsOf({ bankAccountId, ...OFX, content, ...changes }), options)
    const feed = { institutionName: 'Feed', feedLinkId: newId('lfx') }
    const { link } = await home.links.createLink(feed, as)
    const { bankAccount } = await accounts.createBankAccount(
      { linkId: link?.linkId ?? '', name: 'Fed', feedBankAccountId: newId('lbac') },
      as,
    )
    const stranger = booted.as(newId('acct'))
    const csv = { name: 'export.csv', content: new TextEncoder().encode('a,b') }
    await expect(create(csv)).rejects.toMatchObject({
      code: Code.InvalidArgument,
    })
    await expect(create({ bankAccountId: newId('bac') })).rejects.toMatchObject({
      code: Code.NotFound,
    })
    await expect(create({}, stranger)).rejects.toMatchObject({ code: Code.NotFound })
    await expect(create({ bankAccountId: bankAccount?.bankAccountId })).rejects.toMatchObject({
      code: Code.FailedPrecondition,
    })
    await accounts.archiveBankAccount({ bankAccountId }, as)
    await expect(create({})).rejects.toMatchObject({ code: Code.FailedPrecondition })
  })

  test('of another account is not found', async () => {
    const { uploads, bankAccountId, as } = await createHousehold(booted)
    const { upload } = await uploads.createUpload(partsOf({ bankAccountId, ...OFX, content }), as)
    const key = { bankAccountId, transactionUploadId: upload?.transactionUploadId ?? '' }
    await expect(uploads.getUpload(key, booted.as(newId('acct')))).rejects.toMatchObject({
      code: Code.NotFound,
    })
  })
})
