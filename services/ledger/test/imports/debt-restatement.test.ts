import { mkdtemp, rm } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { timestampFromDate } from '@bufbuild/protobuf/wkt'
import { type Booted, boot } from '@coffer/host/testing/boot'
import { createHousehold, type Household } from '@coffer/host/testing/household'
import { afterAll, beforeAll, expect, test } from '@jest/globals'
import { sql } from 'slonik'
import { restateDebts } from '../../src/imports/debt-restatement.service.ts'
import { auditLedger } from '../../src/money/audit.sql.ts'
import { createMoneyWriter } from '../../src/money/writer.service.ts'
import { ledger } from '../../src/service.ts'
import { anAccount, shown, syncedHome } from '../syncs/syncing.ts'
import { importFile, statementOf, undo } from './uploading.ts'

let booted: Booted
let dataDir: string

beforeAll(async () => {
  dataDir = await mkdtemp(join(tmpdir(), 'coffer-debts-'))
  booted = await boot([ledger], { COFFER_DATA_DIR: dataDir })
})

afterAll(async () => {
  expect(await auditLedger(booted.database('ledger'))).toEqual([])
  await booted[Symbol.asyncDispose]()
  await rm(dataDir, { recursive: true, force: true })
})

function restate() {
  const database = booted.database('ledger')
  return restateDebts({ database, ...createMoneyWriter({ database, clock: () => new Date() }) })
}

/** Rewrites the newest statement as a former version stored it: what is owed is positive. */
async function storeAsFormer(of: { accountId: string; bankAccountId: string }, shift: bigint) {
  const isOwn = sql.fragment`account_id = ${of.accountId} AND bank_account_id = ${of.bankAccountId}`
  await booted.database('ledger').pool.query(sql.unsafe`
    WITH shifted AS (
      UPDATE journal SET delta = delta + ${shift}, amount = amount + ${shift}
      WHERE entry_id = (SELECT max(entry_id) FROM journal WHERE ${isOwn} AND pot = 'current')
    ), former AS (UPDATE uploads SET owed_is_negative = NULL WHERE ${isOwn}
      AND transaction_upload_id = (SELECT max(transaction_upload_id) FROM uploads WHERE ${isOwn}))
    UPDATE bank_accounts SET current_balance = current_balance + ${shift}, version = version + 1
    WHERE ${isOwn}`)
}

type World = { home: Household; uploads: string[] }

const card = (ledgerBalance: string, asOf: string, available?: string) =>
  statementOf({ [asOf]: '-1.00' }, { ledger: ledgerBalance, asOf, ...(available && { available }) })

async function upload({ home, uploads }: World, text: string, kind: 'STMTRS' | 'CCSTMTRS') {
  const file = text.replaceAll('STMTRS', kind)
  uploads.push((await importFile(home, file)).transactionUploadId)
}

async function former(world: World, text: string, owed: bigint) {
  await upload(world, text, 'CCSTMTRS')
  await storeAsFormer(world.home, 2n * owed)
}

const steps: Record<string, (world: World) => Promise<unknown>> = {
  restate,
  'three at once': () => Promise.all([restate(), restate(), restate()]),
  'card of 250': (world) => former(world, card('-250.00', '20260117', '750.00'), 25_000n),
  'card of 300': (world) => former(world, card('-300.00', '20260118', '700.00'), 30_000n),
  'card without limit': (world) => former(world, card('-250.00', '20260117'), 25_000n),
  'card in credit': (world) => former(world, card('20.00', '20260117', '1020.00'), -2000n),
  'card today': (world) => upload(world, card('-310.00', '20260119', '690.00'), 'CCSTMTRS'),
  'bank file': async (world) => {
    await upload(world, card('-250.00', '20260117', '-250.00'), 'STMTRS')
    await storeAsFormer(world.home, 0n)
  },
  spend: ({ home: { transactions, bankAccountId, as } }) => {
    const date = timestampFromDate(new Date('2026-01-20T06:00:00Z'))
    const of = { bankAccountId, name: 'Deli', amount: 1000n, date, adjustsBalance: true }
    return transactions.createTransaction(of, as)
  },
  'by hand 90': ({ home: { accounts, bankAccountId, as } }) => {
    const patch = { currentBalance: 9000n, updateMask: { paths: ['current_balance'] } }
    return accounts.updateBankAccount({ bankAccountId, ...patch }, as)
  },
  undo: ({ home, uploads }) => undo(home, uploads.pop() ?? ''),
  'undo the first': ({ home, uploads }) => undo(home, uploads.shift() ?? ''),
}

const cases = `
  -250 | card of 250, restate
  -250 | card of 250, three at once, restate
  -260 | card of 250, spend, restate
  -260 | spend, card of 250, restate
  -260 | card of 250, restate, spend, restate
    20 | card in credit, restate
  -250 | card without limit, restate
  -250 | bank file, restate
    90 | card of 250, by hand 90, restate
  -310 | card of 250, card today, restate
  -250 | card of 250, card today, restate, undo
  -300 | card of 250, card of 300, restate
  -250 | card of 250, card of 300, restate, undo
  -250 | card of 250, restate, card of 300, restate, undo, restate
  -300 | card of 250, card of 300, restate, undo the first, restate
     0 | card of 250, card of 300, restate, undo, undo, restate
     0 | card of 250, card of 300, restate, undo the first, undo, restate
   -10 | card of 250, restate, spend, undo, restate
     0 | card of 250, undo, restate`

test('a card that a former version stored as positive becomes negative, as of today', async () => {
  const rows = cases.trim().split('\n')
  const seen = await Promise.all(
    rows.map(async (row) => {
      const [, words = ''] = row.split(' | ')
      const home = await createHousehold(booted, { accountType: 'credit' })
      const world: World = { home, uploads: [] }
      for (const word of words.split(', ')) await steps[word]?.(world)
      const { current = 0n } = (await home.balances()) ?? {}
      return `${String(current / 100n).padStart(6)} | ${words}`
    }),
  )
  expect(seen.map((row) => row.trim())).toEqual(rows.map((row) => row.trim()))
})

test('credit and loan accounts of the aggregator are restated once, others never', async () => {
  const types = ['credit', 'loan', 'depository']
  const balances = await Promise.all(
    types.map(async (accountType) => {
      const home = await syncedHome(booted)
      const account = anAccount({ accountType, currentBalance: 25_000n })
      const request = { linkId: home.linkId, accounts: [account] }
      const [made] = (await home.sync.upsertBankAccounts(request, home.by)).accounts
      const { bankAccountId = '' } = made ?? {}
      const held = async () => (await shown(home, bankAccountId))?.currentBalance
      const seen = [await held()]
      if (accountType !== 'depository')
        await storeAsFormer({ accountId: home.accountId, bankAccountId }, 50_000n)
      await Promise.all([restate(), restate()])
      seen.push(await held())
      await home.sync.upsertBankAccounts(request, home.by)
      return [accountType, ...seen, await held()]
    }),
  )
  expect(balances).toEqual([
    ['credit', -25_000n, -25_000n, -25_000n],
    ['loan', -25_000n, -25_000n, -25_000n],
    ['depository', 25_000n, 25_000n, 25_000n],
  ])
})
