import { say } from '@coffer/kit/reasons/reasons'
import { values } from '@coffer/proto/values'
import { z } from 'zod'
import type { Pages } from './rows/pages.ts'

/** A transaction in a file; `amount` in minor units, positive when money leaves the account. */
export type FileRow = {
  uploadIdentifier: string
  amount: bigint
  /** Midnight of the transaction's day in the account's timezone. */
  date: Date
  name: string
  originalName: string
  originalMerchantName: string
  isPending: boolean
  booking?: Booking
  reuse?: Reuse
  /** The identifier of an earlier row that this row corrects, and this row's place in the file. */
  corrects?: { identifier: string; place: RowPlace }
}

/**
 * The bank's identifier of a row, and an identifier made from its contents. The latter is used if
 * another row has the bank's identifier already.
 */
export type Reuse = { identifier: string; byContents: string }

/**
 * The bank's booking to which a row belongs: its identifier and its whole amount. `isPart` if the
 * row is only a part: a notification and a later statement may split one booking differently.
 */
export type Booking = { identifier: string; amount: bigint; isPart: boolean }

/** The reason why a row is not imported (docs/file-formats.md#rules-for-every-format). */
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

export type SkippedRow = { identifier: string; reason: SkipReason } & RowPlace

/** Number of skipped rows for a reason, with the first rows (docs/files.md#counts). */
export const SkippedRows = z.object({
  reason: z.enum(values['SkippedRows.reason']),
  count: z.number(),
  rows: z.array(z.object({ line: z.number().nullable(), text: z.string() })),
})
export type SkippedRows = z.infer<typeof SkippedRows>

/** The position of a row in its file: the text, and if the format has lines, the line from 1. */
export type RowPlace = { line?: number; text?: string }

export type ReadRows = {
  rows: Pages<FileRow>
  skipped: SkippedRow[]
  /**
   * Set if no row has `booking`, `reuse` or `corrects`: then upload identifiers alone decide which
   * rows are stored already. `hasDeposit` is true if a row is a deposit.
   */
  plain?: { hasDeposit: boolean }
}

/** Balances of a statement in minor units; null if the file does not state one. */
export type FileBalances = {
  current: bigint | null
  available: bigint | null
  limit: bigint | null
  /** The instant for which the bank states the balances; null if the file has none. */
  asOf: Date | null
  /** The instant of the available balance; null if `asOf` applies to it too. */
  availableAsOf: Date | null
  /** The reason why a balance is missing, as a text for the user. */
  note?: string
}

/** The content of a file for one bank account. */
export type FileStatement = ReadRows & {
  currency: string
  balances: FileBalances
  /** Number and kind of the account in the file; unset for formats without them. */
  account?: Pick<ListedStatement, 'number' | 'kind'>
  /** The decimal mark of the amounts and its reason; unset for formats that define it. */
  mark?: MarkChoice
  /** Further choices that the parser made or the client stated. */
  choices?: readonly MadeChoice[]
  /** The format of the dates; unset for formats that define it. */
  dateFormat?: string
  /** Whether the file lacks an end marker, so that it may be truncated. */
  isOpenEnded?: boolean
}

/** A statement from a worker thread; skipped rows, up to 100,000, are reduced to counts. */
export type ReceivedStatement = Omit<FileStatement, 'skipped'> & { skipped: SkippedRows[] }

/** A choice of the parser, its value in the notation of requests, and the reason as a text. */
export type MadeChoice = {
  choice: 'encoding' | 'dayFirst' | 'decimalMark' | 'minusReverses'
  value: string
  reason: string
}

export type DecimalMark = '.' | ','

/** The decimal mark of a file, and the reason as a text for the user. */
export type MarkChoice = { mark: DecimalMark; reason: string }

/** Choices of a client for the parsers of all formats. */
export type Statable = {
  decimalMark?: DecimalMark | undefined
  /** Whether days are written before months. */
  dayFirst?: boolean | undefined
  /** Whether a minus reverses the direction of an amount in a column of debits or credits. */
  minusReverses?: boolean | undefined
  /** A label of the WHATWG Encoding Standard. */
  encoding?: string | undefined
  /** The name of the account to read, of a file that holds several. */
  statement?: string | undefined
}

/**
 * Settings to read a file: `currency` if the file states none, and the account's `timezone`.
 * Identifiers never change, so they use `identifierTimezone`, the timezone at registration; by
 * default `timezone`.
 */
export type ReadingSettings = {
  currency: string
  timezone: string
  identifierTimezone?: string
  /** The target of the import, which selects one bank account of an export. */
  bankAccount?: { bankAccountId: string; name: string }
  stated?: Statable
}

/** An account in a file of several accounts, as listed for the client (docs/files.md#accounts). */
export const ListedStatement = z.object({
  /** The name by which a client chooses this account: its number if that is unique. */
  statement: z.string(),
  number: z.string(),
  kind: z.string().nullable(),
  currency: z.string(),
  rowCount: z.number(),
  /** Current balance in minor units as text; null if the file states none. */
  balance: z.string().nullable(),
})
export type ListedStatement = z.infer<typeof ListedStatement>

/**
 * The reason why a file is unreadable, as a text for the user. `asks` is the choice that the client
 * must state to read the file again; `skipped` has the rows that were parsed.
 */
export type Unreadable = {
  unreadable: string
  asks?: 'decimalMark' | 'dayFirst' | 'statement'
  /** The accounts of a file that holds several. */
  statements?: ListedStatement[]
  skipped?: SkippedRows[]
}

export const unknownCurrency: Unreadable = {
  unreadable: say('FILE_CURRENCIES'),
}

export const investments: Unreadable = {
  unreadable: say('FILE_OF_INVESTMENTS'),
}

export const noBalances: FileBalances = {
  current: null,
  available: null,
  limit: null,
  asOf: null,
  availableAsOf: null,
}

/** Returns the note for the user: the file may be truncated, or lacks a balance; else null. */
export function noteOfFile({
  isOpenEnded = false,
  balances: { note },
}: Pick<FileStatement, 'isOpenEnded' | 'balances'>): string | null {
  if (isOpenEnded) return say('FILE_OPEN_ENDED')
  return note ?? null
}

export function statesBalances({ current, available, limit }: FileBalances): boolean {
  return current !== null || available !== null || limit !== null
}

/** Returns the balances with the latest instant among those of an account's statements. */
export function latestOf(balances: readonly FileBalances[]): FileBalances {
  return balances.reduce(
    (latest, next) => ((next.asOf ?? 0) >= (latest.asOf ?? 0) ? next : latest),
    noBalances,
  )
}
