import { mkdtemp, rm } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { timestampFromDate } from '@bufbuild/protobuf/wkt'
import { newId } from '@coffer/kit/id'
import { type Booted, boot } from '@coffer/kit/testing/boot'
import { afterAll, beforeAll, expect, test } from '@jest/globals'
import { ledger } from '../src/service.ts'
import { type Household, household } from './household.ts'
import { importFile, statementOf, undo } from './uploading.ts'
import { watchVersion } from './watching.ts'

let booted: Booted
let dataDir: string

beforeAll(async () => {
  dataDir = await mkdtemp(join(tmpdir(), 'coffer-versions-'))
  booted = await boot([ledger], { COFFER_DATA_DIR: dataDir })
})

afterAll(async () => {
  await booted[Symbol.asyncDispose]()
  await rm(dataDir, { recursive: true, force: true })
})

const date = timestampFromDate(new Date('2026-03-02T06:00:00Z'))

/** What users do to a bank account; each does what has to be done before it by itself. */
const writes: Record<string, (home: Household, spendingId: string) => Promise<unknown>> = {
  'opening an envelope': ({ envelopes, bankAccountId, as }) => {
    const spendingId = newId('spnd')
    return envelopes.openEnvelope({ bankAccountId, spendingId, spendingType: 'goal' }, as)
  },
  'moving money': ({ envelopes, bankAccountId, as }, toSpendingId) =>
    envelopes.transfer({ bankAccountId, toSpendingId, amount: 5n }, as),
  'closing an envelope': ({ envelopes, bankAccountId, as }, spendingId) =>
    envelopes.closeEnvelope({ bankAccountId, spendingId }, as),
  'a transaction': (home) => bill(home),
  'a transaction from an envelope': (home, spendingId) => bill(home, { spendingId }),
  'a change of a transaction': async (home) => {
    const update = { name: 'Gas', updateMask: { paths: ['name'] } }
    return home.transactions.updateTransaction({ ...(await bill(home)), ...update }, home.as)
  },
  'a deletion that leaves the row': async (home) =>
    home.transactions.deleteTransaction({ ...(await bill(home)), soft: true }, home.as),
  'a deletion': async (home) => home.transactions.deleteTransaction(await bill(home), home.as),
  'an import': (home) => importFile(home, statementOf({ a: '-1.00' })),
  'undoing an import': async (home) => {
    const { transactionUploadId } = await importFile(home, statementOf({ a: '-1.00', b: '-2.00' }))
    return undo(home, transactionUploadId)
  },
}

async function bill({ transactions, bankAccountId, as }: Household, more: object = {}) {
  const body = { bankAccountId, amount: 70n, date, name: 'Bill', ...more }
  const { transaction } = await transactions.createTransaction(body, as)
  return { bankAccountId, transactionId: transaction?.transactionId ?? '' }
}

test.each(Object.entries(writes))('%s raises the version', async (_, write) => {
  const home = await household(booted, { availableBalance: 1000n })
  const { envelopes, bankAccountId, as } = home
  const spendingId = newId('spnd')
  await envelopes.openEnvelope({ bankAccountId, spendingId, spendingType: 'expense' }, as)
  const hasRisen = watchVersion(booted.database('ledger'), home)
  await hasRisen()
  expect(await hasRisen()).toBe(false)
  await write(home, spendingId)
  expect(await hasRisen()).toBe(true)
  expect(await hasRisen()).toBe(false)
})
