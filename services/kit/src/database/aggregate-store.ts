import type { BankAccountKey } from './aggregate-key.ts'
import type { Queries, Transaction } from './database.ts'

export type Outcome = PromiseSettledResult<unknown>

/** Whether a save waits for a row that another transaction has locked, or skips that row. */
export type Locked = 'wait' | 'skip'

/** A requested change (work), and the aggregate whose rows the change reads and writes. */
export interface Scoped {
  scope: BankAccountKey
}

/**
 * Reads and saves aggregates of one kind: a row with a `version`, and the rows under it. Every save
 * raises the version.
 */
export interface AggregateStore<Work extends Scoped, State, ChangeSet> {
  /** Reads the rows of these scopes in one statement. The map omits missing aggregates. */
  read: (
    connection: Queries,
    scopes: readonly Work['scope'][],
  ) => Promise<ReadonlyMap<string, State>>
  /** Locks the rows of aggregates, in key order to prevent deadlocks. */
  lock: (tx: Transaction, keys: readonly BankAccountKey[]) => Promise<unknown>
  /**
   * Pure function: applies the works of one aggregate in order, each to the result of the previous
   * work. A refused work changes nothing. The change set is null when there is nothing to save.
   */
  decide: (state: State | undefined, works: readonly Work[]) => Decided<ChangeSet>
  /**
   * Compare-and-set in one statement: saves each change set whose aggregate still has the version
   * that was read. Returns the keys of the saved aggregates. `locked`: whether to wait for locked
   * rows or skip them.
   */
  save: (
    connection: Queries,
    changeSets: readonly ChangeSet[],
    locked: Locked,
  ) => Promise<ReadonlySet<string>>
  /** Returns the keys of the change sets that are committed, after a save without an answer. */
  findSaved: (connection: Queries, changeSets: readonly ChangeSet[]) => Promise<ReadonlySet<string>>
  hasEvents: (changeSet: ChangeSet) => boolean
  /**
   * Whether no other work of its aggregate may be decided with a work: it reads many rows, or its
   * decision does not show in the state that the next work gets.
   */
  isAlone: (work: Work) => boolean
}

/** The result of each work, in order, and one change set for all of them; null to save nothing. */
export interface Decided<ChangeSet> {
  outcomes: readonly Outcome[]
  changeSet: ChangeSet | null
}
