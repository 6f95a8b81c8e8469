import { readFile } from 'node:fs/promises'
import { eventually } from '@coffer/host/testing/boot'
import { afterAll, beforeAll, expect, test } from '@jest/globals'
import { type Coffer, startCoffer } from '../harness/coffer.ts'
import type { Json, Person } from '../harness/person.ts'

let coffer: Coffer
let alice: Person

beforeAll(async () => {
  coffer = await startCoffer()
  alice = await coffer.person()
})

afterAll(async () => {
  await coffer[Symbol.asyncDispose]()
})

async function uploads(person: Person, path: string, file: string): Promise<Json> {
  const form = new FormData()
  const content = await readFile(new URL(`../data/${file}`, import.meta.url))
  form.set('data', new File([new Uint8Array(content)], file, { type: 'application/vnd.intu.QFX' }))
  const { status, body } = await person.call('POST', `${path}/transactions/upload`, { form })
  expect(status).toBe(200)
  return body
}

/** Returns the frames that report an upload's progress, until the server closes the socket. */
async function follow(person: Person, path: string): Promise<Json[]> {
  const [, , bankAccountId = '', , , transactionUploadId = ''] = path.split('/')
  const frames: Json[] = []
  const place = { bankAccountId, transactionUploadId }
  for await (const frame of person.client.watchUpload({ path: place })) frames.push(frame)
  return frames
}

test('an export that is uploaded twice is stored once', async () => {
  const { path } = await alice.createBankAccount(0)
  const first = await uploads(alice, path, 'checking.qfx')
  expect(first).toMatchObject({ status: 'pending', file: { kind: 'transactions/uploads' } })
  const frames = await follow(alice, `${path}/transactions/upload/${first.transactionUploadId}`)
  expect(frames[0]).toMatchObject({ transactionUploadId: first.transactionUploadId })
  expect(frames.at(-1)).toEqual({ status: 'complete', importedCount: 316, skippedCount: 0 })
  const read = () => alice.get(`${path}/transactions/upload/${first.transactionUploadId}`)
  const done = await eventually(read, ({ status }) => status === 'complete')
  expect(done.importedCount).toBeGreaterThanOrEqual(300)
  const balances = await alice.get(`${path}/balances`)

  const again = await uploads(alice, path, 'checking.qfx')
  const repeated = await eventually(
    () => alice.get(`${path}/transactions/upload/${again.transactionUploadId}`),
    ({ status }) => status === 'complete',
  )
  expect(repeated).toMatchObject({ importedCount: 0, skippedCount: done.importedCount })
  expect(await alice.get(`${path}/balances`)).toEqual(balances)
})

test('an import is undone completely, and the plans follow', async () => {
  const { path } = await alice.createBankAccount(10_000)
  const { fundingScheduleId } = await alice.post(`${path}/funding_schedules`, {
    name: 'Pay',
    ruleset: 'DTSTART:20260115T060000Z\nRRULE:FREQ=MONTHLY;INTERVAL=1;BYMONTHDAY=15,-1',
  })
  const { spendingId } = await alice.post(`${path}/spending`, {
    spendingType: 'goal',
    name: 'Bike',
    fundingScheduleId,
    targetAmount: 50_000,
    nextRecurrence: `${new Date().getUTCFullYear() + 2}-01-01T06:00:00Z`,
  })
  const transfer = { fromSpendingId: null, toSpendingId: spendingId, amount: 1_000 }
  await alice.post(`${path}/spending/transfer`, transfer)
  const before = await alice.get(`${path}/balances`)
  const { transactionUploadId } = await uploads(alice, path, 'checking.qfx')
  const upload = `${path}/transactions/upload/${transactionUploadId}`
  const done = await eventually(
    () => alice.get(upload),
    ({ status }) => status === 'complete',
  )
  const [first] = await alice.get(`${path}/transactions`)
  const assigned = await alice.call('PATCH', `${path}/transactions/${first.transactionId}`, {
    body: { spendingId },
  })
  expect(assigned.body.spending).toMatchObject([{ currentAmount: 0, usedAmount: 1_000 }])

  const undone = await alice.call('DELETE', upload)
  expect([undone.status, undone.body]).toEqual([
    200,
    {
      balance: before,
      spending: [expect.objectContaining({ spendingId, currentAmount: 1_000, usedAmount: 0 })],
    },
  ])
  expect(await alice.get(`${path}/transactions`)).toEqual([])
  expect(await alice.get(`${path}/spending/${spendingId}`)).toMatchObject({ currentAmount: 1_000 })
  expect(await alice.get(upload)).toMatchObject({ undoneAt: expect.any(String) })
  expect(await alice.get(`${path}/transactions/upload`)).toMatchObject([
    { transactionUploadId, isUndoable: false, file: { name: 'checking.qfx' } },
  ])
  expect((await alice.call('DELETE', upload)).body).toEqual({ balance: before, spending: [] })
  const again = await uploads(alice, path, 'checking.qfx')
  const repeated = await eventually(
    () => alice.get(`${path}/transactions/upload/${again.transactionUploadId}`),
    ({ status }) => status === 'complete',
  )
  expect(repeated).toMatchObject({ importedCount: done.importedCount, skippedCount: 0 })
})
