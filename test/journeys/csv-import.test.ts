import { readFile } from 'node:fs/promises'
import type { CreateMappingData, Import, UpdateImportData } from '@coffer/client/types'
import { eventually } from '@coffer/host/testing/boot'
import { started } from '@coffer/host/testing/started'
import { beforeAll, expect, test } from '@jest/globals'
import { startCoffer } from '../harness/coffer.ts'
import type { Bank, Person } from '../harness/person.ts'
import { signMapping } from '../harness/sign-mapping.ts'

let alice: Person

const coffer = started(() => startCoffer())

beforeAll(async () => {
  alice = await coffer.person()
})

type Step = UpdateImportData['body']
type One = { path: Bank['path'] & { transactionImportId: string } }

/** Uploads a CSV file. Returns the import, and the options of calls about it. */
async function createImport(bank: Bank, content: string): Promise<{ made: Import; one: One }> {
  const data = new File([content], 'june.csv', { type: 'text/csv' })
  const { data: made } = await alice.client.createImport({ ...bank, body: { data } })
  const { transactionImportId } = made
  return { made, one: { path: { ...bank.path, transactionImportId } } }
}

/** Takes the next step of an import, and waits until it has the status. */
async function advance(one: One, body: Step, wanted: Import['status']): Promise<Import> {
  await alice.client.updateImport({ ...one, body })
  const ends = [wanted, 'failed', 'expired']
  const read = async () => (await alice.client.getImport(one)).data
  const found = await eventually(read, ({ status }) => ends.includes(status))
  expect(found.status).toBe(wanted)
  return found
}

test('a CSV file is mapped, previewed and stored; its mapping is found again', async () => {
  const { client } = alice
  const { bank } = await alice.createBankAccount(0)
  const content = await readFile(new URL('../data/sign.csv', import.meta.url), 'utf8')
  const { made, one } = await createImport(bank, content)
  expect(made).toMatchObject({ status: 'mapping', transactionImportMappingId: null })
  const { data: mapping } = await client.createMapping({ body: signMapping(made.headers) })
  const { transactionImportMappingId } = mapping
  const choice: Step = { transactionImportMappingId, status: 'pending-preview' }
  const { preview } = await advance(one, choice, 'preview')
  expect(preview).toMatchObject({ rowCount: 4, newCount: 4, duplicateCount: 0 })
  expect((await client.listTransactions(bank)).data).toEqual([])
  const done = await advance(one, { status: 'pending-processing' }, 'complete')
  const { data: stored } = await client.listTransactions(bank)
  expect(stored.map(({ amount }) => amount)).toEqual([9000, 475, -150000, 500])
  const transactionUploadId = done.transactionUploadId ?? ''
  const upload = await client.getUpload({ path: { ...bank.path, transactionUploadId } })
  expect(upload.data).toMatchObject({ status: 'complete', importedCount: 4, skippedCount: 0 })
  expect((await client.getBalances(bank)).data.current).toBe(149025)
  expect((await client.listImports(bank)).data).toMatchObject([
    { status: 'complete', preview: null, upload: { importedCount: 4, isUndoable: true } },
  ])

  const again = await createImport(bank, content)
  expect(again.made.signature).toBe(mapping.signature)
  const { signature } = again.made
  expect((await client.listMappings({ query: { signature } })).data).toEqual([mapping])
  const repeated = await advance(again.one, choice, 'preview')
  expect(repeated.preview).toMatchObject({ newCount: 0, duplicateCount: 4 })
})

test('of ten thousand rows fifty are previewed, and all are stored', async () => {
  const { client } = alice
  const { bank } = await alice.createBankAccount(0)
  const rows = Array.from({ length: 10_000 }, (_, index) => `2026-01-15,Row ${index % 50},-0.01`)
  const { made, one } = await createImport(bank, ['Date,Text,Amount', ...rows].join('\n'))
  const mapping: CreateMappingData['body']['mapping'] = {
    headers: made.headers,
    id: { kind: 'hashed', fields: [{ name: 'Date' }, { name: 'Text' }] },
    amount: { kind: 'sign', invert: true, fields: [{ name: 'Amount' }] },
    memo: { name: 'Text' },
    date: { fields: [{ name: 'Date' }], format: 'YYYY-MM-DD' },
    balance: { kind: 'sum' },
  }
  const { transactionImportMappingId } = (await client.createMapping({ body: { mapping } })).data
  const choice: Step = { transactionImportMappingId, status: 'pending-preview' }
  const { preview } = await advance(one, choice, 'preview')
  expect(preview).toMatchObject({ rowCount: 10_000, newCount: 10_000, currentBalance: -10_000 })
  expect(preview?.rows).toHaveLength(50)
  const done = await advance(one, { status: 'pending-processing' }, 'complete')
  const transactionUploadId = done.transactionUploadId ?? ''
  const upload = await client.getUpload({ path: { ...bank.path, transactionUploadId } })
  expect(upload.data).toMatchObject({ importedCount: 10_000, skippedCount: 0 })
  expect((await client.getBalances(bank)).data.current).toBe(-10_000)
})
