import { problemsOf } from '@coffer/kit/errors'
import type { ConnectError } from '@connectrpc/connect'
import { expect, test } from '@jest/globals'
import { createUpload, formatOf } from './upload.ts'

const NOW = new Date('2026-02-01T12:00:00Z')

function create(name: string, contentType: string, text = 'twelve bytes') {
  const ids = { accountId: 'acct_1', bankAccountId: 'bac_1', createdBy: 'user_1' }
  const body = { ...ids, fileId: 'file_1', transactionUploadId: 'txup_1' }
  const head = Buffer.from(text)
  const format = formatOf({ name, contentType, head })
  return createUpload({ ...body, name, contentType, format, size: BigInt(head.length) }, NOW)
}

test('an upload waits, and its file is kept for an hour', () => {
  const common = {
    accountId: 'acct_1',
    bankAccountId: 'bac_1',
    fileId: 'file_1',
    createdAt: NOW,
    createdBy: 'user_1',
  }
  expect(create('january.qfx', 'application/vnd.intu.QFX')).toEqual({
    file: {
      ...common,
      kind: 'transactions/uploads',
      name: 'january.qfx',
      contentType: 'application/vnd.intu.QFX',
      size: 12n,
      expiresAt: new Date('2026-02-01T13:00:00Z'),
      deletedAt: null,
    },
    upload: {
      ...common,
      transactionUploadId: 'txup_1',
      format: 'ofx',
      status: 'pending',
      error: null,
      processedAt: null,
      completedAt: null,
      importedCount: 0n,
      skippedCount: 0n,
      balancesAsOf: null,
      undoneAt: null,
    },
  })
})

test.each([
  ['export.ofx', 'application/octet-stream', 'ofx'],
  ['export.qif', 'application/octet-stream', 'qif'],
  ['export.xml', 'text/xml', 'camt053'],
])('%s of type %s is taken as %s', (name, contentType, format) => {
  expect(create(name, contentType).upload.format).toBe(format)
})

test('what a file is, its content knows better', () => {
  expect(create('export.ofx', 'application/vnd.intu.QFX', '!Type:Bank\n').upload.format).toBe('qif')
})

test.each([
  ['export.csv', 'text/csv', 'is a CSV file, which needs a mapping: use transactions/import'],
  ['export.ofx', 'image/png', 'must be an OFX, QFX, QBO, CAMT.053 or QIF file'],
  ['ofx', 'application/octet-stream', 'must be an OFX, QFX, QBO, CAMT.053 or QIF file'],
])('%s of type %s is refused: %s', (name, contentType, text) => {
  let problems: unknown
  try {
    create(name, contentType)
  } catch (error) {
    problems = problemsOf(error as ConnectError)
  }
  expect(problems).toEqual({ data: text })
})

test.each([
  ['../../etc/january.ofx', 'january.ofx'],
  ['C:\\Users\\me\\january.ofx', 'january.ofx'],
  [' tab\tand\u0000nul.ofx ', 'tabandnul.ofx'],
  [`${'é'.repeat(400)}.ofx`, `${'é'.repeat(296)}.ofx`],
  ['/', 'upload'],
])('a name is never a path: %j', (name, kept) => {
  expect(create(name, 'application/vnd.intu.QFX').file.name).toBe(kept)
})
