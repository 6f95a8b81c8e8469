import type { CommonQueryMethods } from 'slonik'
import type { BankAccountKey } from './aggregate-key.ts'
import type { Transaction } from './database.ts'

export type Outcome = PromiseSettledResult<unknown>

/** Behaviour of a save when another transaction holds the row lock. */
export type Locked = 'wait' | 'skip'

/** A work with its scope: the aggregate, and the rows of it that the work concerns. */
export interface Scoped {
  scope: BankAccountKey
}

/**
 * Reads and saves aggregates of one kind. An aggregate is a row with a `version` and the rows under
 * it. Every save that changes one of them raises the version.
 */
export interface AggregateStore<Work extends Scoped, State, ChangeSet> {
  /**
   * Reads the rows of the scopes in one statement; returns them by key, without missing aggregates.
   */
  read: (
    connection: CommonQueryMethods,
    scopes: readonly Work['scope'][],
  ) => Promise<ReadonlyMap<string, State>>
  /**
   * Takes the row locks of these aggregates in the order of their keys, which prevents deadlocks.
   */
  lock: (tx: Transaction, keys: readonly BankAccountKey[]) => Promise<unknown>
  /**
   * Pure: applies the works of one aggregate in order, each to the result of the work before it. A
   * refused work changes nothing. The change set is null when there is nothing to save.
   */
  decide: (state: State | undefined, works: readonly Work[]) => Decided<ChangeSet>
  /**
   * Compare-and-set in one statement: saves the change sets whose version still holds; returns
   * their keys. `locked` says whether the save waits for locked aggregates or skips them.
   */
  save: (
    connection: CommonQueryMethods,
    changeSets: readonly ChangeSet[],
    locked: Locked,
  ) => Promise<ReadonlySet<string>>
  /**
   * Keys of the committed change sets. Each save is found by a row that no other save can write.
   */
  findSaved: (
    connection: CommonQueryMethods,
    changeSets: readonly ChangeSet[],
  ) => Promise<ReadonlySet<string>>
  /** Whether the save of a change set emits events. */
  hasEvents: (changeSet: ChangeSet) => boolean
  /** Whether a work needs a round of its own: its rows are many, or not listed one by one. */
  isAlone: (work: Work) => boolean
}

/** The outcome of each work, in the order of works, and the change set of all of them. */
export interface Decided<ChangeSet> {
  outcomes: readonly Outcome[]
  changeSet: ChangeSet | null
}
