import { problemsOf } from '@coffer/kit/rpc/errors'
import type { ConnectError } from '@connectrpc/connect'
import { expect, test } from '@jest/globals'
import { createUpload, detectFormat } from './upload.ts'

const NOW = new Date('2026-02-01T12:00:00Z')

function create(name: string, contentType: string, text = 'twelve bytes') {
  const ids = { accountId: 'acct_1', bankAccountId: 'bac_1', createdBy: 'user_1' }
  const body = { ...ids, fileId: 'file_1', transactionUploadId: 'txup_1' }
  const head = Buffer.from(text)
  const format = detectFormat({ name, head })
  return createUpload(
    { ...body, name, contentType, format, choices: null, size: BigInt(head.length) },
    NOW,
  )
}

test('a new upload is pending, and its file is kept for an hour', () => {
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
      rowCount: null,
      knownCount: null,
      joinedCount: null,
      joins: null,
      skipped: null,
      statements: null,
      balancesAsOf: null,
      uploadGroupId: null,
      choices: null,
      asks: null,
      undoneAt: null,
      note: null,
    },
  })
})

test.each(['', 'text/plain', 'application/ofx', 'application/vnd.intu.qbo', 'image/png'])(
  'an OFX file of type %j is accepted',
  (contentType) => {
    expect(create('export.ofx', contentType).upload.format).toBe('ofx')
  },
)

test.each([
  ['export.csv', 'a,b', 'is a CSV file or a sheet, which needs a mapping: use transactions/import'],
  [
    'ofx',
    'a,b',
    'must be an OFX, QFX, QBO, CAMT, MT940, MT942, QIF or ZIP file, ' +
      'or an export of this program; a CSV file goes to transactions/import',
  ],
  ['export.ofx', '', 'must not be empty'],
  ['export', '', 'must not be empty'],
])('%s with %j is refused: %s', (name, content, text) => {
  let problems: unknown
  try {
    create(name, 'application/octet-stream', content)
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
])('a name never contains a path: %j', (name, kept) => {
  expect(create(name, '', '<OFX>').file.name).toBe(kept)
})
