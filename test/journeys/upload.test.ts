import { readFile } from 'node:fs/promises'
import type { Upload } from '@coffer/client/types'
import { eventually } from '@coffer/host/testing/boot'
import { started } from '@coffer/host/testing/started'
import { beforeAll, expect, test } from '@jest/globals'
import { startCoffer } from '../harness/coffer.ts'
import { createGoal } from '../harness/goal.ts'
import type { Bank, Person } from '../harness/person.ts'

let alice: Person

const coffer = started(() => startCoffer())

beforeAll(async () => {
  alice = await coffer.person()
})

/** Uploads half a year of transactions. Returns the upload, and the options of calls about it. */
async function createUpload(bank: Bank) {
  const content = await readFile(new URL('../data/checking.qfx', import.meta.url))
  const type = 'application/vnd.intu.QFX'
  const data = new File([new Uint8Array(content)], 'checking.qfx', { type })
  const { data: upload } = await alice.client.createUpload({ ...bank, body: { data } })
  const { transactionUploadId } = upload
  return { upload, one: { path: { ...bank.path, transactionUploadId } } }
}

async function importAll(bank: Bank): Promise<Upload> {
  const { one } = await createUpload(bank)
  return untilComplete(one)
}

function untilComplete(one: { path: Bank['path'] & { transactionUploadId: string } }) {
  const read = async () => (await alice.client.getUpload(one)).data
  return eventually(read, ({ status }) => status === 'complete')
}

test('an export that is uploaded twice is stored once', async () => {
  const { bank } = await alice.createBankAccount(0)
  const { upload, one } = await createUpload(bank)
  expect(upload).toMatchObject({ status: 'pending', file: { kind: 'transactions/uploads' } })
  const frames: object[] = []
  for await (const frame of alice.client.watchUpload(one)) frames.push(frame)
  expect(frames[0]).toMatchObject({ transactionUploadId: upload.transactionUploadId })
  const others = { joinedCount: 0, knownCount: 0, skippedCount: 0, skipped: [] }
  const counts = { rowCount: 316, importedCount: 316, ...others }
  expect(frames.at(-1)).toEqual({ status: 'complete', ...counts })
  const { importedCount } = await untilComplete(one)
  expect(importedCount).toBe(316)
  const { data: balances } = await alice.client.getBalances(bank)

  const again = await importAll(bank)
  expect(again).toMatchObject({ importedCount: 0, skippedCount: importedCount })
  expect((await alice.client.getBalances(bank)).data).toEqual(balances)
})

test.each([
  [`!Type:Bank\nD01/15'26\nT-5.00\nPShop\n^\n`, 'note', 'QIF_WITHOUT_BALANCES'],
  ["!Type:Bank\nD01/15'26\nT-1,234\nPShop\n^\n", 'error', 'MARK_UNCLEAR'],
])('the last frame of %j has its %s', async (content, text, code) => {
  const { bank } = await alice.createBankAccount(0)
  const data = new File([content], 'one.qif')
  const { transactionUploadId } = (await alice.client.createUpload({ ...bank, body: { data } }))
    .data
  const one = { path: { ...bank.path, transactionUploadId } }
  const frames: object[] = []
  for await (const frame of alice.client.watchUpload(one)) frames.push(frame)
  const { data: upload } = await alice.client.getUpload(one)
  const codedAs = text === 'note' ? 'codedNote' : 'codedError'
  const { [text]: shown, [codedAs]: coded } = upload as unknown as Record<string, unknown>
  expect(coded).toMatchObject({ code })
  expect(frames.at(-1)).toMatchObject({ [text]: shown, [codedAs]: coded })
})

test('an import is undone completely, and the plans follow', async () => {
  const { client } = alice
  const { bank, spendingId } = await createGoal(alice, 1_000)
  const envelope = { path: { ...bank.path, spendingId } }
  const { data: before } = await client.getBalances(bank)
  const { upload, one } = await createUpload(bank)
  const { importedCount } = await untilComplete(one)
  const [first] = (await client.listTransactions(bank)).data
  const transactionId = first?.transactionId ?? ''
  const assigned = await client.updateTransaction({
    path: { ...bank.path, transactionId },
    body: { spendingId },
  })
  expect(assigned.data.spending).toMatchObject([{ currentAmount: 0, usedAmount: 1_000 }])

  expect((await client.undoUpload(one)).data).toEqual({
    balance: before,
    spending: [expect.objectContaining({ spendingId, currentAmount: 1_000, usedAmount: 0 })],
  })
  expect((await client.listTransactions(bank)).data).toEqual([])
  expect((await client.getSpending(envelope)).data).toMatchObject({ currentAmount: 1_000 })
  expect((await client.getUpload(one)).data).toMatchObject({ undoneAt: expect.any(String) })
  const { transactionUploadId } = upload
  expect((await client.listUploads(bank)).data).toMatchObject([
    { transactionUploadId, isUndoable: false, file: { name: 'checking.qfx' } },
  ])
  expect((await client.undoUpload(one)).data).toEqual({ balance: before, spending: [] })
  expect(await importAll(bank)).toMatchObject({ importedCount, skippedCount: 0 })
})

test('a pending payment that is joined to a row is posted until the undo', async () => {
  const { client } = alice
  const { bank } = await alice.createBankAccount(10_000)
  const typed = { name: 'Grocer', amount: 1_250, date: '2026-01-08T00:00:00Z' }
  const made = { ...typed, isPending: true, adjustsBalance: true }
  const { data: first } = await client.createTransaction({ ...bank, body: made })
  const { transaction, balance: held } = first
  const content = "!Type:Bank\nD01/15'26\nT-12.50\nPGROCER MAIN ST\n^\n"
  const data = new File([content], 'one.qif')
  const query = { preview: true }
  const { preview } = (await client.createUpload({ ...bank, query, body: { data } })).data
  const [offer] = preview?.joinOffers ?? []
  const { transactionId } = transaction
  expect(offer).toMatchObject({ transactionId, transactionIsPending: true })
  const joins = [{ uploadIdentifier: offer?.uploadIdentifier ?? '', transactionId }]
  const { data: upload } = await client.createUpload({ ...bank, body: { joins, data } })
  const { transactionUploadId } = upload
  const one = { path: { ...bank.path, transactionUploadId } }
  expect(await untilComplete(one)).toMatchObject({ importedCount: 0, joinedCount: 1 })
  const stored = async () => (await client.listTransactions(bank)).data
  expect(await stored()).toMatchObject([{ transactionId, isPending: false, name: 'Grocer' }])
  const balances = { current: 8_750, available: 8_750 }
  expect((await client.getBalances(bank)).data).toMatchObject(balances)
  expect((await client.undoUpload(one)).data).toMatchObject({ balance: held })
  expect(await stored()).toMatchObject([{ transactionId, isPending: true }])
})
