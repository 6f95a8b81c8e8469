import type { Message } from '@bufbuild/protobuf'
import { loadSigner } from '@coffer/host/rpc/signing-key'
import type { Booted } from '@coffer/host/testing/boot'
import { systemCaller } from '@coffer/kit/rpc/caller'
import { asCaller } from '@coffer/kit/rpc/rpc'
import { newId } from '@coffer/kit/values/id'
import { BankAccountService } from '@coffer/proto/ledger/v1/bank_account'
import { EnvelopeService } from '@coffer/proto/ledger/v1/envelope'
import { LinkService } from '@coffer/proto/ledger/v1/link'
import {
  type ProviderAccount,
  type ProviderTransaction,
  SyncImportService,
} from '@coffer/proto/ledger/v1/sync_import'
import { TransactionService } from '@coffer/proto/ledger/v1/transaction'
import type { CallOptions } from '@connectrpc/connect'
import { sql } from 'slonik'
import { z } from 'zod'
import { saveSettings } from '../../src/accounts/account-settings.sql.ts'

type Row = Omit<ProviderTransaction, keyof Message>
type Account = Partial<Omit<ProviderAccount, keyof Message>>

const timezone = 'America/Chicago'

/** Returns a provider's posted transaction of 12.00 on 2 March 2026, with `changes`. */
export function aRow(changes: Partial<Row> = {}): Row {
  return {
    providerTransactionId: newId('p'),
    amount: 1200n,
    currency: 'USD',
    date: '2026-03-02',
    displayName: 'Deli',
    originalName: 'DELI 0042 CHICAGO IL',
    name: 'DELI 0042 CHICAGO',
    merchantName: 'Deli',
    categories: ['Food', 'Restaurants'],
    category: 'FOOD_AND_DRINK_RESTAURANT',
    isPending: false,
    ...changes,
  }
}

/** Returns a checking account as a provider sends it, with `changes`. */
export function anAccount(changes: Account = {}) {
  return {
    providerAccountId: newId('p'),
    name: 'Plain Checking',
    officialName: 'Plain Silver Checking',
    mask: '0042',
    currency: 'USD',
    accountType: 'depository',
    accountSubType: 'checking',
    availableBalance: 10_000n,
    currentBalance: 10_500n,
    ...changes,
  }
}

/** Returns the call options of a sync service that acts without a user. */
export function byService(booted: Booted, accountId: string, service = 'aggregator-sync') {
  const caller = systemCaller(loadSigner(booted.keysFolder, service), accountId, new Date())
  return asCaller(caller)
}

/** Creates an account in Chicago with an aggregator link and one bank account. */
export async function syncedHome(booted: Booted) {
  const accountId = newId('acct')
  const as = booted.as(accountId, { timezone })
  const by = byService(booted, accountId)
  const sync = booted.client('ledger', SyncImportService)
  const settings = { accountId, timezone, locale: 'en_US', version: 1n }
  await saveSettings(booted.database('ledger'), settings)
  const linkId = newId('link')
  await sync.upsertLink({ linkId, institutionName: 'First Bank', createdBy: 'user_1' }, by)
  const account = anAccount()
  const { accounts } = await sync.upsertBankAccounts({ linkId, accounts: [account] }, by)
  const bankAccountId = accounts[0]?.bankAccountId ?? ''
  return homeOf(booted, { accountId, as, by, linkId, bankAccountId, account })
}

/** Creates an account in Chicago with a feed link and one bank account. */
export async function feedHome(booted: Booted): Promise<SyncedHome> {
  const accountId = newId('acct')
  const as = booted.as(accountId, { timezone })
  const by = byService(booted, accountId, 'feed-sync')
  const settings = { accountId, timezone, locale: 'en_US', version: 1n }
  await saveSettings(booted.database('ledger'), settings)
  const body = { institutionName: 'Feed', feedLinkId: newId('lfx') }
  const { link } = await booted.client('ledger', LinkService).createLink(body, as)
  const linkId = link?.linkId ?? ''
  const feedBankAccountId = newId('lbac')
  const created = { linkId, name: 'Fed', feedBankAccountId, currency: 'USD' }
  const { bankAccount } = await booted
    .client('ledger', BankAccountService)
    .createBankAccount(created, as)
  const bankAccountId = bankAccount?.bankAccountId ?? ''
  const account = { ...anAccount(), feedBankAccountId }
  const sync = booted.client('ledger', SyncImportService)
  await sync.upsertBankAccounts({ linkId, accounts: [account] }, by)
  return homeOf(booted, { accountId, as, by, linkId, bankAccountId, account })
}

type HomeKey = {
  accountId: string
  as: CallOptions
  by: CallOptions
  linkId: string
  bankAccountId: string
  account: ReturnType<typeof anAccount>
}

/** Returns the clients of an account, and the calls of its sync service and its user. */
function homeOf(booted: Booted, { accountId, as, by, linkId, bankAccountId, account }: HomeKey) {
  const sync = booted.client('ledger', SyncImportService)
  const transactions = booted.client('ledger', TransactionService)
  const envelopes = booted.client('ledger', EnvelopeService)
  const bankAccounts = booted.client('ledger', BankAccountService)
  return {
    accountId,
    as,
    by,
    sync,
    linkId,
    bankAccountId,
    account,
    transactions,
    envelopes,
    bankAccounts,
    links: booted.client('ledger', LinkService),
    /** Imports a batch of provider transactions. Returns the outcome of each. */
    brings: async (...rows: Row[]) => {
      const { providerAccountId } = account
      const request = { bankAccountId, providerAccountId, transactions: rows }
      return (await sync.importTransactions(request, by)).transactions
    },
    /** Imports all that a feed lists of the days of the transactions. */
    lists: async (...rows: Row[]) => {
      const { providerAccountId } = account
      const wholeDays = [...new Set(rows.map(({ date }) => date))]
      const request = { bankAccountId, providerAccountId, transactions: rows, wholeDays }
      return (await sync.importTransactions(request, by)).transactions
    },
    loses: (...providerTransactionIds: (string | undefined)[]) =>
      sync.removeTransactions(
        { bankAccountId, providerTransactionIds: providerTransactionIds.map((id) => id ?? '') },
        by,
      ),
    one: async (transactionId = '') =>
      (await transactions.getTransaction({ bankAccountId, transactionId }, as)).transaction,
    balances: async () => (await bankAccounts.getBalances({ bankAccountId }, as)).balances,
    all: async () =>
      (await transactions.listTransactions({ bankAccountId, limit: 100, offset: 0 }, as))
        .transactions,
  }
}

export type SyncedHome = ReturnType<typeof homeOf>

/**
 * Creates an envelope and transfers `amount` minor units into it. Returns its ID and a function
 * that reads its amount.
 */
export async function envelopeOf(
  { envelopes, bankAccountId, as }: SyncedHome,
  amount: bigint,
  spendingType = 'expense',
) {
  const spendingId = newId('spnd')
  await envelopes.openEnvelope({ bankAccountId, spendingId, spendingType }, as)
  await envelopes.transfer({ bankAccountId, toSpendingId: spendingId, amount }, as)
  const held = async () => {
    const { envelopes: open } = await envelopes.listEnvelopes({ bankAccountId }, as)
    return open.find((one) => one.spendingId === spendingId)?.currentAmount
  }
  return { spendingId, held }
}

/** Updates fields of a transaction as its user does. */
export async function assign(
  { transactions, bankAccountId, as }: SyncedHome,
  transactionId: string | undefined,
  patch: Partial<
    Record<'name' | 'spendingId' | 'refundSpendingId' | 'merchantName', string> &
      Record<'addTags', string[]>
  >,
) {
  const paths = Object.keys(patch).map((key) => key.replace(/[A-Z]/g, (c) => `_${c.toLowerCase()}`))
  const key = { bankAccountId, transactionId: transactionId ?? '' }
  return transactions.updateTransaction({ ...key, ...patch, updateMask: { paths } }, as)
}

/** Returns the bank account as its user reads it. */
export async function shown({ bankAccounts, bankAccountId, as }: SyncedHome, id = bankAccountId) {
  return (await bankAccounts.getBankAccount({ bankAccountId: id }, as)).bankAccount
}

/** Returns the link as its user reads it. */
export async function linkOf({ links, linkId, as }: SyncedHome) {
  return (await links.getLink({ linkId }, as)).link
}

const Row = z.object({ bankAccountId: z.string(), linkType: z.string(), version: z.bigint() })

/** Returns the bank accounts of an account that are not removed, by ID. */
export function rowsOf(booted: Booted, { accountId }: SyncedHome) {
  return booted.database('ledger').pool.any(sql.type(Row)`
    SELECT bank_account_id AS "bankAccountId", link_type AS "linkType", version FROM bank_accounts
    WHERE account_id = ${accountId} AND removed_at IS NULL ORDER BY bank_account_id`)
}
