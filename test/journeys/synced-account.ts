import { loadSigner } from '@coffer/host/rpc/signing-key'
import { eventually } from '@coffer/host/testing/boot'
import { systemCaller } from '@coffer/kit/rpc/caller'
import { asCaller } from '@coffer/kit/rpc/rpc'
import { SyncImportService } from '@coffer/proto/ledger/v1/sync_import'
import { expect } from '@jest/globals'
import { sql } from 'slonik'
import type { Coffer } from '../harness/coffer.ts'
import type { Json, Person } from '../harness/person.ts'

export const text = expect.any(String)
const account = {
  providerAccountId: 'acc',
  name: 'Plain Checking',
  officialName: 'Plain Silver Checking',
  mask: '0042',
  currency: 'USD',
  accountType: 'depository',
  accountSubType: 'checking',
  availableBalance: 10_000n,
  currentBalance: 10_500n,
}
export const lunch = {
  providerTransactionId: 'a',
  amount: 1200n,
  currency: 'USD',
  date: '2026-03-04',
  displayName: 'Deli',
  originalName: 'DELI 0042',
  name: 'DELI',
  merchantName: 'Deli',
  categories: ['Food', 'Restaurants'],
  category: 'FOOD_AND_DRINK_RESTAURANT',
}

/** Imports a bank account with one transaction by the ledger's RPCs for sync services. */
export async function importBankAccount(
  { booted }: Coffer,
  person: Person,
  { service, linkId, known }: { service: string; linkId: string; known: object },
) {
  const signer = loadSigner(booted.keysFolder, service)
  const caller = systemCaller(signer, person.accountId, new Date())
  const by = asCaller(caller)
  const sync = booted.client('ledger', SyncImportService)
  if (service === 'aggregator-sync') {
    await sync.upsertLink({ linkId, institutionName: 'First Bank' }, by)
  }
  const { accounts } = await sync.upsertBankAccounts(
    { linkId, accounts: [{ ...account, ...known }] },
    by,
  )
  const bankAccountId = accounts[0]?.bankAccountId ?? ''
  const request = { bankAccountId, providerAccountId: 'acc', transactions: [lunch] }
  // The ledger refuses an import until it has handled the event of identity with the account's
  // timezone.
  const imported = await eventually(
    () => sync.importTransactions(request, by).catch(() => null),
    (reply) => reply !== null,
  )
  const transactionId = imported?.transactions[0]?.transactionId ?? ''
  return {
    bankAccountId,
    transactionId,
    bank: { path: { bankAccountId } },
    one: { path: { bankAccountId, transactionId } },
    sync,
    by,
  }
}

/**
 * Inserts a candidate (a bank account that a feed connection offers) into the database. Returns it
 * as REST shows it.
 */
export async function insertCandidate(
  { booted }: Coffer,
  { accountId }: Person,
  { feedLinkId, feedBankAccountId }: { feedLinkId: string; feedBankAccountId: string },
): Promise<Json> {
  await booted.database('feed-sync').pool.query(sql.unsafe`
    INSERT INTO feed_bank_accounts (account_id, feed_bank_account_id, feed_link_id, feed_id,
      feed_status, name, institution_name, provider, currency, status, current_balance,
      created_at, created_by, updated_at)
    VALUES (${accountId}, ${feedBankAccountId}, ${feedLinkId}, '42', 'ACTIVE', 'Checking',
      'First Bank', 'gocardless', 'USD', 'active', 1234, now(), 'user_1', now())`)
  return {
    feedBankAccountId,
    feedLinkId,
    feedId: '42',
    feedStatus: 'ACTIVE',
    name: 'Checking',
    institutionName: 'First Bank',
    provider: 'gocardless',
    currency: 'USD',
    status: 'active',
    currentBalance: 1234,
    createdAt: text,
    createdBy: 'user_1',
    updatedAt: text,
  }
}

export const shownAccount = (of: { linkId: string; bankAccountId: string }) => ({
  ...of,
  feedBankAccountId: null,
  currency: 'USD',
  mask: '0042',
  status: 'active',
  availableBalance: 10_000,
  currentBalance: 10_500,
  limitBalance: 0,
  name: 'Plain Checking',
  originalName: 'Plain Checking',
  accountType: 'depository',
  accountSubType: 'checking',
  lastUpdated: text,
  createdAt: text,
  updatedAt: text,
  balancesAsOf: null,
})

export const shownTransaction = (of: { transactionId: string; bankAccountId: string }) => ({
  ...of,
  aggregatorTransaction: null,
  pendingAggregatorTransaction: null,
  amount: 1200,
  spendingId: null,
  createdBySpendingId: null,
  createdByFundingScheduleId: null,
  categories: lunch.categories,
  category: lunch.category,
  date: '2026-03-04T06:00:00Z',
  name: 'Deli',
  originalName: 'DELI 0042',
  merchantName: 'Deli',
  originalMerchantName: 'Deli',
  isPending: false,
  uploadIdentifier: null,
  createdAt: text,
  deletedAt: null,
  notes: null,
})
