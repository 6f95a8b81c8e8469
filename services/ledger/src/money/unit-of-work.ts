import {
  changedRows,
  put,
  remove,
  type TrackedRows,
  track,
} from '@coffer/kit/database/tracked-rows'
import { nextVersion } from '@coffer/kit/database/version'
import { say } from '@coffer/kit/reasons/reasons'
import { notFound, unavailable } from '@coffer/kit/rpc/errors'
import type { Cause } from '@coffer/kit/values/changed-object'
import type { BankAccount } from '../book/bank-account.ts'
import type { BulkOperation } from '../book/bulk-operation.ts'
import type { Envelope } from '../book/envelope.ts'
import type { BookedOperation, JournalEntry } from '../book/journal.ts'
import {
  type AccountAlias,
  type AccountRecord,
  type ProviderRecord,
  recordsInOrder,
} from '../book/provider-record.ts'
import { hasSameText, type Transaction } from '../book/transaction.ts'
import { isBooking, refundableAfter } from './bookings.ts'
import { noteCause, type ToldObjects, toldObjects } from './changed-objects.ts'
import { emptyState, type MoneyScope, type MoneyState, type Provider } from './money-state.ts'
import type { Locked, Settlement } from './operation.ts'
import { addSettlement, type Settlements, startSettlements } from './settlements.ts'

/** Input of a decision: the rows that its scope names, including changes by earlier decisions. */
export interface Current extends Locked, Provider {
  transaction: Transaction | null
  /** All provider records of `transactions`. */
  records: readonly ProviderRecord[]
  transactions: readonly Transaction[]
  /** Journal rows by which the scope's transactions moved the balances, if the scope reads them. */
  bookings: readonly JournalEntry[]
  /** Timezone of the stored dates; null if it never changed, empty while they are being moved. */
  timezone: string | null
  /** Number of open envelopes; 0 unless a scope asks to count them. */
  openEnvelopes: number
  /** The saved operation with the scope's `operationId`; null if it is not saved yet. */
  booked: BookedOperation | null
  /** The change of many transactions that the scope names; null without one. */
  bulkOperation: BulkOperation | null
}

/** Output of a decision: the rows to save, and the reply to send after the commit. */
export interface Decision<Reply> {
  reply: Reply
  /** Changed balances, envelopes and journal rows; without a settlement, nothing is saved. */
  settlement?: Settlement
  /** A new envelope to insert; it holds no money yet. */
  created?: Envelope
  /** New or changed transactions. */
  transactions?: readonly Transaction[]
  deleted?: readonly Transaction[]
  /** Whether statements outside the decision insert or delete transactions (import, undo). */
  changesTexts?: boolean
  /** Provider records of transactions, new or changed. */
  records?: readonly ProviderRecord[]
  /** The provider's record of the bank account, if new or changed. */
  accountRecord?: AccountRecord
  aliases?: readonly AccountAlias[]
  /** Rows to insert into the table `idempotency_keys`. */
  replies?: readonly object[]
  operation?: BookedOperation
  /** A change of many transactions: new, or undone. */
  bulkOperation?: BulkOperation
  /** ID of a deleted funding schedule to remove from all transactions; only with `writeIn`. */
  forgotten?: string
}

/** Output of a decision that creates a bank account with opening balances. */
export type Creation<Reply> = Decision<Reply> & { settlement: Settlement }

/** One change of money in one bank account. */
export interface Work<Reply> {
  scope: MoneyScope
  /** ID of the operation in its journal rows; every retry uses it again. */
  operationId: string
  /** ID of the user who makes the change; null if unknown. */
  createdBy: string | null
  /** Published with the objects that the change creates, changes or deletes. */
  cause: Cause
  /** Timezone of the dates in the change; undefined if it has no dates. */
  timezone?: string | undefined
  /** Pure function that may run several times. An error that it throws rejects this work only. */
  decide: (current: Current) => Decision<Reply>
}

/** All rows to save for one bank account after several decisions, each row once. */
export interface ChangeSet {
  /** The bank account's version when it was read; the save requires that it is unchanged. */
  readVersion: bigint
  bankAccount: BankAccount
  /**
   * The candidate (a bank account that a feed offers) that the bank account used when it was read.
   * Null if it used none or was archived.
   */
  readCandidateId: string | null
  created: readonly Envelope[]
  envelopes: readonly Envelope[]
  entries: readonly JournalEntry[]
  inserted: readonly Transaction[]
  updated: readonly Transaction[]
  deleted: readonly Transaction[]
  /** Whether texts for the search of similar transactions change. */
  changesTexts: boolean
  /** Ordered by `recordsInOrder`: a unique index allows one live record for each transaction. */
  records: readonly ProviderRecord[]
  accountRecords: readonly AccountRecord[]
  aliases: readonly AccountAlias[]
  /** IDs of closing envelopes, which are removed from all transactions, soft-deleted ones too. */
  closed: readonly string[]
  /** IDs of deleted funding schedules, which are removed from all transactions. */
  forgotten: readonly string[]
  replies: readonly object[]
  operations: readonly BookedOperation[]
  bulkOperations: readonly BulkOperation[]
  told: readonly ToldObjects[]
}

/** Unit of work: applies decisions in order and collects the rows to save. */
interface UnitOfWork {
  state: MoneyState
  isTouched: boolean
  changesTexts: boolean
  settlements: Settlements
  transactions: TrackedRows<Transaction>
  records: TrackedRows<ProviderRecord>
  accountRecords: AccountRecord[]
  aliases: AccountAlias[]
  forgotten: string[]
  replies: object[]
  operations: BookedOperation[]
  bulkOperations: TrackedRows<BulkOperation>
  /** The cause of the last change of each row, by its ID. */
  causes: Map<string, Cause>
}

/**
 * Decides changes of one bank account in order, each on the rows that the earlier changes leave.
 * Returns the outcome of each change, and the rows to save (null if there are none). A rejected
 * change has no effect. Without `state` (the bank account is missing, or its link is deleted) every
 * change is rejected with `notFound`.
 */
export function decideWorks(
  state: MoneyState | undefined,
  works: readonly Work<unknown>[],
  now: Date,
): { outcomes: PromiseSettledResult<unknown>[]; changeSet: ChangeSet | null } {
  if (!state) {
    const refusal = { status: 'rejected', reason: notFound('bank account') } as const
    return { outcomes: works.map(() => refusal), changeSet: null }
  }
  const unit = unitOf(state)
  const outcomes = works.map((work) => attempt(unit, work, now))
  return { outcomes, changeSet: unit.isTouched ? changeSetOf(unit) : null }
}

/** Returns the rows to save for a new bank account. */
export function createdSet(creation: Creation<unknown>): ChangeSet {
  const { bankAccount } = creation.settlement
  const unit = unitOf(emptyState(bankAccount))
  apply(unit, creation, bankAccount.version)
  return changeSetOf(unit)
}

function unitOf(state: MoneyState): UnitOfWork {
  return {
    state,
    isTouched: false,
    changesTexts: false,
    settlements: startSettlements(state),
    transactions: track(state.transactions, ({ transactionId }) => transactionId),
    records: track(state.records, ({ providerTransactionId }) => providerTransactionId),
    accountRecords: [],
    aliases: [],
    forgotten: [],
    replies: [],
    operations: [],
    bulkOperations: track(state.bulkOperations, ({ operationId }) => operationId),
    causes: new Map(),
  }
}

function attempt(
  unit: UnitOfWork,
  { scope, operationId, createdBy, cause, timezone, decide }: Work<unknown>,
  now: Date,
): PromiseSettledResult<unknown> {
  const { settlements, transactions, records } = unit
  const { bankAccount, envelopes } = settlements
  const version = nextVersion(bankAccount.version, now)
  const named = new Set([scope.transactionId, ...(scope.transactionIds ?? [])])
  const isBooked = (one: BookedOperation) => one.operationId === scope.operationId
  try {
    requireTimezone(unit.state, timezone)
    const decision = decide({
      bankAccount,
      envelopes: [...envelopes.current.values()],
      operation: { operationId, now, createdBy, version },
      transaction: transactions.current.get(scope.transactionId ?? '') ?? null,
      transactions: [...transactions.current.values()],
      records: [...records.current.values()],
      bookings: [...unit.state.bookings, ...settlements.entries].filter(
        (one) => named.has(one.causeId) && isBooking(one),
      ),
      refundable: refundableAfter(unit.state.refundable, settlements.entries),
      timezone: unit.state.timezone,
      accountRecord: unit.state.accountRecord,
      aliases: unit.state.aliases,
      // Envelopes created by earlier decisions are in `current`, but not in `read`.
      openEnvelopes: unit.state.openEnvelopes + envelopes.current.size - envelopes.read.size,
      booked: unit.operations.find(isBooked) ?? unit.state.operations.find(isBooked) ?? null,
      bulkOperation: unit.bulkOperations.current.get(scope.bulkOperationId ?? '') ?? null,
    })
    apply(unit, decision, version)
    noteCause(unit, decision, cause)
    return { status: 'fulfilled', value: decision.reply }
  } catch (reason) {
    return { status: 'rejected', reason }
  }
}

/** Throws unavailable if the account's timezone has changed since `timezone` was read. */
function requireTimezone(
  { timezone: stored }: Pick<MoneyState, 'timezone'>,
  timezone: string | undefined,
): void {
  if (timezone === undefined || stored === null || stored === timezone) return
  throw datesAreMoving()
}

/** Returns the error of a dated change while the dates are being moved to another timezone. */
export function datesAreMoving(): Error {
  return unavailable(say('TIMEZONE_CHANGES'))
}

function apply(unit: UnitOfWork, decision: Decision<unknown>, version: bigint): void {
  const { settlement, created, transactions = [], deleted = [] } = decision
  if (!settlement) return
  unit.isTouched = true
  const bankAccount = { ...settlement.bankAccount, version }
  addSettlement(unit.settlements, { ...settlement, bankAccount })
  if (created) put(unit.settlements.envelopes, [created])
  unit.changesTexts ||= decision.changesTexts || deleted.length > 0
  unit.changesTexts ||= transactions.some((one) => changesText(unit, one))
  put(unit.transactions, transactions)
  remove(unit.transactions, deleted)
  put(unit.records, decision.records)
  if (decision.accountRecord) unit.accountRecords.push(decision.accountRecord)
  unit.aliases.push(...(decision.aliases ?? []))
  unit.replies.push(...(decision.replies ?? []))
  if (decision.bulkOperation) put(unit.bulkOperations, [decision.bulkOperation])
  if (decision.operation !== undefined) unit.operations.push(decision.operation)
  if (decision.forgotten !== undefined) unit.forgotten.push(decision.forgotten)
}

function changesText({ transactions }: UnitOfWork, transaction: Transaction): boolean {
  const before = transactions.current.get(transaction.transactionId)
  return !before || !hasSameText(before, transaction)
}

function changeSetOf(unit: UnitOfWork): ChangeSet {
  const { bankAccount, entries } = unit.settlements
  const envelopes = changedRows(unit.settlements.envelopes)
  const transactions = changedRows(unit.transactions)
  const closed = [...envelopes.created, ...envelopes.changed].filter((one) => one.closedAt !== null)
  return {
    readVersion: unit.state.bankAccount.version,
    bankAccount,
    readCandidateId: usedCandidate(unit.state.bankAccount),
    created: envelopes.created,
    envelopes: envelopes.changed,
    entries,
    inserted: transactions.created,
    updated: transactions.changed,
    deleted: transactions.deleted,
    changesTexts: unit.changesTexts,
    records: recordsInOrder(unit.records),
    accountRecords: unit.accountRecords,
    aliases: unit.aliases,
    closed: closed.map(({ spendingId }) => spendingId),
    forgotten: unit.forgotten,
    replies: unit.replies,
    operations: unit.operations,
    bulkOperations: Object.values(changedRows(unit.bulkOperations)).flat(),
    told: toldObjects(unit),
  }
}

function usedCandidate({ deletedAt, feedBankAccountId }: BankAccount): string | null {
  return deletedAt === null ? feedBankAccountId : null
}
