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
  /** The identifier of the row that the bank corrects by this one, and its place in the file. */
  corrects?: { identifier: string; place: RowPlace }
}

/**
 * The identifier of the bank of a row, and the one by its contents, which the row has if another
 * one holds that of the bank.
 */
export type Reuse = { identifier: string; byContents: string }

/**
 * The booking of the bank that a row is, or is a part of: its identifier and its amount as one row.
 * A notification and the statement after it may show one booking whole and in parts.
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

/** Skipped rows of a file by reason, with the first of each (docs/files.md#counts). */
export const SkippedRows = z.object({
  reason: z.enum(values['SkippedRows.reason']),
  count: z.number(),
  rows: z.array(z.object({ line: z.number().nullable(), text: z.string() })),
})
export type SkippedRows = z.infer<typeof SkippedRows>

/** The place of a row in its file: its line, from 1, if the format has lines, and its text. */
export type RowPlace = { line?: number; text?: string }

export type ReadRows = {
  rows: Pages<FileRow>
  skipped: SkippedRow[]
  /**
   * Set if no row has a booking, a reuse or a correction, so that the rows are compared with stored
   * ones by upload identifiers alone; `hasDeposit` tells whether money comes in by one of them.
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
  /** Why a balance is left out, as a text for the user. */
  note?: string
}

/** The content of a file about one bank account. */
export type FileStatement = ReadRows & {
  currency: string
  balances: FileBalances
  /** The account as the file names it; unset for formats that name none. */
  account?: Pick<ListedStatement, 'number' | 'kind'>
  /** The decimal mark of the amounts and its reason; unset for formats that define it. */
  mark?: MarkChoice
  /** Further choices that the reader made or was given. */
  choices?: readonly MadeChoice[]
  /** The format of the dates; unset for formats that define it. */
  dateFormat?: string
  /** Whether the file ends where rows may follow, so that it may be cut. */
  isOpenEnded?: boolean
}

/** A statement as it comes from a thread: the skipped rows, which may be 100,000, are counted. */
export type ReceivedStatement = Omit<FileStatement, 'skipped'> & { skipped: SkippedRows[] }

/** A choice about the reading of a file, its value as a client states it, and the reason. */
export type MadeChoice = {
  choice: 'encoding' | 'dayFirst' | 'decimalMark' | 'minusReverses'
  value: string
  reason: string
}

export type DecimalMark = '.' | ','

/** The decimal mark of a file and the reason in words. */
export type MarkChoice = { mark: DecimalMark; reason: string }

/** Choices of a client about the reading of a file in any format. */
export type Statable = {
  decimalMark?: DecimalMark | undefined
  /** Whether days are written before months. */
  dayFirst?: boolean | undefined
  /** Of debits and credits: whether an amount with a minus goes the other way. */
  minusReverses?: boolean | undefined
  /** A label of the WHATWG Encoding Standard. */
  encoding?: string | undefined
  /** The name of the account to read, of a file that holds several. */
  statement?: string | undefined
}

/**
 * Settings to read a file: `currency` if the file states none, and the account's `timezone`. Its
 * timezone at registration is part of identifiers, which never change; by default the same.
 */
export type ReadingSettings = {
  currency: string
  timezone: string
  identifierTimezone?: string
  /** The bank account that is imported into, for an export that holds several. */
  bankAccount?: { bankAccountId: string; name: string }
  stated?: Statable
}

/** An account of a file, as it is listed when a file holds several (docs/files.md#accounts). */
export const ListedStatement = z.object({
  /** The text by which a client states this one: the number if that is unique. */
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
 * The reason why a file is unreadable, in words for the user; `asks` is the choice with which the
 * file can be read again, `skipped` the rows that were seen.
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

/** Returns the note for the user about what is left open in a file; null without one. */
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

/** Of several statements of one account, returns the balances with the latest instant. */
export function latestOf(balances: readonly FileBalances[]): FileBalances {
  return balances.reduce(
    (latest, next) => ((next.asOf ?? 0) >= (latest.asOf ?? 0) ? next : latest),
    noBalances,
  )
}
