import type { BankAccount } from '../accounts/bank-account.ts'
import type { Envelope } from '../envelopes/envelope.ts'
import type { AccountAlias, AccountRecord } from '../syncs/provider-account.ts'
import type { ProviderRecord } from '../syncs/provider-transaction.ts'
import type { Transaction } from '../transactions/transaction.ts'
import type { BookedOperation } from './journal.ts'

/** Names a bank account, and the rows under it to read for a change of money. */
export interface MoneyScope {
  accountId: string
  bankAccountId: string
  spendingIds?: readonly string[]
  /** ID of a transaction; its envelope and provider records are read with it. */
  transactionId?: string
  /** Selects synced transactions by provider data; their envelopes and records are read too. */
  synced?: SyncedScope
  /** Whether to read the provider's record and aliases of the bank account; requires `isAlone`. */
  readsProvider?: boolean
  /** Whether to count the open envelopes. */
  countsEnvelopes?: boolean
  /** ID of an operation named by another service; its reply is read if it is booked already. */
  operationId?: string
}

/** Selects the synced transactions that a provider's batch may change. */
export interface SyncedScope {
  /** Provider IDs of posted transactions, and of the pending ones that they replace. */
  providerIds: readonly string[]
  /**
   * Reads pending transactions, and those of other provider accounts, whose amount and day fit the
   * batch.
   */
  alike: { amounts: readonly bigint[]; from: Date; to: Date; providerAccountId: string } | null
}

/** The provider's record of a bank account; empty if no scope reads it. */
export interface Provider {
  accountRecord: AccountRecord | null
  aliases: AccountAlias[]
}

/** The rows that the scopes of one bank account name, closed envelopes included. */
export interface MoneyState extends Provider {
  bankAccount: BankAccount
  envelopes: Envelope[]
  transactions: Transaction[]
  /** All provider records of these transactions. */
  records: ProviderRecord[]
  operations: BookedOperation[]
  /** Number of open envelopes; 0 if no scope counts them. */
  openEnvelopes: number
}

/** Returns the state of a bank account without any other rows. */
export function emptyState(bankAccount: BankAccount): MoneyState {
  return {
    bankAccount,
    envelopes: [],
    transactions: [],
    records: [],
    operations: [],
    accountRecord: null,
    aliases: [],
    openEnvelopes: 0,
  }
}
