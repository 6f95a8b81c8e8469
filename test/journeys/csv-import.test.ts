import { readFile } from 'node:fs/promises'
import { eventually } from '@coffer/host/testing/boot'
import { afterAll, beforeAll, expect, test } from '@jest/globals'
import { type Coffer, startCoffer } from '../harness/coffer.ts'
import type { Json, Person } from '../harness/person.ts'
import { signMapping } from '../harness/sign-mapping.ts'

let coffer: Coffer
let alice: Person

beforeAll(async () => {
  coffer = await startCoffer()
  alice = await coffer.person()
})

afterAll(async () => {
  await coffer[Symbol.asyncDispose]()
})

async function handsIn(path: string, content: string): Promise<Json> {
  const form = new FormData()
  form.set('data', new File([content], 'june.csv', { type: 'text/csv' }))
  const { status, body } = await alice.call('POST', `${path}/transactions/import`, { form })
  expect(status).toBe(200)
  return body
}

async function takesStep(url: string, step: object): Promise<void> {
  const { status } = await alice.call('PATCH', url, { body: step })
  expect(status).toBe(200)
}

async function reached(url: string, wanted: string): Promise<Json> {
  const ends = [wanted, 'failed', 'expired']
  const found = await eventually(
    () => alice.get(url),
    ({ status }) => ends.includes(status),
  )
  expect(found.status).toBe(wanted)
  return found
}

test('a CSV file is mapped, previewed and stored; its mapping is found again', async () => {
  const { path } = await alice.createBankAccount(0)
  const content = await readFile(new URL('../data/sign.csv', import.meta.url), 'utf8')
  const first = await handsIn(path, content)
  expect(first).toMatchObject({ status: 'mapping', transactionImportMappingId: null })
  const { transactionImportMappingId, signature } = await alice.post(
    '/mappings',
    signMapping(first.headers),
  )
  const url = `${path}/transactions/import/${first.transactionImportId}`
  await takesStep(url, { transactionImportMappingId, status: 'pending-preview' })
  const { preview } = await reached(url, 'preview')
  expect(preview).toMatchObject({ rowCount: 4, newCount: 4, duplicateCount: 0 })
  expect(await alice.get(`${path}/transactions`)).toEqual([])
  await takesStep(url, { status: 'pending-processing' })
  const done = await reached(url, 'complete')
  const stored = await alice.get(`${path}/transactions`)
  expect(stored.map((one: Json) => one.amount)).toEqual([9000, 475, -150000, 500])
  const upload = await alice.get(`${path}/transactions/upload/${done.transactionUploadId}`)
  expect(upload).toMatchObject({ status: 'complete', importedCount: 4, skippedCount: 0 })
  expect((await alice.get(`${path}/balances`)).current).toBe(149025)
  expect(await alice.get(`${path}/transactions/import`)).toMatchObject([
    { status: 'complete', preview: null, upload: { importedCount: 4, isUndoable: true } },
  ])

  const second = await handsIn(path, content)
  expect(second.signature).toBe(signature)
  const [known] = await alice.get(`/mappings?signature=${second.signature}`)
  expect(known.transactionImportMappingId).toBe(transactionImportMappingId)
  const again = `${path}/transactions/import/${second.transactionImportId}`
  await takesStep(again, { transactionImportMappingId, status: 'pending-preview' })
  expect((await reached(again, 'preview')).preview).toMatchObject({
    newCount: 0,
    duplicateCount: 4,
  })
})

test('of ten thousand rows fifty are previewed, and all are stored', async () => {
  const { path } = await alice.createBankAccount(0)
  const rows = Array.from({ length: 10_000 }, (_, index) => `2026-01-15,Row ${index % 50},-0.01`)
  const made = await handsIn(path, ['Date,Text,Amount', ...rows].join('\n'))
  const { transactionImportMappingId } = await alice.post('/mappings', {
    mapping: {
      headers: made.headers,
      id: { kind: 'hashed', fields: [{ name: 'Date' }, { name: 'Text' }] },
      amount: { kind: 'sign', invert: true, fields: [{ name: 'Amount' }] },
      memo: { name: 'Text' },
      date: { fields: [{ name: 'Date' }], format: 'YYYY-MM-DD' },
      balance: { kind: 'sum' },
    },
  })
  const url = `${path}/transactions/import/${made.transactionImportId}`
  await takesStep(url, { transactionImportMappingId, status: 'pending-preview' })
  const { preview } = await reached(url, 'preview')
  expect(preview).toMatchObject({ rowCount: 10_000, newCount: 10_000, currentBalance: -10_000 })
  expect(preview.rows).toHaveLength(50)
  await takesStep(url, { status: 'pending-processing' })
  const { transactionUploadId } = await reached(url, 'complete')
  const upload = await alice.get(`${path}/transactions/upload/${transactionUploadId}`)
  expect(upload).toMatchObject({ importedCount: 10_000, skippedCount: 0 })
  expect((await alice.get(`${path}/balances`)).current).toBe(-10_000)
})
