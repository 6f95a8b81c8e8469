import { expect, test } from '@jest/globals'
import { createUpload } from './upload.ts'

const NOW = new Date('2026-02-01T12:00:00Z')

function create(name: string, contentType: string) {
  const ids = { accountId: 'acct_1', bankAccountId: 'bac_1', createdBy: 'user_1' }
  const body = { ...ids, fileId: 'file_1', transactionUploadId: 'txup_1', size: 12n }
  return createUpload({ ...body, name, contentType }, NOW)
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
      status: 'pending',
      error: null,
      processedAt: null,
      completedAt: null,
      importedCount: 0n,
      skippedCount: 0n,
    },
  })
})

// spec/ledger.md 6.1: the content type decides, the extension only for unnamed bytes.
test.each([
  ['export.txt', 'application/vnd.intu.QFX', true],
  ['export.ofx', 'application/octet-stream', true],
  ['EXPORT.QFX', 'application/octet-stream', true],
  ['export.qbo', 'application/octet-stream', true],
  ['export.csv', 'application/octet-stream', false],
  ['ofx', 'application/octet-stream', false],
  ['export.ofx', 'text/csv', false],
  ['export.ofx', 'application/vnd.intu.qfx', true],
  ['export.ofx', '', false],
])('%s of type %s is taken: %s', (name, contentType, taken) => {
  const outcome = () => create(name, contentType)
  if (taken) {
    expect(outcome().upload.status).toBe('pending')
  } else {
    expect(outcome).toThrow('Invalid request')
  }
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
