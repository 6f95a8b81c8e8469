import { timestampDate } from '@bufbuild/protobuf/wkt'
import { eventually } from '@coffer/host/testing/boot'
import { booting } from '@coffer/host/testing/booting'
import { createHousehold } from '@coffer/host/testing/household'
import { newId } from '@coffer/kit/values/id'
import { FileService } from '@coffer/proto/ledger/v1/file'
import { Code } from '@connectrpc/connect'
import { beforeAll, describe, expect, test } from '@jest/globals'
import { sql } from 'slonik'
import { auditLedger } from '../../src/money/audit.sql.ts'
import { ledger } from '../../src/service.ts'
import { listed, problems } from '../outcomes.ts'
import { partsOf } from './file-parts.ts'
import { fixture, headers, importing } from './importing.ts'
import { storedFiles } from './stored-files.ts'
import { importFile } from './uploading.ts'

const booted = booting([ledger])
let steps: ReturnType<typeof importing>

beforeAll(() => {
  steps = importing(booted)
})

describe('an import', () => {
  test('begins with its columns, in state mapping', async () => {
    const home = await createHousehold(booted)
    const made = await steps.createImport(home)
    expect(made).toMatchObject({
      bankAccountId: home.bankAccountId,
      headers,
      delimeter: ',',
      status: 'mapping',
      file: { kind: 'transactions/imports', name: 'export.csv', contentType: 'text/csv' },
    })
    expect(made.transactionImportMappingId).toBeUndefined()
    expect(made.completedAt).toBeUndefined()
    const { transactionImportId } = made
    const key = { bankAccountId: home.bankAccountId, transactionImportId }
    const { import: found } = await steps.imports.getImport(key, home.as)
    expect(found).toMatchObject({ status: 'mapping', headers, signature: made.signature })
    expect(found?.file).toBeUndefined()
  })

  test('has a preview, and stores nothing yet', async () => {
    const home = await createHousehold(booted)
    const { preview } = await steps.previewed(home)
    expect(preview).toMatchObject({
      rowCount: 4n,
      newCount: 4n,
      duplicateCount: 0n,
      skippedCount: 0n,
      currentBalance: 149025n,
      availableBalance: 149025n,
    })
    expect(preview?.rows.map((row) => [row.uploadIdentifier, row.amount, row.isPending])).toEqual([
      ['T-3', 475n, false],
      ['T-2', -150000n, false],
      ['T-1', 500n, false],
      ['T-4', 9000n, true],
    ])
    const [first] = preview?.rows ?? []
    expect(first).toMatchObject({ name: 'CAFE ELAN', duplicate: false })
    expect(preview?.rows.map((row) => row.effect)).toEqual([
      '4.75 leaves the account',
      '1500.00 comes into the account',
      '5.00 leaves the account',
      '90.00 leaves the account, pending',
    ])
    expect(first?.date && timestampDate(first.date)).toEqual(new Date('2026-01-17T06:00:00Z'))
    expect(await listed(home)).toEqual([])
  })

  test('stores the previewed rows by an upload, and removes its file', async () => {
    const home = await createHousehold(booted)
    const done = await steps.processed(home)
    const { bankAccountId, as, uploads, accountId } = home
    const { transactionUploadId = '' } = done
    expect(done.completedAt).toBeDefined()
    expect(done).toMatchObject({
      rowCount: 4n,
      importedCount: 4n,
      knownCount: 0n,
      skippedCount: 0n,
    })
    const { upload } = await uploads.getUpload({ bankAccountId, transactionUploadId }, as)
    expect(upload).toMatchObject({ status: 'complete', importedCount: 4n, skippedCount: 0n })
    const stored = await listed(home)
    expect(stored.map((one) => [one.uploadIdentifier, one.amount, one.isPending])).toEqual([
      ['T-4', 9000n, true],
      ['T-3', 475n, false],
      ['T-2', -150000n, false],
      ['T-1', 500n, false],
    ])
    const shown = done.preview?.rows.find((row) => row.uploadIdentifier === 'T-3')
    const kept = stored.find((one) => one.uploadIdentifier === 'T-3')
    expect(kept).toMatchObject({
      amount: shown?.amount,
      date: shown?.date,
      name: shown?.name,
      originalName: shown?.originalName,
      originalMerchantName: shown?.originalMerchantName,
    })
    expect(await home.balances()).toMatchObject({ current: 149025n, available: 149025n })
    expect(await auditLedger(booted.database('ledger'))).toEqual([])
    await eventually(
      () => storedFiles(booted.dataDir, accountId),
      (files) => files.length === 0,
    )
  })

  test('marks stored rows as duplicates, and skips them', async () => {
    const home = await createHousehold(booted)
    await steps.processed(home)
    const text = (await fixture('sign.csv')).toString().replace('T-1,', 'T-9,')
    const again = await steps.processed(home, Buffer.from(text))
    expect(again.preview).toMatchObject({ rowCount: 4n, newCount: 1n, duplicateCount: 3n })
    expect(again.preview?.rows.map((row) => row.duplicate)).toEqual([true, true, false, true])
    expect(again.preview?.rows[0]?.effect).toBe('left out: stored already')
    expect(await listed(home)).toHaveLength(5)
  })

  test('shows fifty rows and counts all, with the reasons of skipped ones', async () => {
    const home = await createHousehold(booted)
    const rows = Array.from({ length: 120 }, (_, index) => {
      return `${index},01/15/2026,X,,${index % 10 === 0 ? 'x' : '1.00'},,Posted`
    })
    const content = Buffer.from([headers.join(','), ...rows, 'one,too,short'].join('\n'))
    const { preview } = await steps.previewed(home, content)
    expect(preview?.rows).toHaveLength(50)
    expect(preview).toMatchObject({ rowCount: 108n, newCount: 108n, skippedCount: 13n })
    const [amounts, ...others] = preview?.skipped ?? []
    expect(amounts).toMatchObject({ reason: 'amount', count: 13n, rows: { length: 10 } })
    expect(amounts?.rows[1]).toMatchObject({ line: 12, text: '10,01/15/2026,X,,x,,Posted' })
    expect(others).toEqual([])
  })

  test('of an unreadable file fails with the reason', async () => {
    const home = await createHousehold(booted)
    const content = Buffer.from(`${headers.join(',')}\n1,2,3,4,5,6,7\n1,"2\n`)
    const { bankAccountId, as } = home
    const failed = await steps.previewed(home, content)
    expect(failed).toMatchObject({
      status: 'failed',
      error: 'The quotes of line 3 have no end',
    })
    const { transactionImportId } = failed
    const step = { bankAccountId, transactionImportId, status: 'pending-processing' }
    await expect(steps.imports.updateImport(step, as)).rejects.toMatchObject({
      code: Code.FailedPrecondition,
    })
  })

  test('without its file has expired', async () => {
    const home = await createHousehold(booted)
    const { fileId, transactionImportId } = await steps.createImport(home)
    await booted.database('ledger').pool.query(sql.unsafe`
      UPDATE files SET deleted_at = now()
      WHERE account_id = ${home.accountId} AND file_id = ${fileId}`)
    expect(await steps.reached(home, transactionImportId, ['expired'])).toMatchObject({
      status: 'expired',
    })
  })
})

test('the account’s files are listed while they are kept, newest first', async () => {
  const home = await createHousehold(booted)
  const files = booted.client('ledger', FileService)
  const [first, second] = [await steps.createImport(home), await steps.createImport(home)]
  const { files: found } = await files.listFiles({}, home.as)
  expect(found.map(({ fileId }) => fileId)).toEqual([second.fileId, first.fileId])
  expect(found[0]).toMatchObject({ kind: 'transactions/imports', name: 'export.csv' })
  expect((await files.listFiles({}, booted.as(newId('acct')))).files).toEqual([])
  await home.links.deleteLink({ linkId: home.linkId }, home.as)
  expect((await files.listFiles({}, home.as)).files).toEqual([])
})

describe('refused steps', () => {
  test('in another order', async () => {
    const home = await createHousehold(booted)
    const { bankAccountId, as } = home
    const { transactionImportId } = await steps.createImport(home)
    const transactionImportMappingId = await steps.createMapping(home)
    const { imports } = steps
    const step = (changes: object) =>
      imports.updateImport({ bankAccountId, transactionImportId, ...changes }, as)
    const toPreview = { transactionImportMappingId, status: 'pending-preview' }
    const toProcessing = { status: 'pending-processing' }
    await expect(step(toProcessing)).rejects.toMatchObject({ code: Code.FailedPrecondition })
    expect(await problems(step({ status: 'complete' }))).toHaveProperty('status')
    expect(await problems(step({ status: 'pending-preview' }))).toHaveProperty('status')
    await step(toPreview)
    await expect(step(toPreview)).rejects.toMatchObject({ code: Code.FailedPrecondition })
    await steps.reached(home, transactionImportId, ['preview'])
    await expect(step(toPreview)).rejects.toMatchObject({ code: Code.FailedPrecondition })
    // Five concurrent requests to process the file: it is processed once.
    const outcomes = await Promise.allSettled(Array.from({ length: 5 }, () => step(toProcessing)))
    expect(outcomes.filter(({ status }) => status === 'fulfilled')).toHaveLength(1)
    await steps.reached(home, transactionImportId, ['complete'])
    expect(await listed(home)).toHaveLength(4)
  })

  test('with an unknown mapping, one of another account or for other columns', async () => {
    const home = await createHousehold(booted)
    const { bankAccountId, as } = home
    const { transactionImportId } = await steps.createImport(home)
    const stranger = await createHousehold(booted)
    const step = async (transactionImportMappingId: string) => {
      const asked = { transactionImportMappingId, status: 'pending-preview' }
      const request = { bankAccountId, transactionImportId, ...asked }
      return problems(steps.imports.updateImport(request, as))
    }
    const absent = {
      transactionImportMappingId: 'is not a mapping of this account: see GET /api/mappings',
    }
    expect(await step(newId('txix'))).toEqual(absent)
    expect(await step(await steps.createMapping(stranger))).toEqual(absent)
    expect(await step(await steps.createMapping(home, { headers: [...headers, 'Other'] }))).toEqual(
      {
        transactionImportMappingId: 'is for other columns: create another',
      },
    )
  })

  test('for a file without a header, an archived bank account, and another account', async () => {
    const home = await createHousehold(booted)
    const { bankAccountId, accounts, as } = home
    const { imports } = steps
    const create = (text: string) => steps.createImport(home, Buffer.from(text))
    expect(await problems(create(''))).toEqual({ data: 'must not be empty' })
    expect(await problems(create('a,b\n'))).toEqual({
      data: expect.stringContaining('The file has no row with the names of at least three columns'),
    })
    const { transactionImportId } = await steps.createImport(home)
    const key = { bankAccountId, transactionImportId }
    const stranger = booted.as(newId('acct'))
    const missing = { code: Code.NotFound }
    await expect(imports.getImport(key, stranger)).rejects.toMatchObject(missing)
    const step = { ...key, status: 'pending-processing' }
    await expect(imports.updateImport(step, stranger)).rejects.toMatchObject(missing)
    const body = { bankAccountId, name: 'a.csv', content: await fixture('sign.csv') }
    await expect(imports.createImport(partsOf(body), stranger)).rejects.toMatchObject(missing)
    const other = { ...key, transactionImportId: newId('txim') }
    await expect(imports.getImport(other, as)).rejects.toMatchObject(missing)
    await accounts.archiveBankAccount({ bankAccountId }, as)
    await expect(steps.createImport(home)).rejects.toMatchObject({ code: Code.FailedPrecondition })
    await expect(imports.updateImport(step, as)).rejects.toMatchObject({
      code: Code.FailedPrecondition,
    })
  })
})

test('imports and uploads are listed in pages, newest first, with what undo needs', async () => {
  const home = await createHousehold(booted)
  const { uploads, bankAccountId, as } = home
  const begun = await steps.createImport(home)
  const { transactionUploadId } = await steps.processed(home)
  const failed = await importFile(home, 'truncated.ofx')
  const first = await steps.imports.listImports({ bankAccountId, limit: 1 }, as)
  expect(first.hasMore).toBe(true)
  expect(first.imports).toMatchObject([
    {
      transactionUploadId,
      status: 'complete',
      file: { name: 'export.csv' },
      upload: { status: 'complete', importedCount: 4n, skippedCount: 0n, isUndoable: true },
    },
  ])
  expect(first.imports[0]?.preview).toBeUndefined()
  const before = first.imports[0]?.transactionImportId ?? ''
  const next = await steps.imports.listImports({ bankAccountId, before, limit: 1 }, as)
  expect(next).toMatchObject({ hasMore: false, imports: [{ status: 'mapping' }] })
  expect(next.imports[0]?.transactionImportId).toBe(begun.transactionImportId)
  expect(next.imports[0]?.upload).toBeUndefined()

  const shown = async () => {
    const listed = await uploads.listUploads({ bankAccountId, limit: 25 }, as)
    return listed.uploads.map((one) => [one.status, one.isUndoable, one.file?.name])
  }
  expect(await shown()).toEqual([
    ['failed', false, 'export.ofx'],
    ['complete', true, 'export.csv'],
  ])
  const after = { bankAccountId, before: failed.transactionUploadId }
  const older = await uploads.listUploads({ ...after, limit: 1 }, as)
  expect(older).toMatchObject({ hasMore: false, uploads: [{ transactionUploadId }] })
  await uploads.undoUpload({ bankAccountId, transactionUploadId: transactionUploadId ?? '' }, as)
  expect((await shown())[1]).toEqual(['complete', false, 'export.csv'])
  await importFile(home, 'equal-rows.ofx')
  expect((await shown())[0]).toEqual(['complete', true, 'export.ofx'])
  await home.accounts.archiveBankAccount({ bankAccountId }, as)
  expect((await shown())[0]).toEqual(['complete', false, 'export.ofx'])
  const stranger = booted.as(newId('acct'))
  const all = { bankAccountId, limit: 1 }
  const missing = { code: Code.NotFound }
  await expect(uploads.listUploads(all, stranger)).rejects.toMatchObject(missing)
  await expect(steps.imports.listImports(all, stranger)).rejects.toMatchObject(missing)
})
