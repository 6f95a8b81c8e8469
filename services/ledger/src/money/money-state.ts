import type { BankAccount } from '../accounts/bank-account.ts'
import type { Envelope } from '../envelopes/envelope.ts'
import type { AccountAlias, AccountRecord } from '../syncs/provider-account.ts'
import type { ProviderRecord } from '../syncs/provider-transaction.ts'
import type { Transaction } from '../transactions/transaction.ts'
import type { BookedOperation } from './operation.ts'

/** Names a bank account and the rows under it that a change of money may concern. */
export interface MoneyScope {
  accountId: string
  bankAccountId: string
  spendingIds?: readonly string[]
  /** A transaction; the envelope that it is assigned to is read with it. */
  transactionId?: string
  /** Synced transactions by what a provider says of them, with their envelopes and records. */
  synced?: SyncedScope
  /** Asks what a provider says of the bank account itself; the work runs alone. */
  readsProvider?: boolean
  /** Asks how many envelopes are open. */
  countsEnvelopes?: boolean
  /** An operation that another service named: its reply is read where it is booked already. */
  operationId?: string
}

/** Synced transactions that a provider's batch may concern. */
export interface SyncedScope {
  /** IDs that the provider gave them, or that it names as what they were while pending. */
  providerIds: readonly string[]
  /** Also those that look like one of these and are pending, or of another provider account. */
  alike: { amounts: readonly bigint[]; from: Date; to: Date; providerAccountId: string } | null
}

/** What a provider says of a bank account; nothing where no scope asks. */
export interface Provider {
  accountRecord: AccountRecord | null
  aliases: AccountAlias[]
}

/** The rows that scopes of one bank account name; closed envelopes are among them. */
export interface MoneyState extends Provider {
  bankAccount: BankAccount
  envelopes: Envelope[]
  transactions: Transaction[]
  /** Everything that providers say of these transactions. */
  records: ProviderRecord[]
  operations: BookedOperation[]
  /** How many envelopes are open; 0 where no scope asks. */
  openEnvelopes: number
}

/** A bank account of which nothing is read yet. */
export function emptyState(bankAccount: BankAccount): MoneyState {
  const nothing = { envelopes: [], transactions: [], records: [], operations: [], aliases: [] }
  return { bankAccount, ...nothing, accountRecord: null, openEnvelopes: 0 }
}
