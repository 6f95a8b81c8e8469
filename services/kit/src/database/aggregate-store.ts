import type { CommonQueryMethods } from 'slonik'
import type { AggregateKey } from './aggregate-key.ts'
import type { Transaction } from './database.ts'

export type Outcome = PromiseSettledResult<unknown>

/** What a save does about a row that another transaction has locked. */
export type Locked = 'wait' | 'skip'

/** A work names its aggregate, and the rows under it that it concerns. */
export interface Scoped {
  scope: AggregateKey
}

/**
 * How aggregates of one kind are read and saved. An aggregate is a row with a `version` and the
 * rows under it; every save that changes any of them raises the version.
 */
export interface AggregateStore<Work extends Scoped, State, ChangeSet> {
  /** In one statement: the rows that scopes name, by key. Missing aggregates are left out. */
  read: (
    connection: CommonQueryMethods,
    scopes: readonly Work['scope'][],
  ) => Promise<ReadonlyMap<string, State>>
  /** Takes the row locks of these aggregates, in the order of their keys. */
  lock: (tx: Transaction, keys: readonly AggregateKey[]) => Promise<unknown>
  /**
   * Pure: applies the works of one aggregate in order, each to the result of the one before. A
   * refused work leaves no trace. The change set is null where nothing is to be saved.
   */
  decide: (state: State | undefined, works: readonly Work[]) => Decided<ChangeSet>
  /**
   * In one statement: saves the change sets whose version still holds; returns their keys. An
   * aggregate whose row is locked by another transaction is waited for, or skipped.
   */
  save: (
    connection: CommonQueryMethods,
    changeSets: readonly ChangeSet[],
    locked: Locked,
  ) => Promise<ReadonlySet<string>>
  /** The keys of those change sets that are committed, by rows that no other save can write. */
  findSaved: (
    connection: CommonQueryMethods,
    changeSets: readonly ChangeSet[],
  ) => Promise<ReadonlySet<string>>
  /** Whether a save of it records events. */
  hasEvents: (changeSet: ChangeSet) => boolean
  /** Whether a work changes rows that its round does not list one by one, or very many. */
  isAlone: (work: Work) => boolean
}

/** What became of each work, in their order, and what is to be saved of them. */
export interface Decided<ChangeSet> {
  outcomes: readonly Outcome[]
  changeSet: ChangeSet | null
}
