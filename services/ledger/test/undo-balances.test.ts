import { mkdtemp, rm } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { type Booted, boot } from '@coffer/kit/testing/boot'
import { afterAll, beforeAll, describe, expect, test } from '@jest/globals'
import { auditLedger } from '../src/audit.sql.ts'
import { ledger } from '../src/service.ts'
import { type Household, household } from './household.ts'
import { importFile, opening, statementOf, undo } from './uploading.ts'

let booted: Booted
let dataDir: string

beforeAll(async () => {
  dataDir = await mkdtemp(join(tmpdir(), 'coffer-undo-'))
  booted = await boot([ledger], { COFFER_DATA_DIR: dataDir })
})

afterAll(async () => {
  expect(await auditLedger(booted.database('ledger'))).toEqual([])
  await booted[Symbol.asyncDispose]()
  await rm(dataDir, { recursive: true, force: true })
})

async function setCurrent({ accounts, bankAccountId, as }: Household, currentBalance: bigint) {
  const updateMask = { paths: ['current_balance'] }
  await accounts.updateBankAccount({ bankAccountId, currentBalance, updateMask }, as)
}

describe('what was stated after the import', () => {
  const a = (id: string) => statementOf({ [id]: '-1.00' }, { ledger: '600.00', asOf: '20260101' })
  const b = (id: string) => statementOf({ [id]: '-1.00' }, { ledger: '700.00', asOf: '20260201' })

  test('by another file stays, and undoing that too leads back to the start', async () => {
    const home = await household(booted, opening)
    const first = await importFile(home, a('1'))
    const second = await importFile(home, b('2'))
    await undo(home, first.transactionUploadId)
    expect(await home.balances()).toMatchObject({ current: 70000n })
    await undo(home, second.transactionUploadId)
    expect(await home.balances()).toMatchObject({ current: 50000n })
    await importFile(home, a('3'))
    expect(await home.balances()).toMatchObject({ current: 60000n })
  })

  test('in the other order leads back step by step', async () => {
    const home = await household(booted, opening)
    const first = await importFile(home, a('1'))
    const second = await importFile(home, b('2'))
    await undo(home, second.transactionUploadId)
    expect(await home.balances()).toMatchObject({ current: 60000n })
    await undo(home, first.transactionUploadId)
    expect(await home.balances()).toMatchObject({ current: 50000n })
  })

  test('stays even where it said what was known already', async () => {
    const home = await household(booted, opening)
    const first = await importFile(home, a('1'))
    await importFile(home, a('2'))
    await undo(home, first.transactionUploadId)
    expect(await home.balances()).toMatchObject({ current: 60000n })
  })

  test.each([12345n, 60000n])('by hand stays: %d', async (amount) => {
    const home = await household(booted, opening)
    const { transactionUploadId } = await importFile(home, a('1'))
    await setCurrent(home, amount)
    await undo(home, transactionUploadId)
    expect(await home.balances()).toMatchObject({ current: amount })
  })

  test('is kept apart from what came and went', async () => {
    const home = await household(booted, opening)
    const { transactions, bankAccountId, as } = home
    const { transactionUploadId } = await importFile(home, a('1'))
    const date = { seconds: 1_768_500_000n }
    const lunch = { bankAccountId, name: 'Lunch', amount: 1250n, date, adjustsBalance: true }
    await transactions.createTransaction(lunch, as)
    await undo(home, transactionUploadId)
    expect(await home.balances()).toMatchObject({ current: 48750n, available: 38750n })
  })
})
