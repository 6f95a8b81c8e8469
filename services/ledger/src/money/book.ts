import { type BankAccount, balanceFields, balancesOf } from '../accounts/bank-account.ts'
import type { Envelope } from '../envelopes/envelope.ts'
import type { Cause, JournalEntry, Pot, Reason } from './journal.ts'
import { inRange } from './money.ts'

/**
 * One indivisible change of money. `createdBy` is the user or job that makes it. The bank account
 * and every touched envelope get `version`.
 */
export type Operation = {
  operationId: string
  now: Date
  createdBy?: string | null
  version: bigint
}

type Posting = Reason & { pot: Pot; spendingId: string | null; delta: bigint; date?: Date }

/**
 * Unit of work: one operation on a bank account and its envelopes, with the postings so far. It
 * changes copies, never the rows it starts from.
 */
export type Book = {
  operation: Operation
  before: { bankAccount: BankAccount; envelopes: readonly Envelope[] }
  bankAccount: BankAccount
  envelopes: Map<string, Envelope>
  /** Envelopes that the operation changes or names, in the order of the first touch. */
  touched: Set<string>
  postings: Map<string, Posting>
}

/** The result of an operation: every row of it is saved, or none. */
export type Settlement = {
  bankAccount: BankAccount
  /** The touched envelopes, in order. */
  envelopes: Envelope[]
  entries: JournalEntry[]
}

/** Starts an operation on a bank account and the envelopes that it may change. */
export function openBook(state: {
  bankAccount: BankAccount
  envelopes: readonly Envelope[]
  operation: Operation
}): Book {
  return {
    operation: state.operation,
    before: { bankAccount: state.bankAccount, envelopes: state.envelopes },
    bankAccount: { ...state.bankAccount },
    envelopes: new Map(state.envelopes.map((one) => [one.spendingId, { ...one }])),
    touched: new Set(),
    postings: new Map(),
  }
}

/** The envelope with this ID, or null if it is missing or closed. */
export function findEnvelope(book: Book, spendingId: string): Envelope | null {
  const envelope = book.envelopes.get(spendingId)
  return envelope === undefined || envelope.closedAt !== null ? null : envelope
}

type BalancePot = keyof typeof balanceFields

/** Adds `delta` (minor units) to a balance. `date` is the day of the transaction that causes it. */
export function postBalance(
  book: Book,
  posting: Reason & { pot: BalancePot; delta: bigint; date?: Date },
): void {
  book.bankAccount[balanceFields[posting.pot]] += posting.delta
  book.bankAccount.lastUpdated = book.operation.now
  record(book, { ...posting, spendingId: null })
}

/**
 * Moves the balances by a new transaction, or back by a deleted one: available always, current
 * unless it is pending (docs/money.md#balances). The postings have the day of the transaction: a
 * file may state a balance for an earlier instant, which does not include it.
 */
export function moveBalances(
  book: Book,
  cause: 'transaction' | 'deletion',
  transaction: { transactionId: string; amount: bigint; date: Date; isPending: boolean },
): void {
  const { transactionId: causeId, amount, date, isPending } = transaction
  const delta = cause === 'deletion' ? amount : -amount
  postBalance(book, { pot: 'available', delta, cause, causeId, date })
  if (!isPending) postBalance(book, { pot: 'current', delta, cause, causeId, date })
}

/** Stated balances in minor units; an undefined one keeps its value. */
export type NewBalances = { [Pot in BalancePot]?: bigint | undefined }

/** Sets the stated balances and journals the differences. */
export function setBalances(book: Book, { to, ...reason }: Reason & { to: NewBalances }): void {
  for (const pot of ['available', 'current', 'limit'] as const) {
    const amount = to[pot]
    if (amount === undefined) continue
    postBalance(book, { ...reason, pot, delta: amount - book.bankAccount[balanceFields[pot]] })
  }
}

/** Adds `delta` (minor units) to an envelope and to the total of its type (expenses or goals). */
export function postHeld(book: Book, envelope: Envelope, change: Reason & { delta: bigint }): void {
  envelope.currentAmount += change.delta
  book.bankAccount[envelope.spendingType === 'goal' ? 'goals' : 'expenses'] += change.delta
  record(book, { ...change, pot: 'envelope', spendingId: envelope.spendingId })
}

/** Adds `delta` (minor units) to the amount that a goal has given to transactions. */
export function postUsed(book: Book, envelope: Envelope, change: Reason & { delta: bigint }): void {
  envelope.usedAmount += change.delta
  record(book, { ...change, pot: 'used', spendingId: envelope.spendingId })
}

/**
 * Journals that an envelope keeps the deduction of a deleted transaction. The two rows for each pot
 * cancel each other, so no amount changes (docs/money.md#deletion-of-transactions).
 */
export function postKept(
  book: Book,
  envelope: Envelope,
  kept: { amount: bigint; causeId: string },
) {
  const pots: Pot[] = envelope.spendingType === 'goal' ? ['envelope', 'used'] : ['envelope']
  for (const pot of pots) {
    const posting = { pot, spendingId: envelope.spendingId, causeId: kept.causeId }
    const delta = pot === 'envelope' ? kept.amount : -kept.amount
    record(book, { ...posting, delta, cause: 'deletion' })
    record(book, { ...posting, delta: -delta, cause: 'kept' })
  }
}

/** Includes an envelope in the result, so that it is saved under the new version. */
export function touch(book: Book, envelope: Envelope): void {
  book.touched.add(envelope.spendingId)
}

/**
 * Ends the operation: one journal row for each pot and cause, with the sum of its postings. Throws
 * `invalid` if an amount, change or sum leaves ±2^53−1 (docs/money.md#amounts-and-their-bounds).
 */
export function settle(book: Book): Settlement {
  const { version } = book.operation
  const envelopes = [...book.touched].flatMap((spendingId) => {
    const envelope = book.envelopes.get(spendingId)
    return envelope === undefined ? [] : [{ ...envelope, version }]
  })
  for (const envelope of envelopes) {
    inRange(envelope.currentAmount)
    inRange(envelope.usedAmount)
    inRange(envelope.periodSpent)
    inRange(envelope.currentAmount + envelope.usedAmount)
  }
  const balances = balancesOf(book.bankAccount)
  const available = [...book.postings.values()].find(({ pot }) => pot === 'available')
  for (const sum of [balances.expenses, balances.goals, balances.free]) {
    inRange(sum, available && fieldOf(available))
  }
  return { bankAccount: { ...book.bankAccount, version }, envelopes, entries: entriesOf(book) }
}

/** The request field that the refusal names: the stated balance, or else the amount. */
function fieldOf({ pot, cause }: Posting): string {
  return cause === 'opening' || cause === 'manual-edit' ? `${pot}Balance` : 'amount'
}

function record(book: Book, posting: Posting): void {
  const key = `${posting.pot} ${posting.spendingId ?? ''} ${posting.cause}`
  const same = book.postings.get(key)
  if (same) same.delta += posting.delta
  else book.postings.set(key, posting)
}

// A restatement is journaled even with a change of 0: the row marks from when the value holds.
const statedBy: ReadonlySet<Cause> = new Set(['period-closed', 'upload', 'manual-edit'])

/** Journal rows, in the order of the first posting of each. */
function entriesOf(book: Book): JournalEntry[] {
  const held = new Map<string, bigint>()
  const entries: JournalEntry[] = []
  for (const posting of book.postings.values()) {
    const { pot, spendingId, delta, cause, causeId, date = null } = posting
    if (delta === 0n && !statedBy.has(cause)) continue
    const key = `${pot} ${spendingId ?? ''}`
    const amount = (held.get(key) ?? amountBefore(book, { pot, spendingId })) + delta
    held.set(key, amount)
    entries.push({
      accountId: book.bankAccount.accountId,
      operationId: book.operation.operationId,
      bankAccountId: book.bankAccount.bankAccountId,
      spendingId,
      pot,
      delta: inRange(delta, fieldOf(posting)),
      amount: inRange(amount, fieldOf(posting)),
      cause,
      causeId,
      date,
      createdAt: book.operation.now,
      createdBy: book.operation.createdBy ?? null,
    })
  }
  return entries
}

function amountBefore(book: Book, of: { pot: Pot; spendingId: string | null }): bigint {
  const { bankAccount, envelopes } = book.before
  if (of.pot !== 'envelope' && of.pot !== 'used') return bankAccount[balanceFields[of.pot]]
  const envelope = envelopes.find((one) => one.spendingId === of.spendingId)
  return (of.pot === 'envelope' ? envelope?.currentAmount : envelope?.usedAmount) ?? 0n
}
