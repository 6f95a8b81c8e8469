import { create } from '@bufbuild/protobuf'
import { timestampFromDate } from '@bufbuild/protobuf/wkt'
import { invalid, notFound } from '@coffer/kit/rpc/errors'
import { ImportPreviewSchema, ImportSchema } from '@coffer/proto/ledger/v1/import'
import { type CreateMappingRequest, ImportMappingSchema } from '@coffer/proto/ledger/v1/mapping'
import { FileSchema } from '@coffer/proto/ledger/v1/upload'
import { afterEach, describe, expect, test } from '@jest/globals'
import { createFileStub, formOf } from '../forms.ts'
import { createGateway, type Gateway } from '../gateway.ts'
import { accountUrl, ids, mapping, upload } from '../samples.ts'
import { alice } from '../stub-mesh.ts'

const url = `${accountUrl}/transactions/import`
const one = `${url}/${ids.transactionImportId}`
const uploadsOn = { COFFER_UPLOADS_ENABLED: 'true' }
const transactionImportMappingId = 'txix_01hzzzzzzzzzzzzzzzzzzzzzza'
const fileId = 'file_01hzzzzzzzzzzzzzzzzzzzzzza'
const at = timestampFromDate(new Date('2026-01-02T03:04:05Z'))
const common = { createdAt: at, updatedAt: at, createdBy: alice.userId }

const csvImport = {
  ...create(ImportSchema, {
    transactionImportId: ids.transactionImportId,
    bankAccountId: ids.bankAccountId,
    fileId,
    headers: ['Date', 'Text', 'Amount'],
    signature: 'abc',
    delimeter: ',',
    status: 'mapping',
  }),
  ...common,
}

let gateway: Gateway
afterEach(async () => await gateway?.[Symbol.asyncDispose]())

function sent<Message>(): Message {
  return gateway.received.at(-1)?.message as Message
}

describe('uploading a CSV file', () => {
  const file = new File(['Date,Text,Amount'], 'june.csv', { type: 'text/csv' })
  const { take, taken } = createFileStub(() => ({
    import: { ...csvImport, file: create(FileSchema, { fileId, name: 'june.csv' }) },
  }))
  const imports = { createImport: take }

  test('answers with its columns and its file', async () => {
    gateway = await createGateway({ imports }, uploadsOn)
    const answer = await gateway.send('POST', url, await formOf({ data: file, note: 'x' }))
    expect(answer.status).toBe(200)
    expect(answer.body).toMatchObject({
      transactionImportId: ids.transactionImportId,
      transactionImportMappingId: null,
      headers: ['Date', 'Text', 'Amount'],
      delimeter: ',',
      status: 'mapping',
      completedAt: null,
      preview: null,
      file: { fileId, name: 'june.csv' },
    })
    const { bankAccountId } = ids
    expect(taken.at(-1)).toMatchObject({
      bankAccountId,
      name: 'june.csv',
      text: 'Date,Text,Amount',
    })
  })

  test('is 400 with the refusal of the ledger', async () => {
    const createImport = () => {
      throw invalid({ data: 'must not be empty' })
    }
    gateway = await createGateway({ imports: { createImport } }, uploadsOn)
    const { status, body } = await gateway.send('POST', url, await formOf({ data: file }))
    expect([status, body.problems]).toEqual([400, { data: 'must not be empty' }])
  })

  test('is 404 where uploads are off', async () => {
    gateway = await createGateway({ imports })
    expect((await gateway.send('POST', url, await formOf({ data: file }))).status).toBe(404)
  })
})

describe('an import', () => {
  test('has a preview', async () => {
    const effect = 'left out: stored already'
    const row = {
      uploadIdentifier: 'A',
      amount: 1250n,
      date: at,
      name: 'X',
      duplicate: true,
      effect,
    }
    const preview = { rows: [row], rowCount: 1n, duplicateCount: 1n, currentBalance: -5n }
    const shown = { ...csvImport, status: 'preview', preview: create(ImportPreviewSchema, preview) }
    gateway = await createGateway({ imports: { getImport: () => ({ import: shown }) } }, uploadsOn)
    const { body } = await gateway.send('GET', one)
    expect(body).not.toHaveProperty('file')
    expect(body).not.toHaveProperty('error')
    expect(body.preview).toEqual({
      joinOffers: [],
      joinOfferCount: 0,
      rows: [
        {
          uploadIdentifier: 'A',
          amount: 1250,
          date: '2026-01-02T03:04:05Z',
          name: 'X',
          originalName: '',
          originalMerchantName: '',
          isPending: false,
          duplicate: true,
          effect,
          booksPending: false,
        },
      ],
      rowCount: 1,
      newCount: 0,
      duplicateCount: 1,
      skippedCount: 0,
      skipped: [],
      currentBalance: -5,
      availableBalance: null,
    })
  })

  test.each([
    [{ transactionImportMappingId, status: 'pending-preview' }, null],
    [{ status: 'pending-processing' }, null],
    [
      { headerRow: 0, minusReverses: null },
      { choices: { headerRow: 0 }, choicesMask: { paths: ['header_row', 'minus_reverses'] } },
    ],
  ])('takes the step %j', async (body, read) => {
    const updateImport = () => ({ import: csvImport })
    gateway = await createGateway({ imports: { updateImport } }, uploadsOn)
    expect((await gateway.send('PATCH', one, { body })).status).toBe(200)
    expect(sent()).toMatchObject(read ?? body)
  })

  test('refuses other steps with the problems of all shapes', async () => {
    const getImport = () => ({ import: csvImport })
    gateway = await createGateway({ imports: { getImport } }, uploadsOn)
    const { status, body } = await gateway.send('PATCH', one, { body: { status: 'complete' } })
    expect([status, body.problems]).toEqual([
      400,
      {
        oneOf: [
          {
            transactionImportMappingId: 'required key is missing',
            status: 'must be pending-preview',
          },
          { status: 'must be pending-processing' },
          { status: 'key not expected' },
        ],
      },
    ])
  })

  test('is listed with its upload, and the next page by a Link header', async () => {
    const shown = { ...csvImport, upload: { ...upload, isUndoable: true } }
    const listImports = () => ({ imports: [shown], hasMore: true })
    gateway = await createGateway({ imports: { listImports } }, uploadsOn)
    const { body, headers } = await gateway.send('GET', url)
    expect(body).toMatchObject([{ preview: null, upload: { isUndoable: true, undoneAt: null } }])
    await gateway.send('GET', String(headers.link).match(/^<(.*)>; rel="next"$/)?.[1] ?? '')
    expect(sent()).toMatchObject({ before: ids.transactionImportId, limit: 25 })
  })

  test('that does not exist is 404 with any body', async () => {
    const getImport = () => {
      throw notFound('transaction import')
    }
    gateway = await createGateway({ imports: { getImport } }, uploadsOn)
    expect((await gateway.send('PATCH', one, { body: { bogus: 1 } })).status).toBe(404)
  })
})

describe('mappings', () => {
  const stored = (request: CreateMappingRequest) => ({
    mapping: {
      ...create(ImportMappingSchema, { transactionImportMappingId, signature: 'abc' }),
      ...common,
      ...(request.mapping ? { mapping: request.mapping } : {}),
    },
  })

  test.each([
    ['the least', mapping],
    [
      'the most',
      {
        ...mapping,
        amount: {
          kind: 'type',
          invert: false,
          fields: [{ name: 'Amount' }, { name: 'Text' }],
          credit: 'C',
          debit: 'D',
        },
        merchant: { name: 'Text' },
        posted: { fields: [{ name: 'Text' }], posted: '' },
        balance: { kind: 'field', fields: [{ name: 'Amount' }] },
      },
    ],
  ])('are answered as sent: %s', async (_what, body) => {
    gateway = await createGateway({ mappings: { createMapping: stored } }, uploadsOn)
    const answer = await gateway.send('POST', '/api/mappings', { body: { mapping: body } })
    expect(answer).toMatchObject({ status: 200 })
    expect(answer.body).toEqual({
      transactionImportMappingId,
      signature: 'abc',
      mapping: body,
      createdAt: '2026-01-02T03:04:05Z',
      updatedAt: '2026-01-02T03:04:05Z',
      createdBy: alice.userId,
    })
  })

  test.each([
    [{}, { mapping: 'required key is missing' }],
    [{ mapping: [] }, { mapping: 'must be an object' }],
    [{ mapping: { ...mapping, extra: 1 } }, { mapping: { extra: 'key not expected' } }],
    [{ mapping: { ...mapping, headers: 'Date' } }, { mapping: { headers: 'must be a list' } }],
    [
      { mapping: { ...mapping, memo: { name: 'Text', other: 1 } } },
      { mapping: { memo: { other: 'key not expected' } } },
    ],
    [
      { mapping: { ...mapping, id: { ...mapping.id, kind: 'guessed' } } },
      { mapping: { id: { kind: 'must be one of: native, hashed' } } },
    ],
    [
      { mapping: { ...mapping, headers: ['Date', 5] } },
      { mapping: { headers: { 1: 'must be a string' } } },
    ],
  ])('are closed: %#', async (body, problems) => {
    gateway = await createGateway({}, uploadsOn)
    const answer = await gateway.send('POST', '/api/mappings', { body })
    expect([answer.status, answer.body.problems]).toEqual([400, problems])
  })

  test('are deleted', async () => {
    gateway = await createGateway({ mappings: { deleteMapping: () => ({}) } }, uploadsOn)
    const answer = await gateway.send('DELETE', `/api/mappings/${transactionImportMappingId}`)
    expect(answer.status).toBe(200)
    expect(sent()).toMatchObject({ transactionImportMappingId })
  })

  test('are explained in the OpenAPI document', async () => {
    gateway = await createGateway({}, uploadsOn)
    const { body } = await gateway.send('GET', '/api/openapi.json')
    const schema = JSON.stringify(body.paths['/api/mappings'].post.requestBody)
    for (const words of [
      'Turns every sign',
      'rowNumber',
      'MM/DD/YYYY',
      'any other text is pending',
    ]) {
      expect(schema).toContain(words)
    }
  })

  test('are listed by signature, ten at a time', async () => {
    const listMappings = () => ({ mappings: [] })
    gateway = await createGateway({ mappings: { listMappings } }, uploadsOn)
    expect((await gateway.send('GET', '/api/mappings')).body).toEqual([])
    expect(sent()).toMatchObject({ limit: 10, offset: 0 })
    expect(sent()).not.toHaveProperty('signature', 'abc')
    await gateway.send('GET', '/api/mappings?signature=abc&limit=1&offset=2')
    expect(sent()).toMatchObject({ signature: 'abc', limit: 1, offset: 2 })
    const odd = await gateway.send('GET', '/api/mappings?signature=%00')
    expect(odd).toMatchObject({ status: 400, body: { problems: { signature: expect.anything() } } })
    for (const query of ['limit=0', 'limit=11', 'offset=-1']) {
      expect((await gateway.send('GET', `/api/mappings?${query}`)).status).toBe(400)
    }
  })
})

test('files are listed', async () => {
  const files = [{ ...create(FileSchema, { fileId, name: 'a.csv', size: 5n }), createdAt: at }]
  gateway = await createGateway({ files: { listFiles: () => ({ files }) } })
  const { body } = await gateway.send('GET', '/api/files')
  expect(body).toEqual([expect.objectContaining({ fileId, size: 5, deletedAt: null })])
})

test.each([[undefined], [[]], [[{ uploadIdentifier: 'a', transactionId: ids.transactionId }]]])(
  'a PATCH of an upload with joins %j replaces them only if they are sent',
  async (joins) => {
    const uploads = { getUpload: () => ({ upload }), updateUpload: () => ({ upload }) }
    gateway = await createGateway({ uploads }, uploadsOn)
    const path = `${accountUrl}/transactions/upload/${ids.transactionUploadId}`
    await gateway.send('PATCH', path, { body: { decimalMark: '.', joins } })
    const { joins: named } = sent<{ joins?: { joins: object[] } }>()
    expect(named?.joins.length).toBe(joins?.length)
  },
)
