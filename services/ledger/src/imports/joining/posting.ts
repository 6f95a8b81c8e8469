import type { Transaction } from '../../book/transaction.ts'
import { differenceOf, isBooked, sumBookings } from '../../money/bookings.ts'
import {
  type BalanceDeltas,
  deltasOf,
  endOperation,
  moveBalances,
  type Settlement,
  startOperation,
} from '../../money/operation.ts'
import {
  addSettlement,
  type Settlements,
  startSettlements,
  totalOf,
} from '../../money/settlements.ts'
import type { Current } from '../../money/unit-of-work.ts'
import type { RowPosting } from './row-joins.ts'

/** A transaction that the import `postedBy` has posted, and the day of the row by which it did. */
export interface PostedRow {
  transactionId: string
  postedBy: string
  date: Date
}

type Changed = { settlement: Settlement; transactions: Transaction[] }

/** Returns the ID of the operation in the journal by which an import posts a transaction. */
export function postingIdOf({ postedBy, transactionId }: Omit<PostedRow, 'date'>): string {
  return `${postedBy}/${transactionId}`
}

/**
 * Posts the pending transactions of joins: the balances then hold them as after a correction of
 * `isPending` (docs/money.md#corrections). Each is an operation of its own.
 */
export function postJoined(current: Current, posting: readonly RowPosting[]): Changed {
  const postedBy = current.operation.operationId
  const settlements = startSettlements(current)
  const transactions = posting.flatMap(({ row, transaction: { transactionId } }) => {
    const { before, bookings } = storedIn(current, transactionId)
    if (!before) return []
    const after = { ...before, isPending: false }
    const held = sumBookings(bookings)
    const deltas = isBooked(bookings) ? differenceOf(deltasOf(after), held) : none
    const operationId = postingIdOf({ postedBy, transactionId })
    move(settlements, current, { operationId, transactionId, date: row.date, deltas })
    return after
  })
  return { settlement: totalOf(settlements), transactions }
}

/**
 * Makes transactions pending again whose import is undone, and takes back what posting them moved.
 * A transaction that was corrected since is held as it is now; one whose deletion has returned all
 * stays. `moved` is the sum of what the balances get.
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
    const deltas = isReturned ? none : takenBack(before, bookings, postingIdOf(row))
    const operationId = `${current.operation.operationId}/${transactionId}`
    move(settlements, current, { operationId, transactionId, date, deltas })
    moved.available += deltas.available
    moved.current += deltas.current
    return before === undefined || isReturned ? [] : { ...before, isPending: true }
  })
  return { settlement: totalOf(settlements), transactions, moved }
}

const none: BalanceDeltas = { available: 0n, current: 0n }

/** Returns what takes back a posting: its reverse, unless the transaction was corrected since. */
function takenBack(
  before: Transaction | undefined,
  bookings: Current['bookings'],
  postingId: string,
): BalanceDeltas {
  const own = bookings.filter(({ operationId }) => operationId === postingId)
  if (own.length === 0 || !isBooked(bookings)) return none
  const isLast = bookings.at(-1)?.operationId === postingId
  if (isLast || !before) return differenceOf(none, sumBookings(own))
  return differenceOf(deltasOf({ ...before, isPending: true }), sumBookings(bookings))
}

function storedIn({ transactions, bookings }: Current, transactionId: string) {
  return {
    before: transactions.find((one) => one.transactionId === transactionId),
    bookings: bookings.filter(({ causeId }) => causeId === transactionId),
  }
}

function move(
  settlements: Settlements,
  { operation }: Current,
  moved: { operationId: string; transactionId: string; date: Date; deltas: BalanceDeltas },
): void {
  const { operationId, deltas, ...of } = moved
  const { bankAccount } = settlements
  const envelopes = [...settlements.envelopes.current.values()]
  const started = startOperation({
    bankAccount,
    envelopes,
    operation: { ...operation, operationId },
  })
  moveBalances(started, 'transaction', of, deltas)
  addSettlement(settlements, endOperation(started))
}
