import { notFound } from '@coffer/kit/errors'
import { nextVersion } from '@coffer/kit/version'
import type { BankAccount } from '../bank-account.ts'
import type { Settlement } from '../book.ts'
import { hasSameText } from '../cluster-input.ts'
import type { Envelope } from '../envelope.ts'
import type { JournalEntry } from '../journal.ts'
import type { BookedOperation } from '../operation.ts'
import type { AccountAlias, AccountRecord } from '../provider-account.ts'
import type { ProviderRecord } from '../provider-transaction.ts'
import type { Locked, Transaction } from '../transaction.ts'
import { emptyState, type MoneyScope, type MoneyState, type Provider } from './money-state.ts'
import { addSettlement, type Settlements, startSettlements, totalOf } from './settlements.ts'

/** What a decision works on: the scope's rows as the decisions before it left them. */
export interface Current extends Locked, Provider {
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
  /** What a provider says of the bank account, where it is new or changed. */
  accountRecord?: AccountRecord
  aliases?: readonly AccountAlias[]
  /** Rows of idempotency_keys. */
  replies?: readonly object[]
  operation?: BookedOperation
  /** A funding schedule that is taken off every transaction; the work runs alone. */
  forgotten?: string
}

/** A new bank account with its opening balances. */
export type Creation<Reply> = Decision<Reply> & { settlement: Settlement }

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
  accountRecords: readonly AccountRecord[]
  aliases: readonly AccountAlias[]
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
  state: MoneyState
  isTouched: boolean
  changesTexts: boolean
  settlements: Settlements
  created: Map<string, Envelope>
  transactions: Map<string, Transaction>
  fates: Map<string, { fate: Fate; transaction: Transaction }>
  records: Map<string, ProviderRecord>
  changedRecords: Set<string>
  accountRecords: AccountRecord[]
  aliases: AccountAlias[]
  forgotten: string[]
  replies: object[]
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

/** What is to be saved of a new bank account. */
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
    created: new Map(),
    transactions: new Map(state.transactions.map((one) => [one.transactionId, one])),
    fates: new Map(),
    records: new Map(state.records.map((one) => [one.providerTransactionId, one])),
    changedRecords: new Set(),
    accountRecords: [],
    aliases: [],
    forgotten: [],
    replies: [],
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
      accountRecord: unit.state.accountRecord,
      aliases: unit.state.aliases,
      openEnvelopes: unit.state.openEnvelopes + unit.created.size,
      booked: unit.operations.find(isBooked) ?? unit.state.operations.find(isBooked) ?? null,
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
  if (decision.accountRecord) unit.accountRecords.push(decision.accountRecord)
  unit.aliases.push(...(decision.aliases ?? []))
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
    readVersion: unit.state.bankAccount.version,
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
    accountRecords: unit.accountRecords,
    aliases: unit.aliases,
    closed: envelopes.flatMap((one) => (one.closedAt === null ? [] : one.spendingId)),
    forgotten: unit.forgotten,
    replies: unit.replies,
    operations: unit.operations,
  }
}
