import type { BankAccount } from '../book/bank-account.ts'
import type { BulkOperation } from '../book/bulk-operation.ts'
import type { Envelope } from '../book/envelope.ts'
import type { BookedOperation, JournalEntry } from '../book/journal.ts'
import type { AccountAlias, AccountRecord, ProviderRecord } from '../book/provider-record.ts'
import type { Transaction } from '../book/transaction.ts'

/** A bank account, and which of its rows to read for a change of money. */
export interface MoneyScope {
  accountId: string
  bankAccountId: string
  spendingIds?: readonly string[]
  /**
   * ID of a transaction to read, with its provider records and its envelope, or the envelope from
   * which its deletion unassigned it.
   */
  transactionId?: string
  /** ID of a second transaction to read in the same way. */
  otherTransactionId?: string
  /** IDs of further transactions to read, as `transactionId`. */
  transactionIds?: readonly string[]
  /** Whether to read the journal rows by which these transactions moved the balances. */
  readsBookings?: boolean
  /** IDs of envelopes that get a refund; reads the amounts that transactions took from them. */
  refundIds?: readonly string[]
  /**
   * Whether to read the amounts that transactions took from envelopes also for the envelopes to
   * which refunds among the scope's transactions are assigned.
   */
  readsRefundable?: boolean
  /** Selects synced transactions by provider data; their envelopes and records are read too. */
  synced?: SyncedScope
  /**
   * Whether to read the provider's data and IDs of the bank account. A change with this scope must
   * be saved alone (`isAlone`).
   */
  readsProvider?: boolean
  countsEnvelopes?: boolean
  /** ID of an operation that another service chose; if it is saved already, its reply is read. */
  operationId?: string
  /** ID of a change of many transactions to read, for its undo. */
  bulkOperationId?: string
}

/** Selects the synced transactions that a provider's batch may change. */
export interface SyncedScope {
  /** The provider's IDs of transactions, and of the pending transactions that they replace. */
  providerIds: readonly string[]
  /**
   * Selects transactions by amount and date, which rows without a known ID may match: pending ones,
   * and those that came under another alias (ID of the bank account at the provider).
   */
  alike: { amounts: readonly bigint[]; from: Date; to: Date; providerAccountId: string } | null
  /**
   * Selects posted transactions by amount and date. Only for a feed, whose pending rows, and rows
   * with a renewed ID, may belong to posted transactions.
   */
  posted: { amounts: readonly bigint[]; from: Date; to: Date } | null
  /**
   * Days of the pending transactions to read for tips (docs/syncs.md#tips-and-holds): a restaurant
   * posts more than the pending amount. Posted transactions near these days are read too. `removed`
   * stands for the days of the pending transactions among `providerIds`.
   */
  tips: { from: Date; to: Date } | 'removed' | null
}

/** The provider's data and IDs (aliases) of a bank account; empty if no scope reads them. */
export interface Provider {
  accountRecord: AccountRecord | null
  aliases: AccountAlias[]
}

/**
 * The rows of one bank account that the requested changes need; each names them in its scope. Has
 * closed envelopes too.
 */
export interface MoneyState extends Provider {
  bankAccount: BankAccount
  /** Timezone of the bank account's dates; null if it never changed, empty while they are moved. */
  timezone: string | null
  envelopes: Envelope[]
  transactions: Transaction[]
  /** All provider records of `transactions`. */
  records: ProviderRecord[]
  operations: BookedOperation[]
  bulkOperations: BulkOperation[]
  /** Journal rows by which transactions moved the balances, oldest first. */
  bookings: JournalEntry[]
  /** Minor units that transactions took from envelopes and did not give back. */
  refundable: Map<string, bigint>
  /** Number of open envelopes; 0 unless a scope asks to count them. */
  openEnvelopes: number
}

/** Returns a state that has the row of the bank account, and no other rows. */
export function emptyState(bankAccount: BankAccount, timezone: string | null = null): MoneyState {
  return {
    bankAccount,
    timezone,
    envelopes: [],
    transactions: [],
    records: [],
    operations: [],
    bulkOperations: [],
    bookings: [],
    refundable: new Map(),
    accountRecord: null,
    aliases: [],
    openEnvelopes: 0,
  }
}
