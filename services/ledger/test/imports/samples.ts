import type { BankAccount } from '../../src/book/bank-account.ts'
import { type Envelope, noGrace } from '../../src/book/envelope.ts'
import type { Link } from '../../src/book/link.ts'
import { emptyTransaction, type Transaction } from '../../src/book/transaction.ts'
import type { Operation } from '../../src/money/operation.ts'
import type { ProviderRow } from '../../src/syncs/provider-transaction.ts'

const CREATED = new Date('2026-01-01T06:00:00Z')

/** Returns a manual link that is not deleted. */
export function aLink(changes: Partial<Link> = {}): Link {
  return {
    accountId: 'acct_1',
    linkId: 'link_1',
    linkType: 'manual',
    feedLinkId: null,
    institutionName: 'First Bank',
    description: null,
    createdAt: CREATED,
    createdBy: 'user_1',
    updatedAt: CREATED,
    deletedAt: null,
    ...changes,
  }
}

/** Returns an active checking account in US dollars on a manual link, with balances of zero. */
export function aBankAccount(changes: Partial<BankAccount> = {}): BankAccount {
  return {
    accountId: 'acct_1',
    bankAccountId: 'bac_1',
    linkId: 'link_1',
    linkType: 'manual',
    feedBankAccountId: null,
    currency: 'USD',
    availableBalance: 0n,
    currentBalance: 0n,
    limitBalance: 0n,
    expenses: 0n,
    goals: 0n,
    balancesAsOf: null,
    mask: null,
    name: 'Checking',
    originalName: '',
    accountType: 'depository',
    accountSubType: 'checking',
    status: 'active',
    lastUpdated: CREATED,
    createdAt: CREATED,
    updatedAt: CREATED,
    deletedAt: null,
    removedAt: null,
    version: 1n,
    ...changes,
  }
}

/** Returns an open envelope of an expense, without money. */
export function anEnvelope(changes: Partial<Envelope> = {}): Envelope {
  return {
    accountId: 'acct_1',
    spendingId: 'spnd_e',
    bankAccountId: 'bac_1',
    spendingType: 'expense',
    currentAmount: 0n,
    usedAmount: 0n,
    periodFrom: null,
    periodSpent: 0n,
    periodRefunded: 0n,
    periodSpentOn: null,
    ...noGrace,
    version: 1n,
    openedAt: CREATED,
    closedAt: null,
    ...changes,
  }
}

/** Returns a posted manual transaction of 12.00 without an envelope. */
export function aTransaction(changes: Partial<Transaction> = {}): Transaction {
  const created = { amount: 1200n, date: CREATED, source: 'manual', createdAt: CREATED } as const
  return {
    ...emptyTransaction(aBankAccount(), { transactionId: 'txn_1', ...created }),
    name: 'Lunch',
    originalName: 'Lunch',
    ...changes,
  }
}

/** Returns an operation (one indivisible change of money) at a fixed instant. */
export function anOperation(operationId = 'op_1'): Operation {
  return { operationId, now: new Date('2026-02-01T12:00:00Z'), version: 2n }
}

/** Returns a posted transaction of 12.00 as a provider sends it, with the ID `p_1`. */
export function aProviderRow(changes: Partial<ProviderRow> = {}): ProviderRow {
  return {
    providerTransactionId: 'p_1',
    providerAccountId: 'account_1',
    pendingProviderTransactionId: null,
    amount: 1200n,
    currency: 'USD',
    date: CREATED,
    authorizedDate: null,
    name: 'Deli',
    merchantName: 'Deli',
    categories: [],
    category: null,
    isPending: false,
    raw: null,
    displayName: 'Deli',
    originalName: 'DELI',
    ...changes,
  }
}
