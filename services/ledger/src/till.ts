import type { BankAccount } from './bank-account.ts'
import type { Settlement } from './book.ts'
import type { Envelope } from './envelope.ts'
import type { JournalEntry } from './journal.ts'
import type { Transaction } from './transaction.ts'

/**
 * A bank account while several changes of its money are decided, each on what the one before left,
 * to be saved together. `Reply` and `Operation` are rows that travel along unread.
 */
export type Till<Reply = unknown, Operation = unknown> = {
  bankAccount: BankAccount
  envelopes: Map<string, Envelope>
  transactions: Map<string, Transaction>
  /** Whether anything is to be saved. */
  isTouched: boolean
  changedEnvelopes: Set<string>
  /** What becomes of the transactions that changed. */
  fates: Map<string, { fate: 'inserted' | 'updated' | 'deleted'; transaction: Transaction }>
  entries: JournalEntry[]
  replies: Reply[]
  operations: Operation[]
}

/** The part of a decision that is saved. */
export type Deposit<Reply, Operation> = {
  settlement?: Settlement
  inserted?: Transaction | readonly Transaction[] | null
  updated?: Transaction | null
  deleted?: Transaction | null
  replies?: readonly Reply[]
  operation?: Operation
}

/** Opens a till on locked rows. */
export function openTill<Reply, Operation>(locked: {
  bankAccount: BankAccount
  envelopes: readonly Envelope[]
  transactions: readonly Transaction[]
}): Till<Reply, Operation> {
  return {
    bankAccount: locked.bankAccount,
    envelopes: new Map(locked.envelopes.map((one) => [one.spendingId, one])),
    transactions: new Map(locked.transactions.map((one) => [one.transactionId, one])),
    isTouched: false,
    changedEnvelopes: new Set(),
    fates: new Map(),
    entries: [],
    replies: [],
    operations: [],
  }
}

/** Puts a decision into the till: the next one is decided on what it leaves. */
export function addDecision<Reply, Operation>(
  till: Till<Reply, Operation>,
  decision: Deposit<Reply, Operation>,
): void {
  const { settlement, replies = [], operation } = decision
  if (!settlement) return
  till.isTouched = true
  till.bankAccount = settlement.bankAccount
  for (const envelope of settlement.envelopes) {
    till.envelopes.set(envelope.spendingId, envelope)
    till.changedEnvelopes.add(envelope.spendingId)
  }
  till.entries.push(...settlement.entries)
  till.replies.push(...replies)
  if (operation !== undefined) till.operations.push(operation)
  for (const fate of ['inserted', 'updated', 'deleted'] as const) {
    for (const one of [decision[fate] ?? []].flat()) change(till, fate, one)
  }
}

function change(
  till: Till,
  fate: 'inserted' | 'updated' | 'deleted',
  transaction: Transaction,
): void {
  const { transactionId } = transaction
  till.fates.set(transactionId, { fate, transaction })
  if (fate === 'deleted') {
    till.transactions.delete(transactionId)
  } else {
    till.transactions.set(transactionId, transaction)
  }
}

/** What is to be saved, each row once; null when every decision left things as they were. */
export function tillWrite<Reply, Operation>(till: Till<Reply, Operation>) {
  if (!till.isTouched) return null
  const envelopes = [...till.changedEnvelopes].flatMap((id) => till.envelopes.get(id) ?? [])
  const having = (fate: string) =>
    [...till.fates.values()].flatMap((one) => (one.fate === fate ? one.transaction : []))
  return {
    bankAccount: till.bankAccount,
    envelopes,
    entries: till.entries,
    inserted: having('inserted'),
    updated: having('updated'),
    deleted: having('deleted'),
    closed: envelopes.flatMap((one) => (one.closedAt === null ? [] : one.spendingId)),
    replies: till.replies,
    operations: till.operations,
  }
}
