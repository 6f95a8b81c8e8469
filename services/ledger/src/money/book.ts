import { type BankAccount, balancesOf } from '../accounts/bank-account.ts'
import type { Envelope } from '../envelopes/envelope.ts'
import type { Cause, JournalEntry, Pot, Reason } from './journal.ts'
import { inRange } from './money.ts'

/**
 * One indivisible change of money: its ID in the journal, its instant, the user or job behind it,
 * and the version that it gives to the bank account and to every envelope that it touches.
 */
export type Operation = {
  operationId: string
  now: Date
  createdBy?: string | null
  version: bigint
}

type Posting = Reason & { pot: Pot; spendingId: string | null; delta: bigint; date?: Date }

/**
 * A bank account with the envelopes that an operation concerns, open for postings. It works on
 * copies: what was loaded is never changed.
 */
export type Book = {
  operation: Operation
  before: { bankAccount: BankAccount; envelopes: readonly Envelope[] }
  bankAccount: BankAccount
  envelopes: Map<string, Envelope>
  /** Envelopes that the operation is about, in the order in which it came to them. */
  touched: Set<string>
  postings: Map<string, Posting>
}

/** What an operation leaves behind, all of it to be saved together. */
export type Settlement = {
  bankAccount: BankAccount
  /** The touched envelopes, in order. */
  envelopes: Envelope[]
  entries: JournalEntry[]
}

/** Opens a book on a locked bank account and those of its envelopes that may be touched. */
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

/** The open envelope of this ID, or null: closed ones count as missing. */
export function findEnvelope(book: Book, spendingId: string): Envelope | null {
  const envelope = book.envelopes.get(spendingId)
  return envelope === undefined || envelope.closedAt !== null ? null : envelope
}

/** Changes one of the bank account's own amounts, by minor units; `date` is the transaction's. */
export function postBalance(
  book: Book,
  posting: Reason & { pot: 'available' | 'current' | 'limit'; delta: bigint; date?: Date },
): void {
  const account = book.bankAccount
  if (posting.pot === 'available') {
    account.availableBalance += posting.delta
  } else if (posting.pot === 'current') {
    account.currentBalance += posting.delta
  } else {
    account.limitBalance += posting.delta
  }
  account.lastUpdated = book.operation.now
  record(book, { ...posting, spendingId: null })
}

/** Changes what an envelope holds, and with it the bank account's total for its kind. */
export function postHeld(book: Book, envelope: Envelope, change: Reason & { delta: bigint }): void {
  envelope.currentAmount += change.delta
  if (envelope.spendingType === 'goal') {
    book.bankAccount.goals += change.delta
  } else {
    book.bankAccount.expenses += change.delta
  }
  record(book, { ...change, pot: 'envelope', spendingId: envelope.spendingId })
}

/** Changes what a goal has given to transactions. */
export function postUsed(book: Book, envelope: Envelope, change: Reason & { delta: bigint }): void {
  envelope.usedAmount += change.delta
  record(book, { ...change, pot: 'used', spendingId: envelope.spendingId })
}

/**
 * Books that an envelope keeps a deduction although its transaction is deleted: two rows that
 * cancel each other, so no amount changes.
 */
export function postKept(
  book: Book,
  envelope: Envelope,
  kept: { amount: bigint; causeId: string },
) {
  const pots: Pot[] = envelope.spendingType === 'goal' ? ['envelope', 'used'] : ['envelope']
  for (const pot of pots) {
    const { causeId } = kept
    const { spendingId } = envelope
    const delta = pot === 'envelope' ? kept.amount : -kept.amount
    record(book, { pot, spendingId, delta, cause: 'deletion', causeId })
    record(book, { pot, spendingId, delta: -delta, cause: 'kept', causeId })
  }
}

/** Marks an envelope as one that the operation is about: it is saved under a new version. */
export function touch(book: Book, envelope: Envelope): void {
  book.touched.add(envelope.spendingId)
}

/**
 * Ends the operation: one journal row per pot and cause, summed. Refuses everything when any
 * result, any change or any sum leaves ±2^53−1 (design: Data).
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

/** The field of a request that moved the amount: a balance that is stated, or an amount. */
function fieldOf({ pot, cause }: Posting): string {
  return cause === 'opening' || cause === 'manual-edit' ? `${pot}Balance` : 'amount'
}

function record(book: Book, posting: Posting): void {
  const key = `${posting.pot} ${posting.spendingId ?? ''} ${posting.cause}`
  const same = book.postings.get(key)
  if (same === undefined) {
    book.postings.set(key, posting)
  } else {
    same.delta += posting.delta
  }
}

// What is stated anew is booked even where it changes nothing: it holds from then on.
const statedBy: ReadonlySet<Cause> = new Set(['period-closed', 'upload', 'manual-edit'])

/** The rows in the order of their first posting. */
function entriesOf(book: Book): JournalEntry[] {
  const held = new Map<string, bigint>()
  const entries: JournalEntry[] = []
  for (const posting of book.postings.values()) {
    const { pot, spendingId, delta, cause, causeId, date = null } = posting
    if (delta === 0n && !statedBy.has(cause)) {
      continue
    }
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
  const envelope = envelopes.find((one) => one.spendingId === of.spendingId)
  const amounts: Record<Pot, bigint> = {
    available: bankAccount.availableBalance,
    current: bankAccount.currentBalance,
    limit: bankAccount.limitBalance,
    envelope: envelope?.currentAmount ?? 0n,
    used: envelope?.usedAmount ?? 0n,
  }
  return amounts[of.pot]
}
