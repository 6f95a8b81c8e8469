import { type BankAccount, balanceFields, balancesOf } from '../book/bank-account.ts'
import type { Envelope } from '../book/envelope.ts'
import type { Cause, JournalEntry, Pot, Reason } from '../book/journal.ts'
import { inRange } from '../book/money.ts'
import type { Transaction } from '../book/transaction.ts'

/** One indivisible change of money by a user or job; the rows that it changes get `version`. */
export type Operation = {
  operationId: string
  now: Date
  createdBy?: string | null
  version: bigint
}

/** Input of a decision: the bank account, and the envelopes that the request may change. */
export type Locked = {
  bankAccount: BankAccount
  envelopes: readonly Envelope[]
  operation: Operation
  /** Amounts that transactions took from envelopes and did not give back, if they were read. */
  refundable?: ReadonlyMap<string, bigint>
}

type Posting = Reason & {
  pot: Pot
  spendingId: string | null
  delta: bigint
  date?: Date | undefined
}

/**
 * Unit of work: an operation with its postings (changes of amounts) so far. The bank account and
 * envelopes are copies; `before` has the rows that were read.
 */
export type StartedOperation = {
  operation: Operation
  before: { bankAccount: BankAccount; envelopes: readonly Envelope[] }
  bankAccount: BankAccount
  envelopes: Map<string, Envelope>
  /** IDs of envelopes to save, even if they change by 0, in the order of their first change. */
  touched: Set<string>
  /** `refundable` of `Locked` after the postings; an envelope without an entry was not read. */
  refundable: Map<string, bigint>
  postings: Map<string, Posting>
}

/** The rows that an operation changes or adds; either all are saved or none. */
export type Settlement = {
  bankAccount: BankAccount
  /** The changed envelopes, in the order of their first change. */
  envelopes: Envelope[]
  entries: JournalEntry[]
}

/** Starts an operation on copies of a bank account and of the envelopes that it may change. */
export function startOperation(state: Locked): StartedOperation {
  return {
    operation: state.operation,
    before: { bankAccount: state.bankAccount, envelopes: state.envelopes },
    bankAccount: { ...state.bankAccount },
    envelopes: new Map(state.envelopes.map((one) => [one.spendingId, { ...one }])),
    touched: new Set(),
    refundable: new Map(state.refundable),
    postings: new Map(),
  }
}

/** Returns the envelope with this ID, or null if it is missing or closed. */
export function findEnvelope(started: StartedOperation, spendingId: string): Envelope | null {
  const envelope = started.envelopes.get(spendingId)
  return envelope === undefined || envelope.closedAt !== null ? null : envelope
}

type BalancePot = keyof typeof balanceFields

/** Adds `delta` (minor units) to a balance; `date` is the date of the causing transaction. */
export function postBalance(
  started: StartedOperation,
  posting: Reason & { pot: BalancePot; delta: bigint; date?: Date | undefined },
): void {
  started.bankAccount[balanceFields[posting.pot]] += posting.delta
  started.bankAccount.lastUpdated = started.operation.now
  record(started, { ...posting, spendingId: null })
}

/** Deltas of the available and the current balance, in minor units. */
export type BalanceDeltas = { available: bigint; current: bigint }

/** Returns how a transaction moves the balances: the current one only if it is posted. */
export function deltasOf({ amount, isPending }: Pick<Transaction, 'amount' | 'isPending'>) {
  return { available: -amount, current: isPending ? 0n : -amount }
}

/**
 * Adds deltas to the balances because of a transaction. The journal keeps its `date`, which shows
 * whether a balance stated by a file includes the transaction.
 */
export function moveBalances(
  started: StartedOperation,
  cause: 'transaction' | 'deletion',
  { transactionId: causeId, date }: Pick<Transaction, 'transactionId' | 'date'>,
  deltas: BalanceDeltas,
): void {
  for (const pot of ['available', 'current'] as const) {
    const delta = deltas[pot]
    if (delta !== 0n) postBalance(started, { pot, delta, cause, causeId, date })
  }
}

/** New balances in minor units; an undefined one does not change. */
export type NewBalances = { [Pot in BalancePot]?: bigint | undefined }

/** Sets the given balances and adds the differences to the journal, with `date` if it is given. */
export function setBalances(
  started: StartedOperation,
  { to, ...reason }: Reason & { to: NewBalances; date?: Date | undefined },
): void {
  for (const pot of ['available', 'current', 'limit'] as const) {
    const amount = to[pot]
    if (amount === undefined) continue
    postBalance(started, {
      ...reason,
      pot,
      delta: amount - started.bankAccount[balanceFields[pot]],
    })
  }
}

/**
 * Adds `delta` (minor units) to an envelope and to the bank account's total of its type. The
 * journal stores `date`: the date of a funding, or the due date of a period.
 */
export function postHeld(
  started: StartedOperation,
  envelope: Envelope,
  change: Reason & { delta: bigint; date?: Date | undefined },
): void {
  started.touched.add(envelope.spendingId)
  envelope.currentAmount += change.delta
  started.bankAccount[envelope.spendingType === 'goal' ? 'goals' : 'expenses'] += change.delta
  record(started, { ...change, pot: 'envelope', spendingId: envelope.spendingId })
}

/** Adds `delta` (minor units) to the amount that a goal has given to transactions. */
export function postUsed(
  started: StartedOperation,
  envelope: Envelope,
  change: Reason & { delta: bigint },
): void {
  envelope.usedAmount += change.delta
  record(started, { ...change, pot: 'used', spendingId: envelope.spendingId })
}

/**
 * Journals that an envelope does not get a deleted transaction's money back, or keeps its refund
 * (a negative amount): two rows that cancel each other, so no amount changes
 * (docs/money.md#deletion-of-transactions).
 */
export function postKept(
  started: StartedOperation,
  envelope: Envelope,
  kept: { amount: bigint; causeId: string },
) {
  postCancelling(started, envelope, { ...kept, causes: ['deletion', 'kept'] })
}

/**
 * Journals that a restored transaction uses the money again that its envelope kept at the deletion:
 * two rows that cancel each other, the reverse of those of `postKept`.
 */
export function postTakenUp(
  started: StartedOperation,
  envelope: Envelope,
  kept: { amount: bigint; causeId: string },
) {
  const cause = kept.amount < 0n ? 'refund' : 'transaction'
  postCancelling(started, envelope, { ...kept, causes: ['kept', cause] })
}

/**
 * Journals `amount` into an envelope by the first cause, and out of it by the second. For a refund
 * (negative amount), the row that adds money comes first, so that no row shows less than 0.
 */
function postCancelling(
  started: StartedOperation,
  { spendingId, spendingType }: Envelope,
  { amount, causeId, causes }: { amount: bigint; causeId: string; causes: [Cause, Cause] },
): void {
  const pots: Pot[] = spendingType === 'goal' ? ['envelope', 'used'] : ['envelope']
  for (const pot of pots) {
    const delta = pot === 'envelope' ? amount : -amount
    const rows = [
      { delta, cause: causes[0] },
      { delta: -delta, cause: causes[1] },
    ]
    if (amount < 0n && delta < 0n) rows.reverse()
    for (const row of rows) record(started, { pot, spendingId, causeId, ...row })
  }
}

/**
 * Returns the rows to save, with one journal row for each amount and cause. Throws `invalid` if an
 * amount, change or sum exceeds ±2^53−1 (docs/money.md#amounts-and-their-bounds).
 */
export function endOperation(started: StartedOperation): Settlement {
  const { version } = started.operation
  const envelopes = [...started.touched].flatMap((spendingId) => {
    const envelope = started.envelopes.get(spendingId)
    return envelope === undefined ? [] : [{ ...envelope, version }]
  })
  for (const envelope of envelopes) {
    inRange(envelope.currentAmount)
    inRange(envelope.usedAmount)
    inRange(envelope.periodSpent)
    inRange(envelope.currentAmount + envelope.usedAmount)
  }
  const balances = balancesOf(started.bankAccount)
  const available = [...started.postings.values()].find(({ pot }) => pot === 'available')
  for (const sum of [balances.expenses, balances.goals, balances.free]) {
    inRange(sum, available && fieldOf(available))
  }
  return {
    bankAccount: { ...started.bankAccount, version },
    envelopes,
    entries: entriesOf(started),
  }
}

/** Returns the request field to name in a refusal, such as `availableBalance` or `amount`. */
function fieldOf({ pot, cause }: Posting): string {
  return cause === 'opening' || cause === 'manual-edit' ? `${pot}Balance` : 'amount'
}

function record(started: StartedOperation, posting: Posting): void {
  const { spendingId, pot, delta, cause } = posting
  const refundable = started.refundable.get(spendingId ?? '')
  if (spendingId !== null && refundable !== undefined && isSpending({ pot, cause })) {
    started.refundable.set(spendingId, refundable - delta)
  }
  const key = `${posting.pot} ${posting.spendingId ?? ''} ${posting.cause}`
  const same = started.postings.get(key)
  if (same) same.delta += posting.delta
  else started.postings.set(key, posting)
}

const spendingCauses: ReadonlySet<Cause> = new Set([
  'transaction',
  'deletion',
  'kept',
  'undo',
  'refund',
])

/** Returns whether a journal row is money that transactions take from an envelope or give back. */
export function isSpending({ pot, cause }: Pick<JournalEntry, 'pot' | 'cause'>): boolean {
  return pot === 'envelope' && spendingCauses.has(cause)
}

// Causes that are journaled even with a change of 0: the row stores since when the amount is valid.
const statedBy = new Set<Cause>(['period-closed', 'period-skipped', 'upload', 'manual-edit'])

/** Returns the journal rows in the order of posting; a row sums up postings of a pot and cause. */
function entriesOf(started: StartedOperation): JournalEntry[] {
  const held = new Map<string, bigint>()
  const entries: JournalEntry[] = []
  for (const posting of started.postings.values()) {
    const { pot, spendingId, delta, cause, causeId, date = null } = posting
    const isStated = statedBy.has(cause) || (cause === 'opening' && date !== null)
    if (delta === 0n && !isStated) continue
    const key = `${pot} ${spendingId ?? ''}`
    const amount = (held.get(key) ?? amountBefore(started, { pot, spendingId })) + delta
    held.set(key, amount)
    entries.push({
      accountId: started.bankAccount.accountId,
      operationId: started.operation.operationId,
      bankAccountId: started.bankAccount.bankAccountId,
      spendingId,
      pot,
      delta: inRange(delta, fieldOf(posting)),
      amount: inRange(amount, fieldOf(posting)),
      cause,
      causeId,
      date,
      createdAt: started.operation.now,
      createdBy: started.operation.createdBy ?? null,
    })
  }
  return entries
}

function amountBefore(
  started: StartedOperation,
  of: { pot: Pot; spendingId: string | null },
): bigint {
  const { bankAccount, envelopes } = started.before
  if (of.pot !== 'envelope' && of.pot !== 'used') return bankAccount[balanceFields[of.pot]]
  const envelope = envelopes.find((one) => one.spendingId === of.spendingId)
  return (of.pot === 'envelope' ? envelope?.currentAmount : envelope?.usedAmount) ?? 0n
}
