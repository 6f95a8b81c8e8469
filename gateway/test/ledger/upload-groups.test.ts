import { create } from '@bufbuild/protobuf'
import { invalid } from '@coffer/kit/rpc/errors'
import { FileSchema } from '@coffer/proto/ledger/v1/upload'
import { GroupedStatementSchema, UploadGroupSchema } from '@coffer/proto/ledger/v1/upload_group'
import { afterEach, expect, test } from '@jest/globals'
import { createFileStub, formOf } from '../forms.ts'
import { createGateway, type Gateway } from '../gateway.ts'
import { balances, envelope, ids, spending, upload } from '../samples.ts'

const uploadsOn = { COFFER_UPLOADS_ENABLED: 'true' }
const { uploadGroupId, bankAccountId } = ids
const one = `/api/uploads/${uploadGroupId}`
const { createdAt, createdBy, fileId } = upload
const listed = { statement: '1001', number: '1001', currency: 'USD', rowCount: 2n }
const group = create(UploadGroupSchema, {
  uploadGroupId,
  fileId,
  file: create(FileSchema, { fileId, name: 'all.ofx' }),
  status: 'processing',
  createdAt: createdAt!,
  createdBy,
  statements: [
    create(GroupedStatementSchema, { ...listed, balance: -5n, upload }),
    create(GroupedStatementSchema, { ...listed, statement: '2002' }),
  ],
})

let gateway: Gateway
afterEach(async () => await gateway?.[Symbol.asyncDispose]())

test('the mapping of a form goes to the ledger, before or behind the file', async () => {
  const { take, taken } = createFileStub(() => ({ uploadGroup: group }))
  gateway = await createGateway({ uploadGroups: { createUploadGroup: take } }, uploadsOn)
  const data = new File(['<OFX>'], 'all.ofx')
  const mappings = [{ statement: '1001', bankAccountId }]
  const statements = JSON.stringify(mappings)
  for (const form of [
    { statements, data },
    { data, statements },
  ]) {
    const answer = await gateway.send('POST', '/api/uploads', await formOf(form))
    expect(answer.status).toBe(200)
    expect(answer.body).toMatchObject({
      uploadGroupId,
      status: 'processing',
      undoneAt: null,
      statements: [
        { rowCount: 2, balance: -5, upload: { bankAccountId, status: 'pending' } },
        { statement: '2002', upload: null },
      ],
    })
    expect(taken.at(-1)).toMatchObject({ name: 'all.ofx', text: '<OFX>', statements: mappings })
  }
  expect((await gateway.send('POST', '/api/uploads', await formOf({ data }))).status).toBe(200)
  expect(taken.at(-1)).toMatchObject({ statements: [] })
  const joins = [{ uploadIdentifier: 'F1', transactionId: ids.transactionId }]
  const joined = JSON.stringify([{ ...mappings[0], joins }])
  const previewed = await formOf({ statements: joined, data })
  expect((await gateway.send('POST', '/api/uploads?preview=true', previewed)).status).toBe(200)
  expect(taken.pop()).toMatchObject({
    preview: true,
    statements: [{ ...mappings[0], joins: { joins } }],
  })
  const hashes = new Set(taken.map(({ bodyHash }) => bodyHash))
  expect(hashes.size).toBe(2)
  for (const [sent, problem] of [
    ['{', 'must be a list of objects in JSON'],
    ['{}', 'must be a list of objects in JSON'],
    [JSON.stringify([{ statement: '1001' }]), 'bankAccountId'],
    [JSON.stringify([{ statement: '', bankAccountId: 'bac_1' }]), 'begins with bac_'],
    [joined.replace('txn_', 'bac_'), 'begins with txn_'],
    [JSON.stringify(Array.from({ length: 21 }, () => mappings[0])), 'at most 20'],
    ['x'.repeat(257 * 1024), 'at most 256 KiB'],
  ] as const) {
    const form = await formOf({ statements: sent, data })
    const { status, body } = await gateway.send('POST', '/api/uploads', form)
    expect({ sent, status, text: JSON.stringify(body) }).toMatchObject({
      status: 400,
      text: expect.stringContaining(problem),
    })
  }
})

test('a PATCH maps further accounts, with the refusals of the ledger by field', async () => {
  const updateUploadGroup = () => {
    throw invalid({ statements: { 0: { bankAccountId: 'is in CAD' } } })
  }
  const getUploadGroup = () => ({ uploadGroup: group })
  gateway = await createGateway({ uploadGroups: { updateUploadGroup, getUploadGroup } }, uploadsOn)
  const joins = [{ uploadIdentifier: 'F1', transactionId: ids.transactionId }]
  const body = { statements: [{ statement: '1001', bankAccountId, joins }], dayFirst: true }
  const refused = await gateway.send('PATCH', one, { body })
  expect([refused.status, refused.body.problems]).toEqual([
    400,
    { statements: { 0: { bankAccountId: 'is in CAD' } } },
  ])
  const { message } = gateway.received.find(({ rpc }) => rpc === 'UpdateUploadGroup')!
  expect(message).toMatchObject({
    uploadGroupId,
    statements: [{ statement: '1001', bankAccountId, joins: { joins } }],
    choices: { dayFirst: true },
  })
  expect((await gateway.send('GET', one)).body).toMatchObject({ status: 'processing' })
})

test('groups are paged by ID, and an undo answers with all balances', async () => {
  const recalculated = { recalculateSpending: () => ({ spending: [spending] }) }
  const part = { balance: balances, envelopes: [envelope] }
  const uploadGroups = {
    listUploadGroups: () => ({ uploadGroups: [group], hasMore: true }),
    undoUploadGroup: () => ({ parts: [part, { balance: balances }] }),
  }
  gateway = await createGateway({ uploadGroups, spending: recalculated }, uploadsOn)
  const { headers } = await gateway.send('GET', '/api/uploads?limit=1')
  await gateway.send('GET', String(headers.link).match(/^<(.*)>; rel="next"$/)?.[1] ?? '')
  expect(gateway.received.at(-1)?.message).toMatchObject({ before: uploadGroupId, limit: 1 })
  expect((await gateway.send('DELETE', one)).body).toMatchObject({
    balances: [{ bankAccountId }, { bankAccountId }],
    spending: [{ spendingId: ids.spendingId }],
  })
})
