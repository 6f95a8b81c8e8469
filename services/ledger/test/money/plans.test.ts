import { type Timestamp, timestampFromDate } from '@bufbuild/protobuf/wkt'
import { loadSigner } from '@coffer/host/rpc/signing-key'
import { eventually } from '@coffer/host/testing/boot'
import { booting } from '@coffer/host/testing/booting'
import { fillFrom } from '@coffer/host/testing/database'
import { createHousehold, type Household } from '@coffer/host/testing/household'
import { systemCaller } from '@coffer/kit/rpc/caller'
import { asCaller, headers } from '@coffer/kit/rpc/rpc'
import { slowScans, wideScans } from '@coffer/kit/testing/plans'
import { newId } from '@coffer/kit/values/id'
import { FileService } from '@coffer/proto/ledger/v1/file'
import { HistoryService } from '@coffer/proto/ledger/v1/history'
import { ImportService } from '@coffer/proto/ledger/v1/import'
import { MappingService } from '@coffer/proto/ledger/v1/mapping'
import { ScheduledService } from '@coffer/proto/ledger/v1/scheduled'
import { SimilarService } from '@coffer/proto/ledger/v1/similar'
import { expect, test } from '@jest/globals'
import { sql } from 'slonik'
import { z } from 'zod'
import { ledger } from '../../src/service.ts'
import { importing } from '../imports/importing.ts'
import { importFile } from '../imports/uploading.ts'
import { neighbours } from '../neighbours.ts'
import { searchInEveryWay } from '../similar/searching.ts'
import { aRow, assign, feedHome, syncedHome } from '../syncs/syncing.ts'
import { runSweep } from '../tenancy/sweeping.ts'

const booted = booting([ledger, ...neighbours()], { COFFER_SIMILAR_QUIET_SECONDS: '0.1' })

const tenantTables = [
  'links',
  'bank_accounts',
  'envelopes',
  'transactions',
  'journal',
  'operations',
  'bulk_operations',
  'uploads',
  'files',
  'transaction_imports',
  'provider_accounts',
  'provider_account_ids',
  'provider_transactions',
  'transaction_import_mappings',
  'account_settings',
  'idempotency_keys',
]

/** Returns two bookings of the hourly job: a funding of an envelope, and the end of its period. */
function bookingsOf(
  { accountId, bankAccountId }: Household,
  of: { spendingId: string; fundingScheduleId: string; due: Timestamp },
) {
  const { spendingId, fundingScheduleId, due } = of
  const run = { bankAccountId, fundingRunId: newId('run'), fundingScheduleId }
  const funding = { ...run, lines: [{ spendingId, amount: 5n }] }
  const end = { bankAccountId, spendingId, due, targetAmount: 9n }
  return [
    { accountId, operation: { case: 'funding' as const, value: funding } },
    { accountId, operation: { case: 'periodEnd' as const, value: end } },
  ]
}

/** Calls, at least once, every RPC that the gateway and budgeting use. */
async function useEverything(home: Household): Promise<void> {
  const { accountId, as, linkId, bankAccountId } = home
  const { links, accounts, envelopes, transactions } = home
  const keyed = { ...as, headers: { [headers.idempotencyKey]: newId('k') } }
  await links.listLinks({}, as)
  await links.getLink({ linkId }, as)
  await links.updateLink({ linkId, description: 'x', updateMask: { paths: ['description'] } }, as)
  await accounts.listBankAccounts({}, as)
  await accounts.listBankAccounts({ linkId }, as)
  await accounts.listOverviews({}, as)
  await accounts.getBalances({ bankAccountId }, as)
  const renamed = { name: 'Main', updateMask: { paths: ['name'] } }
  await accounts.updateBankAccount({ bankAccountId, ...renamed }, as)
  const spendingId = newId('spnd')
  await envelopes.openEnvelope({ bankAccountId, spendingId, spendingType: 'expense' }, as)
  await envelopes.listEnvelopes({ bankAccountId, withOverspent: true }, as)
  const both = { bankAccountIds: [bankAccountId], spendingIds: [spendingId] }
  await envelopes.findEnvelopes(both, as)
  await envelopes.transfer({ bankAccountId, toSpendingId: spendingId, amount: 500n }, keyed)
  const date = timestampFromDate(new Date('2026-03-02T06:00:00Z'))
  const bill = { bankAccountId, amount: 70n, date, name: 'Bill', spendingId }
  const { transaction } = await transactions.createTransaction(bill, as)
  await transactions.createTransactions({ bankAccountId, transactions: [bill, bill] }, as)
  const { spendingId: refundSpendingId, ...named } = bill
  await transactions.createTransaction({ ...named, amount: -7n, refundSpendingId }, as)
  const key = { bankAccountId, transactionId: transaction?.transactionId ?? '' }
  const page = { bankAccountId, limit: 25, offset: 0 }
  await transactions.listTransactions(page, as)
  await transactions.listTransactions({ ...page, spendingId }, as)
  await searchInEveryWay(booted.database('ledger'), { accountId, bankAccountId, spendingId })
  await transactions.getTransaction(key, as)
  await booted.client('ledger', HistoryService).listHistory({ bankAccountId, limit: 25 }, as)
  const ofEnvelope = { bankAccountId, spendingId, limit: 25 }
  await booted.client('ledger', HistoryService).listHistory(ofEnvelope, as)
  await booted.client('ledger', SimilarService).getCluster(key, as)
  await searchSimilar()
  await transactions.updateTransaction(
    { ...key, amount: 80n, updateMask: { paths: ['amount'] } },
    as,
  )
  await transactions.deleteTransaction({ ...key, adjustsBalance: true, soft: true }, as)
  await transactions.restoreTransaction(key, keyed)
  await transactions.deleteTransaction({ ...key, adjustsBalance: true, soft: false }, as)
  const caller = systemCaller(loadSigner(booted.keysFolder, 'budgeting'), accountId, new Date())
  const budgeting = asCaller(caller)
  await accounts.describeBankAccount({ bankAccountId }, budgeting)
  const fundingScheduleId = newId('fund')
  const bookings = bookingsOf(home, { spendingId, fundingScheduleId, due: date })
  await booted.client('ledger', ScheduledService).book({ bookings }, budgeting)
  await transactions.forgetSchedule({ bankAccountId, fundingScheduleId }, budgeting)
  await envelopes.closeEnvelope({ bankAccountId, spendingId }, as)
  await importFile(home, 'truncated.ofx')
  const { transactionUploadId } = await importFile(home, 'equal-rows.ofx')
  await home.uploads.undoUpload({ bankAccountId, transactionUploadId }, as)
  await booted.client('ledger', FileService).listFiles({}, as)
  await importing(booted).processed(home)
  const older = { bankAccountId, before: transactionUploadId, limit: 25 }
  await home.uploads.listUploads(older, as)
  await booted.client('ledger', ImportService).listImports(older, as)
  await booted.client('ledger', MappingService).listMappings({ limit: 10, offset: 0 }, as)
  await booted.client('ledger', MappingService).listMappings({ signature: 'x', limit: 1 }, as)
  await useSyncs()
  await accounts.archiveBankAccount({ bankAccountId }, as)
  await deleteLink(home)
}

const Link = z.object({ cleanedAt: z.date().nullable() })

/** Deletes a link, and waits until the rows of its bank accounts are deleted. */
async function deleteLink(home: Pick<Household, 'links' | 'accountId' | 'linkId' | 'as'>) {
  const { links, accountId, linkId, as } = home
  await links.deleteLink({ linkId }, as)
  await eventually(
    () =>
      booted.database('ledger').pool.oneFirst(sql.type(Link)`
        SELECT cleaned_at AS "cleanedAt" FROM links
        WHERE account_id = ${accountId} AND link_id = ${linkId}`),
    (instant) => instant !== null,
    60_000,
  )
}

/**
 * Waits until the bank account was not changed for a while, and runs the search for similar
 * transactions.
 */
async function searchSimilar(): Promise<void> {
  await eventually(
    async () => {
      await runSweep(booted, 'findWaitingSimilar')
      return booted.database('ledger').texts()
    },
    (texts) => texts.some((text) => text.includes('INSERT INTO transaction_clusters')),
  )
}

/** Calls every RPC that the sync services use, and reads the imported transactions. */
async function useSyncs(): Promise<void> {
  const home = await syncedHome(booted)
  const { sync, by, linkId, bankAccountId, as } = home
  await sync.upsertBankAccounts({ linkId, accounts: [home.account], isComplete: true }, by)
  await sync.listSyncedBankAccounts({ linkId }, by)
  await sync.setBalances({ bankAccountId, availableBalance: 1n }, by)
  const [one] = await home.brings(aRow({ providerTransactionId: 'a', isPending: true }))
  await home.brings(aRow({ pendingProviderTransactionId: 'a' }))
  await sync.listProviderTransactions({ bankAccountId, from: '2026-03-01', after: 'a' }, by)
  await home.loses('a')
  await home.one(one?.transactionId)
  await assign(home, one?.transactionId, { name: 'Lunch' })
  await home.bankAccounts.getBankAccount({ bankAccountId }, as)
  await sync.detachLink({ linkId }, by)
  await deleteLink(home)
  const failed = await syncedHome(booted)
  await failed.sync.discardLink({ linkId: failed.linkId }, failed.by)
  const fed = await feedHome(booted)
  await fed.brings(aRow())
  await fed.brings(aRow({ isPending: true }))
  await deleteLink(fed)
}

test('every statement uses an index that starts with the account', async () => {
  const database = booted.database('ledger')
  const before = new Set(database.texts())
  await useEverything(await createHousehold(booted, { availableBalance: 1000n }))
  const statements = database.texts().filter((text) => !before.has(text))
  expect(statements.length).toBeGreaterThan(30)
  const place = { url: booted.databaseUrl, schema: 'ledger' }
  // The plans are checked before and after ANALYZE: before it, the planner estimates from the sizes
  // of the tables. Each of `tenantTables` needs rows: of an empty one a sequential scan is cheap.
  await fillFrom(place, new URL('./crowd.sql', import.meta.url))
  expect(await slowScans(place, { statements, tables: tenantTables })).toEqual([])
  await database.pool.query(sql.unsafe`ANALYZE`)
  expect(await slowScans(place, { statements, tables: tenantTables })).toEqual([])
  // Lists are read in their order: of one bank account by its ID, of all by the date. The crowd has
  // no deleted transactions: any index of these looks as good as the other.
  const lists = statements.filter((text) => /ORDER BY date DESC, transaction_id DESC/.test(text))
  const live = lists.filter((text) => !text.includes('deleted_at IS NOT NULL'))
  const ofAll = live.filter((text) => !text.includes('bank_account_id = '))
  const ofOne = live.filter((text) => text.includes('bank_account_id = '))
  expect([ofAll.length > 5, ofOne.length > 5]).toEqual([true, true])
  const tables = ['transactions']
  const columns = ['bank_account_id']
  expect(await wideScans(place, { statements: ofOne, tables, columns })).toEqual([])
  const byDate = { tables, columns: ['date', 'ARRAY'] }
  expect(await wideScans(place, { statements: ofAll, ...byDate })).toEqual([])
  const ofEnvelopes = statements.filter((text) => text.includes('date >= period_from'))
  const byEnvelope = { statements: ofEnvelopes, tables, columns: ['spending_id'] }
  expect([ofEnvelopes.length, await wideScans(place, byEnvelope)]).toEqual([1, []])
})
