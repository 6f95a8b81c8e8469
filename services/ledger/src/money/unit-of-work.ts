import { notFound } from '@coffer/kit/errors'
import { nextVersion } from '@coffer/kit/version'
import type { BankAccount } from '../bank-account.ts'
import type { Settlement } from '../book.ts'
import { hasSameText } from '../cluster-input.ts'
import type { Envelope } from '../envelope.ts'
import type { JournalEntry } from '../journal.ts'
import type { BookedOperation } from '../operation.ts'
import type { ProviderRecord } from '../provider-transaction.ts'
import type { Locked, Transaction } from '../transaction.ts'
import { addSettlement, type Settlements, startSettlements, totalOf } from './settlements.ts'

/** Names a bank account and the rows under it that a change of money may concern. */
export interface MoneyScope {
  accountId: string
  bankAccountId: string
  spendingIds?: readonly string[]
  /** A transaction; the envelope that it is assigned to is read with it. */
  transactionId?: string
  /** Synced transactions by what a provider says of them, with their envelopes and records. */
  synced?: SyncedScope
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

/** The rows that scopes of one bank account name; closed envelopes are among them. */
export interface MoneyState {
  bankAccount: BankAccount
  envelopes: readonly Envelope[]
  transactions: readonly Transaction[]
  /** Everything that providers say of these transactions. */
  records: readonly ProviderRecord[]
  operations: readonly BookedOperation[]
  /** How many envelopes are open; 0 where no scope asks. */
  openEnvelopes: number
}

/** What a decision works on: the scope's rows as the decisions before it left them. */
export interface Current extends Locked {
  transaction: Transaction | null
  /** Everything that providers say of the transactions in scope. */
  records: readonly ProviderRecord[]
  transactions: readonly Transaction[]
  /** How many envelopes are open, where the scope asks. */
  openEnvelopes: number
  /** The operation that the scope names, where it is booked already. */
  booked: BookedOperation | null
}

/** What is to be saved, and what is answered once it is. */
export interface Decision<Reply> {
  reply: Reply
  /** Without a settlement nothing is saved. */
  settlement?: Settlement
  /** A new envelope, which holds nothing. */
  created?: Envelope
  inserted?: readonly Transaction[]
  updated?: readonly Transaction[]
  deleted?: readonly Transaction[]
  /** Whether transactions were inserted or deleted in bulk, beside those that are listed here. */
  changesTexts?: boolean
  /** Records of providers, new or changed. */
  records?: readonly ProviderRecord[]
  /** Rows of idempotency_keys. */
  replies?: readonly object[]
  operation?: BookedOperation
  /** A funding schedule that is taken off every transaction; the work runs alone. */
  forgotten?: string
}

/** One change of money in one bank account. */
export interface Work<Reply> {
  scope: MoneyScope
  /** Names the operation in the journal, the same in every attempt. */
  operationId: string
  /** The user or job behind the change. */
  createdBy: string | null
  /** Pure; may run several times. An error refuses this work alone. */
  decide: (current: Current) => Decision<Reply>
}

/** Everything that the works of a round leave behind in one bank account, each row once. */
export interface ChangeSet {
  /** The version that the works were decided on. */
  readVersion: bigint
  bankAccount: BankAccount
  created: readonly Envelope[]
  envelopes: readonly Envelope[]
  entries: readonly JournalEntry[]
  inserted: readonly Transaction[]
  updated: readonly Transaction[]
  deleted: readonly Transaction[]
  /** Whether a search for similar transactions would read something else than before. */
  changesTexts: boolean
  /** Ended ones first: each transaction has one live record at most, at every moment. */
  records: readonly ProviderRecord[]
  /** Envelopes that close: they are taken off every transaction, soft-deleted ones too. */
  closed: readonly string[]
  /** Funding schedules that are taken off every transaction. */
  forgotten: readonly string[]
  replies: readonly object[]
  operations: readonly BookedOperation[]
}

type Fate = 'inserted' | 'updated' | 'deleted'

/** Unit of work: applies decisions in order and collects the rows to save. */
interface UnitOfWork {
  readVersion: bigint
  isTouched: boolean
  changesTexts: boolean
  settlements: Settlements
  created: Map<string, Envelope>
  transactions: Map<string, Transaction>
  fates: Map<string, { fate: Fate; transaction: Transaction }>
  records: Map<string, ProviderRecord>
  changedRecords: Set<string>
  forgotten: string[]
  replies: object[]
  known: readonly BookedOperation[]
  openBefore: number
  operations: BookedOperation[]
}

/**
 * Decides works of one bank account in order, each on the rows as the one before left them. A
 * refused work leaves no trace. Without a bank account (there is none, or its link is deleted) all
 * of them are refused with notFound.
 *
 * @returns an outcome for each work, and the change set, null where nothing is to be saved
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

function unitOf(state: MoneyState): UnitOfWork {
  return {
    readVersion: state.bankAccount.version,
    isTouched: false,
    changesTexts: false,
    settlements: startSettlements(state),
    created: new Map(),
    transactions: new Map(state.transactions.map((one) => [one.transactionId, one])),
    fates: new Map(),
    records: new Map(state.records.map((one) => [one.providerTransactionId, one])),
    changedRecords: new Set(),
    forgotten: [],
    replies: [],
    known: state.operations,
    openBefore: state.openEnvelopes,
    operations: [],
  }
}

function attempt(
  unit: UnitOfWork,
  { scope, operationId, createdBy, decide }: Work<unknown>,
  now: Date,
): PromiseSettledResult<unknown> {
  const { bankAccount, envelopes } = unit.settlements
  const version = nextVersion(bankAccount.version, now)
  const isBooked = (one: BookedOperation) => one.operationId === scope.operationId
  try {
    const decision = decide({
      bankAccount,
      envelopes: [...envelopes.values()],
      operation: { operationId, now, createdBy, version },
      transaction: unit.transactions.get(scope.transactionId ?? '') ?? null,
      transactions: [...unit.transactions.values()],
      records: [...unit.records.values()],
      openEnvelopes: unit.openBefore + unit.created.size,
      booked: unit.operations.find(isBooked) ?? unit.known.find(isBooked) ?? null,
    })
    apply(unit, decision, version)
    return { status: 'fulfilled', value: decision.reply }
  } catch (reason) {
    return { status: 'rejected', reason }
  }
}

function apply(unit: UnitOfWork, decision: Decision<unknown>, version: bigint): void {
  const { settlement, created, records = [], replies = [], operation } = decision
  if (!settlement) return
  unit.isTouched = true
  unit.changesTexts ||= decision.changesTexts ?? false
  addSettlement(unit.settlements, {
    ...settlement,
    bankAccount: { ...settlement.bankAccount, version },
  })
  if (created) {
    unit.created.set(created.spendingId, created)
    unit.settlements.envelopes.set(created.spendingId, created)
  }
  for (const record of records) {
    unit.records.set(record.providerTransactionId, record)
    unit.changedRecords.add(record.providerTransactionId)
  }
  unit.replies.push(...replies)
  if (operation !== undefined) unit.operations.push(operation)
  if (decision.forgotten !== undefined) unit.forgotten.push(decision.forgotten)
  for (const fate of ['inserted', 'updated', 'deleted'] as const) {
    for (const transaction of decision[fate] ?? []) note(unit, fate, transaction)
  }
}

/** A transaction that is new in this round stays one to insert, as it is by then. */
function note(unit: UnitOfWork, fate: Fate, transaction: Transaction): void {
  const { transactionId } = transaction
  const before = unit.transactions.get(transactionId)
  const isNew = unit.fates.get(transactionId)?.fate === 'inserted'
  unit.changesTexts ||= fate === 'deleted' || !before || !hasSameText(before, transaction)
  unit.fates.set(transactionId, { fate: isNew ? 'inserted' : fate, transaction })
  unit.transactions.set(transactionId, transaction)
  if (fate !== 'deleted') return
  unit.transactions.delete(transactionId)
  if (isNew) unit.fates.delete(transactionId)
}

function changeSetOf(unit: UnitOfWork): ChangeSet {
  const { bankAccount, envelopes, entries } = totalOf(unit.settlements)
  const having = (fate: Fate) =>
    [...unit.fates.values()].flatMap((one) => (one.fate === fate ? one.transaction : []))
  const isCreated = ({ spendingId }: Envelope) => unit.created.has(spendingId)
  const records = [...unit.changedRecords].flatMap((id) => unit.records.get(id) ?? [])
  return {
    readVersion: unit.readVersion,
    bankAccount,
    created: [...unit.created.keys()].flatMap((id) => unit.settlements.envelopes.get(id) ?? []),
    envelopes: envelopes.filter((one) => !isCreated(one)),
    entries,
    inserted: having('inserted'),
    updated: having('updated'),
    deleted: having('deleted'),
    changesTexts: unit.changesTexts,
    records: [
      ...records.filter(({ deletedAt }) => deletedAt !== null),
      ...records.filter(({ deletedAt }) => deletedAt === null),
    ],
    closed: envelopes.flatMap((one) => (one.closedAt === null ? [] : one.spendingId)),
    forgotten: unit.forgotten,
    replies: unit.replies,
    operations: unit.operations,
  }
}
