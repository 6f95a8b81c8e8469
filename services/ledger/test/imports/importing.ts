import { readFile } from 'node:fs/promises'
import { type Booted, eventually } from '@coffer/host/testing/boot'
import type { Household } from '@coffer/host/testing/household'
import { ImportService } from '@coffer/proto/ledger/v1/import'
import { MappingService } from '@coffer/proto/ledger/v1/mapping'
import { partsOf } from './file-parts.ts'

export const headers = [
  'Transaction ID',
  'Posting Date',
  'Description',
  'Merchant',
  'Amount',
  'Balance',
  'Status',
]

/** Mapping of the CSV columns in `headers` to the fields of a transaction. */
export const mapping = {
  headers,
  id: { kind: 'native', fields: [{ name: 'Transaction ID' }] },
  amount: { kind: 'sign', invert: true, fields: [{ name: 'Amount' }] },
  memo: { name: 'Description' },
  merchant: { name: 'Merchant' },
  date: { fields: [{ name: 'Posting Date' }], format: 'MM/DD/YYYY' },
  posted: { fields: [{ name: 'Status' }], posted: 'Posted' },
  balance: { kind: 'field', fields: [{ name: 'Balance' }] },
}

/** Returns the bytes of a file in `test/data`. */
export function fixture(name: string): Promise<Buffer> {
  return readFile(new URL(`../../../../test/data/${name}`, import.meta.url))
}

/** Returns RPC clients, and functions for the steps of a CSV import. */
export function importing(booted: Booted) {
  const imports = booted.client('ledger', ImportService)
  const mappings = booted.client('ledger', MappingService)

  async function createImport({ bankAccountId, as }: Household, content?: Uint8Array) {
    const bytes = content ?? (await fixture('sign.csv'))
    const body = { bankAccountId, name: 'export.csv', content: bytes }
    const { import: made } = await imports.createImport(partsOf(body), as)
    if (!made) throw new Error('no import')
    return made
  }

  async function createMapping({ as }: Household, changes: object = {}) {
    const { mapping: made } = await mappings.createMapping(
      { mapping: { ...mapping, ...changes } },
      as,
    )
    return made?.transactionImportMappingId ?? ''
  }

  /** Waits until the status of an import is one of `states`. Returns the import. */
  async function reached(home: Household, transactionImportId: string, states: string[]) {
    const key = { bankAccountId: home.bankAccountId, transactionImportId }
    const found = await eventually(
      async () => (await imports.getImport(key, home.as)).import,
      (one) => states.includes(one?.status ?? ''),
    )
    if (!found) throw new Error('the import is gone')
    return found
  }

  /** Imports a CSV file until its preview is stored or fails. Returns the import. */
  async function previewed(home: Household, content?: Uint8Array) {
    const { transactionImportId } = await createImport(home, content)
    const transactionImportMappingId = await createMapping(home)
    const step = { transactionImportId, transactionImportMappingId, status: 'pending-preview' }
    await imports.updateImport({ bankAccountId: home.bankAccountId, ...step }, home.as)
    return reached(home, transactionImportId, ['preview', 'failed'])
  }

  /** Imports a CSV file to its end: preview, then processing. */
  async function processed(home: Household, content?: Uint8Array) {
    const { transactionImportId } = await previewed(home, content)
    const { bankAccountId, as } = home
    const step = { bankAccountId, transactionImportId, status: 'pending-processing' }
    await imports.updateImport(step, as)
    return reached(home, transactionImportId, ['complete', 'failed'])
  }

  return { imports, mappings, createImport, createMapping, reached, previewed, processed }
}
