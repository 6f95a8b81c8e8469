import { namedEnvelope, type Transaction } from '../../book/transaction.ts'
import { differenceOf, isBooked, refundableAfter, sumBookings } from '../../money/bookings.ts'
import {
  type BalanceDeltas,
  deltasOf,
  endOperation,
  moveBalances,
  type Settlement,
  type StartedOperation,
  startOperation,
} from '../../money/operation.ts'
import {
  addSettlement,
  type Settlements,
  startSettlements,
  totalOf,
} from '../../money/settlements.ts'
import { giveBack, redate } from '../../money/spend.ts'
import type { Current } from '../../money/unit-of-work.ts'
import { assign } from '../../transactions/transaction-creation.ts'
import type { RowPosting } from './row-joins.ts'

/**
 * A pending transaction that the import `postedBy` has posted. `amount` and `date` are the row's;
 * `formerAmount` and `formerDate` are the transaction's before the posting, null if unchanged.
 */
export interface PostedRow {
  transactionId: string
  postedBy: string
  amount: bigint
  date: Date
  formerAmount: bigint | null
  formerDate: Date | null
}

type Changed = { settlement: Settlement; transactions: Transaction[] }

/** Returns the ID of the journal operation in which an import posts a transaction. */
export function postingIdOf({
  postedBy,
  transactionId,
}: Pick<PostedRow, 'postedBy' | 'transactionId'>): string {
  return `${postedBy}/${transactionId}`
}

/**
 * Posts the pending transactions to which rows of a file are joined. Balances and envelopes change
 * as in a correction (docs/money.md#corrections). Each posting is an operation of its own.
 */
export function postJoined(current: Current, posting: readonly RowPosting[]): Changed {
  const postedBy = current.operation.operationId
  const settlements = startSettlements(current)
  const transactions = posting.flatMap(({ row, isSame, transaction: { transactionId } }) => {
    const { before, bookings } = storedIn(current, transactionId)
    if (!before) return []
    const { amount, date } = isSame ? row : before
    const after = { ...before, amount, date, isPending: false }
    const held = sumBookings(bookings)
    const deltas = isBooked(bookings) ? differenceOf(deltasOf(after), held) : none
    const operationId = postingIdOf({ postedBy, transactionId })
    const moved = { operationId, transactionId, date: row.date, deltas, before, after }
    return move(settlements, current, moved) ?? []
  })
  return { settlement: totalOf(settlements), transactions }
}

/**
 * Undo of `postJoined`: makes the transactions pending again, with their former amounts and days,
 * and reverses the effect on the balances. A transaction that was corrected since then counts with
 * its current values; a deleted transaction, whose money was returned, stays unchanged. `moved` is
 * the sum of the reversals.
 */
export function unpost(
  current: Current,
  posted: readonly PostedRow[],
): Changed & { moved: BalanceDeltas } {
  const settlements = startSettlements(current)
  const moved = { ...none }
  const transactions = posted.flatMap((row) => {
    const { transactionId, date } = row
    const { before, bookings } = storedIn(current, transactionId)
    const isReturned = before?.deletedAt !== null && !isBooked(bookings)
    const after = before && pendingAgain(before, row)
    const deltas = isReturned ? none : takenBack(after, bookings, postingIdOf(row))
    const operationId = `${current.operation.operationId}/${transactionId}`
    moved.available += deltas.available
    moved.current += deltas.current
    const states = before && after && !isReturned ? { before, after } : {}
    return move(settlements, current, { operationId, transactionId, date, deltas, ...states }) ?? []
  })
  return { settlement: totalOf(settlements), transactions, moved }
}

const none: BalanceDeltas = { available: 0n, current: 0n }

/** Returns a transaction with its state before the posting; later changes by users are kept. */
function pendingAgain(before: Transaction, posted: PostedRow): Transaction {
  const { formerAmount, formerDate } = posted
  const isPosted = before.deletedAt === null && before.amount === posted.amount
  const amount = (isPosted ? formerAmount : null) ?? before.amount
  const isItsDay = before.date.getTime() === posted.date.getTime()
  const date = (isItsDay ? formerDate : null) ?? before.date
  return { ...before, amount, date, isPending: true }
}

/**
 * Returns the balance deltas that undo a posting: normally the negated deltas of the posting. If
 * the transaction has moved balances since then, for example by a correction, returns the deltas
 * after which its total is that of a pending transaction with its current amount.
 */
function takenBack(
  after: Transaction | undefined,
  bookings: Current['bookings'],
  postingId: string,
): BalanceDeltas {
  const own = bookings.filter(({ operationId }) => operationId === postingId)
  if (own.length === 0 || !isBooked(bookings)) return none
  const isLast = bookings.at(-1)?.operationId === postingId
  if (isLast || !after) return differenceOf(none, sumBookings(own))
  return differenceOf(deltasOf(after), sumBookings(bookings))
}

function storedIn({ transactions, bookings }: Current, transactionId: string) {
  return {
    before: transactions.find((one) => one.transactionId === transactionId),
    bookings: bookings.filter(({ causeId }) => causeId === transactionId),
  }
}

/**
 * Adds `deltas` to the balances, and if the transaction's amount changes, reassigns it to its
 * envelope. Returns the transaction with the amount that the envelope pays.
 */
function move(
  settlements: Settlements,
  { operation, refundable = new Map() }: Current,
  moved: {
    operationId: string
    transactionId: string
    date: Date
    deltas: BalanceDeltas
    before?: Transaction
    after?: Transaction
  },
): Transaction | undefined {
  const { operationId, deltas, before, after, ...of } = moved
  const { bankAccount, entries } = settlements
  const started = startOperation({
    bankAccount,
    envelopes: [...settlements.envelopes.current.values()],
    refundable: refundableAfter(refundable, entries),
    operation: { ...operation, operationId },
  })
  moveBalances(started, 'transaction', of, deltas)
  const changed = before && after && reassigned(started, before, after)
  addSettlement(settlements, endOperation(started))
  return changed
}

/** Reassigns a transaction to its envelope, which pays for the new amount as far as it can. */
function reassigned(
  started: StartedOperation,
  before: Transaction,
  after: Transaction,
): Transaction {
  if (before.amount === after.amount) {
    redate(started, before, after.date)
    return after
  }
  giveBack(started, before, { cause: 'transaction', causeId: before.transactionId })
  return { ...after, ...assign(started, after, namedEnvelope(before)) }
}
