/** A transaction as the file has it, in our terms: positive minor units leave the account. */
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
 * Why a row was left out: what could not be read, or why it is no transaction of its own.
 * `columns`: it has another number of cells than the header; `direction`: it does not say which way
 * the money went; `pending`: a later file has it booked; `balance`: it states a balance;
 * `identifier`: the fields that should tell it from others are blank.
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

/** Rows in the order of the file. */
export type ReadRows = { rows: FileRow[]; skipped: SkippedRow[] }

/** Balances of a statement in minor units; null where the file states none. */
export type FileBalances = {
  current: bigint | null
  available: bigint | null
  limit: bigint | null
  /** The instant they hold for; null when the file does not say. */
  asOf: Date | null
  /** The available balance's own instant; null when it has none, and `asOf` holds for it too. */
  availableAsOf: Date | null
}

/** What a file says of one account. */
export type FileStatement = ReadRows & {
  kind: 'bank' | 'card'
  currency: string
  balances: FileBalances
}

/** `currency` is the account's, for files that name none; dates are days in `timezone`. */
export type ReadingSettings = { currency: string; timezone: string }

/** Why a file cannot be read, in words for the person who uploaded it. */
export type Unreadable = { unreadable: string }

/** The balances of a file that states none. */
export const noBalances: FileBalances = {
  current: null,
  available: null,
  limit: null,
  asOf: null,
  availableAsOf: null,
}

/** Whether any balance is stated. */
export function statesBalances({ current, available, limit }: FileBalances): boolean {
  return current !== null || available !== null || limit !== null
}

/** Of the balances of several statements of one account those that hold for the latest instant. */
export function latestOf(balances: readonly FileBalances[]): FileBalances {
  return balances.reduce(
    (latest, next) => ((next.asOf ?? 0) >= (latest.asOf ?? 0) ? next : latest),
    noBalances,
  )
}
