import { readFile } from 'node:fs/promises'
import { paginate } from '@coffer/client'
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

test.each(['.', ','] as const)('a list with %j is imported as equal rows', async (decimalMark) => {
  const { client } = alice
  const [{ bank }, { bank: other }] = [
    await alice.createBankAccount(0),
    await alice.createBankAccount(0),
  ]
  const names = ['=1+1', "'-5", "''@a", '－5;=2', "a,'=2", 'a, "b"', "'s Hof", 'Café', '+49 30']
  const date = '2026-01-31T06:00:00Z'
  const plain = Array.from({ length: 600 }, (_, at) => `Row ${at}`)
  const bookings = [...names, ...plain].map((name, at) => {
    return { name, date, amount: at * 250 - 5, isPending: at === 1, notes: '=1\n-' }
  })
  // The file has more than one page.
  for (const transactions of [bookings.slice(0, 300), bookings.slice(300)]) {
    await client.createTransactions({ ...bank, body: { transactions } })
  }
  const headers = { Accept: 'text/csv' }
  const query = { decimalMark }
  const sent = await client.listTransactions({ ...bank, query, headers })
  const file = sent.data as unknown as string
  const { made, one } = await createImport(other, file)
  const mapping: CreateMappingData['body']['mapping'] = {
    headers: made.headers,
    id: { kind: 'native', fields: [{ name: 'Transaction ID' }] },
    amount: { kind: 'sign', invert: true, fields: [{ name: 'Amount' }] },
    memo: { name: 'Original name' },
    merchant: { name: 'Name' },
    date: { fields: [{ name: 'Date' }], format: 'YYYY-MM-DD' },
    posted: { fields: [{ name: 'Status' }], posted: 'posted' },
    balance: { kind: 'none' },
  }
  const { transactionImportMappingId } = (await client.createMapping({ body: { mapping } })).data
  await advance(one, { transactionImportMappingId, status: 'pending-preview' }, 'preview')
  await advance(one, { status: 'pending-processing' }, 'complete')
  const rowsOf = async (of: Bank) => {
    const rows: string[] = []
    for await (const row of paginate(client.listTransactions, { ...of, query: { limit: 100 } })) {
      const { name, originalName, amount, date, isPending } = row
      rows.push(JSON.stringify({ name, originalName, amount, date, isPending }))
    }
    return rows.sort()
  }
  expect(await rowsOf(other)).toEqual(await rowsOf(bank))

  const mallory = await coffer.person()
  await expect(mallory.client.listTransactions({ ...bank, headers })).rejects.toMatchObject({
    status: 404,
  })
})
