import type { FeedSyncKey, SyncOutcome, Tally } from './feed-sync.ts'

/** One sync of a link. */
export type Run = FeedSyncKey & { runId: string }

/** One sync of a bank account of the link. */
export type AccountRun = Run & {
  bankAccountId: string
  feedBankAccountId: string
  isManual: boolean
}

/** A bank account that a sync updates. */
export interface AccountToSync {
  bankAccountId: string
  feedBankAccountId: string
  /** Whether the sync reads all transactions, or only those of the last days. */
  isWhole: boolean
}

/** The first and the last day, as YYYY-MM-DD; null is no bound. */
export interface DayRange {
  from: string | null
  to: string | null
}

/** A list of transactions to request from the provider and to store. */
export type Page = AccountRun & { range: DayRange; isFirst: boolean }

export type PageResult = Omit<Tally, 'removed'> & {
  /** Provider IDs in the ledger that the list does not contain, at most 200. */
  missing: string[]
  /** Number of transactions in the list. */
  rows: number
  /** Whether the answer was over its bound, so that nothing of it was stored. */
  isTooLarge: boolean
}

/**
 * The result of a step. `failed`: the fault is stored; `wait`: repeat the step after `ms`; `gone`:
 * the link or the bank account no longer takes imports.
 */
export type Step<Result> =
  | ({ kind: 'done' } & Result)
  | { kind: 'failed' }
  | { kind: 'wait'; ms: number }
  | { kind: 'gone' }

/** Steps of a sync: activities, each of which may be repeated. */
export interface FeedSyncSteps {
  /** Returns null if there is nothing to do. */
  beginFeedSync(run: Run): Promise<{ isManual: boolean } | null>
  syncFeedAccounts(run: Run & { isManual: boolean }): Promise<Step<{ accounts: AccountToSync[] }>>
  importFeedPage(page: Page): Promise<Step<PageResult>>
  removeMissing(of: AccountRun & { missing: string[] }): Promise<Step<{ removed: number }>>
  syncFeedBalance(of: AccountRun): Promise<Step<object>>
  endFeedAccount(of: AccountRun & { isComplete: boolean; isWhole: boolean }): Promise<void>
  endFeedSync(of: Run & { outcome: SyncOutcome }): Promise<void>
}
