import type { User } from '../sync-model/user-actions.ts'

/** A bank account of the script. */
export interface Account {
  /** Its ID at the aggregator now. */
  id: string
  decimals: number
  user: User
  isHidden: boolean
  /** Whether a cursor was refused since the last whole sync that listed the account. */
  isRefused: boolean
  /** Balance in minor units, and all that a sync may have read. */
  balance: number
  balances: number[]
}

/** A transaction as the bank lists it. */
export interface Row {
  /** Minor units; positive if money leaves the account. No other row has the same. */
  amount: number
  /** Counts from the first day of the script. */
  day: number
  isPending: boolean
  /** Number of the description. */
  text: number
}

/** A purchase or deposit, which the aggregator identifies: by its ID, or the pending one's. */
export interface Purchase {
  account: Account
  /** ID at the aggregator: of the row that is listed, or was last. */
  id: string
  /** ID of the pending row that is listed beside the posted one. */
  stale: string | null
  /** Whether the stale row is not listed yet. */
  isUnlisted: boolean
  /** Whether no sync has begun since it was made. */
  isNew: boolean
  /** Null while the bank does not list it. */
  row: Row | null
  /** Rows that the last whole sync read, or a later one may have read; the newest is last. */
  seen: Row[]
  /** Whether the ledger may lack it: it was not listed since the last whole sync. */
  mayLack: boolean
  /** Number of whole syncs that may still leave it out. */
  delayed: number
  isCancelled: boolean
  /** Whether a renewed consent has changed its ID since the last whole sync. */
  isRenewed: boolean
  /** Whether it is posted with a tip, under an ID that names no pending one, since then. */
  isTipped: boolean
  /** Whether no client can learn that it was removed: its cursor was refused. */
  mayStay: boolean
  /** Its transaction; null before a sync. */
  transactionId: string | null
}

/** Returns the last row of a purchase. */
export function lastOf({ seen }: Purchase): Row {
  const row = seen.at(-1)
  if (!row) throw new Error('a purchase has at least one row')
  return row
}

/** Sets the row of a purchase, after a change at the bank. */
export function show(purchase: Purchase, row: Row): void {
  purchase.row = row
  purchase.seen.push(row)
}

/** Sets that the bank does not list a purchase any more. */
export function hide(purchase: Purchase): void {
  purchase.row = null
  purchase.mayLack = true
  purchase.mayStay ||= purchase.account.isRefused
}

/**
 * Returns whether the ledger must keep the transaction: it knows an ID of the purchase. After a
 * renewed consent it compares rows, so these must be the same (docs/syncs.md#matching).
 */
export function keepsTransaction({ isRenewed, isTipped, seen }: Purchase): boolean {
  return !isTipped && (!isRenewed || seen.length === 1)
}

/**
 * Returns whether a client must recognize a purchase by its tip, if the user has worked on it: the
 * same text and day, and nothing else has changed (docs/syncs.md#tips-and-holds).
 */
export function hasTip({ isTipped, isRenewed, account, seen }: Purchase): boolean {
  const [before, after, ...others] = seen
  const isPlain = isTipped && !isRenewed && !account.isRefused && others.length === 0
  return isPlain && before?.text === after?.text && before?.day === after?.day
}
