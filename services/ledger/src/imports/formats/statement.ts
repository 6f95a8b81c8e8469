/** A transaction of the file; `amount` in minor units, positive when money leaves the account. */
export type FileRow = {
  uploadIdentifier: string
  amount: bigint
  /** Midnight in the account's timezone. */
  date: Date
  name: string
  originalName: string
  originalMerchantName: string
  isPending: boolean
}

/**
 * The reason why a row is skipped: the name of an unreadable field, or one of these.
 * - `columns`: the row has another number of cells than the header
 * - `direction`: the row does not show whether money came in or went out
 * - `pending`: the row is not booked yet; a later file contains the booked one
 * - `balance`: the row states a balance
 * - `identifier`: the fields of the row's identifier are blank
 */
export type SkipReason =
  | 'amount'
  | 'zero'
  | 'date'
  | 'currency'
  | 'correction'
  | 'duplicate'
  | 'columns'
  | 'direction'
  | 'pending'
  | 'balance'
  | 'identifier'

export type SkippedRow = { identifier: string; reason: SkipReason }

export type ReadRows = { rows: FileRow[]; skipped: SkippedRow[] }

/** Balances of a statement in minor units; null if the file does not state one. */
export type FileBalances = {
  current: bigint | null
  available: bigint | null
  limit: bigint | null
  /** The instant at which the balances hold; null if the file states none. */
  asOf: Date | null
  /** The instant of the available balance; null if `asOf` applies to it too. */
  availableAsOf: Date | null
}

/** The content of a file about one account. */
export type FileStatement = ReadRows & {
  kind: 'bank' | 'card'
  currency: string
  balances: FileBalances
}

/**
 * The settings for reading a file. `currency` is the account's, for files that state none; dates
 * are days in `timezone`.
 */
export type ReadingSettings = { currency: string; timezone: string }

/** The reason why a file is unreadable, for the user. */
export type Unreadable = { unreadable: string }

/** The balances of a file that states none. */
export const noBalances: FileBalances = {
  current: null,
  available: null,
  limit: null,
  asOf: null,
  availableAsOf: null,
}

export function statesBalances({ current, available, limit }: FileBalances): boolean {
  return current !== null || available !== null || limit !== null
}

/** Returns the balances with the latest instant, of several statements of one account. */
export function latestOf(balances: readonly FileBalances[]): FileBalances {
  return balances.reduce(
    (latest, next) => ((next.asOf ?? 0) >= (latest.asOf ?? 0) ? next : latest),
    noBalances,
  )
}
