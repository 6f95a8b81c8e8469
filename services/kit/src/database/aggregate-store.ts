import type { CommonQueryMethods } from 'slonik'
import type { BankAccountKey } from './aggregate-key.ts'
import type { Transaction } from './database.ts'

export type Outcome = PromiseSettledResult<unknown>

/** Behaviour of a save when another transaction holds the row lock. */
export type Locked = 'wait' | 'skip'

/** A work with its scope: the aggregate, and the rows of the aggregate that the work concerns. */
export interface Scoped {
  scope: BankAccountKey
}

/**
 * Reads and saves aggregates of one kind. An aggregate is a row with a `version` and the rows under
 * it. Every save that changes any of these rows raises the version.
 */
export interface AggregateStore<Work extends Scoped, State, ChangeSet> {
  /** Reads the rows of the scopes in one statement, keyed by aggregate; omits missing ones. */
  read: (
    connection: CommonQueryMethods,
    scopes: readonly Work['scope'][],
  ) => Promise<ReadonlyMap<string, State>>
  /** Locks these aggregates in the order of their keys, which prevents deadlocks. */
  lock: (tx: Transaction, keys: readonly BankAccountKey[]) => Promise<unknown>
  /**
   * Pure: applies the works of one aggregate in order, each to the result of the work before it. A
   * refused work changes nothing. The change set is null when there is nothing to save.
   */
  decide: (state: State | undefined, works: readonly Work[]) => Decided<ChangeSet>
  /**
   * Compare-and-set in one statement: saves the change sets whose version still holds; returns
   * their keys. `locked` decides whether the save waits for locked aggregates or skips them.
   */
  save: (
    connection: CommonQueryMethods,
    changeSets: readonly ChangeSet[],
    locked: Locked,
  ) => Promise<ReadonlySet<string>>
  /**
   * Returns the keys of the committed change sets; finds each by a row that only its save writes.
   */
  findSaved: (
    connection: CommonQueryMethods,
    changeSets: readonly ChangeSet[],
  ) => Promise<ReadonlySet<string>>
  /** Whether the save of a change set emits events. */
  hasEvents: (changeSet: ChangeSet) => boolean
  /** Whether a work needs a round of its own: it has many rows, or does not list them. */
  isAlone: (work: Work) => boolean
}

/** The outcome of each work, in the order of works, and the change set of all works. */
export interface Decided<ChangeSet> {
  outcomes: readonly Outcome[]
  changeSet: ChangeSet | null
}
