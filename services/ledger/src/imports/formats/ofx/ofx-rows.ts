import { type Day, dayNumber, endOfDay, movedTo } from '@coffer/kit/values/day'
import { fromLocal } from '@coffer/kit/values/time'
import { DateTime } from 'luxon'
import { type AmountNotation, readWrittenAmount } from '../amounts/amount-text.ts'
import { mentionsBalance, namesBalance } from '../balance-words.ts'
import { placeOf } from '../row-place.ts'
import type { ReadingSettings, ReadRows, SkipReason } from '../statement.ts'
import { type FoundRow, nameRows, namesOf, type UnnamedRow } from '../statement-rows.ts'
import { identifierInstant, midnightOn, withinYears } from '../statement-values.ts'
import { type NamedRow, provenBalances } from './ofx-balance-rows.ts'
import { childOf, type OfxNode, textOf, transactionsOf, writtenOf } from './ofx-tree.ts'

/** Dates in ISO 8601 with separators, which some banks write although OFX dates have none. */
const MARKED = /^(\d{4})-(\d\d)-(\d\d)(?:T(\d\d):(\d\d)(?::(\d\d))?)?/
const minuteMs = 60_000
const DATE = /^(\d{8})(\d{4}(?:\d{2})?)?(?:\.\d+)?\s*(?:\[([+-]?\d{1,2}(?:\.\d+)?)?[^\]]*\]?)?$/

/**
 * An empty identifier, or one of only zeros. Some banks write it for every transaction, so it
 * counts as missing.
 */
const NO_IDENTIFIER = /^0*$/

/** Types of money out and of money in; other types have both (OFX 2.2, 11.4.4.3). */
const OUT = /^(?:DEBIT|FEE|SRVCHG|CHECK|CASH|DIRECTDEBIT|REPEATPMT)$/i
const IN = /^(?:CREDIT|DEP|DIRECTDEP|DIV)$/i

/** The text of a file; `lineAt` returns the line number at an index of the text. */
export type FileText = { text: string; lineAt: (index: number) => number }
type RowSettings = ReadingSettings &
  AmountNotation &
  FileText & {
    /** The booked balance after the last row, in minor units; null if the file states none. */
    booked: bigint | null
  }

type SignedSettings = RowSettings & {
  /** Whether no amount has a minus, not even one of type DEBIT: the types decide the direction. */
  isUnsigned: boolean
}

/**
 * Returns the transactions of a statement, and the skipped transactions with reasons. Amounts are
 * positive if money leaves the account (docs/file-formats.md#ofx-qfx-qbo).
 */
export function readRows(statement: OfxNode, settings: RowSettings): ReadRows {
  const { text } = settings
  const isUnsigned = /<TRNTYPE>\s*DEBIT\s*</i.test(text) && !/<TRNAMT>[^<]*[-−(]/i.test(text)
  return nameRows(findRows(statement, { ...settings, isUnsigned }))
}

function* findRows(statement: OfxNode, settings: SignedSettings): Generator<FoundRow> {
  const { text, lineAt } = settings
  const holders = holdersOf(statement, text)
  const isProven = findBalances(statement, settings)
  for (const node of transactionsOf(statement, text)) {
    const read = isCorrection(node, holders) ? 'correction' : readRow(node, settings)
    const row = isProven.has(node.at) ? 'balance' : read
    const place = () => placeOf(lineAt(node.at), writtenOf(node))
    const identifier = textOf(node, 'FITID')
    const corrected = textOf(node, 'CORRECTFITID')
    if (typeof row === 'string') {
      yield { identifier, reason: row, place }
    } else if (corrected === '' || corrected === identifier) {
      yield { ...row, place }
    } else {
      const corrects = { identifier: corrected, place: place() }
      yield { ...row, row: { ...row.row, corrects }, place }
    }
  }
}

/** Returns the indexes of balance lines among transactions: by both their texts and amounts. */
function findBalances(statement: OfxNode, settings: SignedSettings): ReadonlySet<number> {
  const { text, booked } = settings
  // Fast path: most files mention no balance.
  if (booked === null || !mentionsBalance(text)) return new Set()
  const named: NamedRow[] = []
  for (const node of transactionsOf(statement, text)) {
    const row = readRow(node, settings, { keepsBalances: true })
    if (typeof row === 'string') continue
    const { amount, date, name, originalName } = row.row
    const isNamed = mentionsBalance(name) || mentionsBalance(originalName)
    named.push({ at: node.at, amount, day: date.getTime(), isNamed: isNamed || isBalance(row.row) })
  }
  return provenBalances(named, booked)
}

/** Returns whether the texts of a row are nothing but a word for a balance. */
function isBalance({ name, originalName }: UnnamedRow['row']): boolean {
  return namesBalance(name) && namesBalance(originalName)
}

/** Returns the number of transactions in the file for each identifier that a row corrects. */
function holdersOf(statement: OfxNode, text: string): ReadonlyMap<string, number> {
  const holders = new Map<string, number>()
  // Fast path: most files have no correction.
  if (!/<CORRECTFITID/i.test(text)) return holders
  for (const node of transactionsOf(statement, text)) holders.set(textOf(node, 'CORRECTFITID'), 0)
  for (const node of transactionsOf(statement, text)) {
    const identifier = textOf(node, 'FITID')
    const count = holders.get(identifier)
    if (count !== undefined) holders.set(identifier, count + 1)
  }
  return holders
}

/** Returns whether to skip a row as a correction: a deletion, or the file has the original, too. */
function isCorrection(node: OfxNode, holders: ReadonlyMap<string, number>): boolean {
  const corrected = textOf(node, 'CORRECTFITID')
  const isDeletion = textOf(node, 'CORRECTACTION').toUpperCase() === 'DELETE'
  const own = corrected === textOf(node, 'FITID') ? 1 : 0
  const hasOriginal = (holders.get(corrected) ?? 0) > own
  return corrected !== '' && (isDeletion || hasOriginal)
}

/** Returns midnight of the day in an OFX date, ignoring its time and offset; null if invalid. */
export function readDay(text: string, timezone: string): Date | null {
  const [, day] = partsOf(text)
  return day === undefined ? null : midnightOn(writtenDay(day), timezone)
}

/**
 * Returns the instant of an OFX date, by default in `timezone` if it has no UTC offset; without a
 * time, the last second of the day. Returns null for an invalid date.
 */
export function readInstant(text: string, timezone: string): Date | null {
  const [, day, time, offset] = partsOf(text)
  if (day === undefined) return null
  if (time === undefined) {
    const number = dayNumber(writtenDay(day))
    return number === null ? null : new Date(endOfDay(number, timezone))
  }
  const written = `${day}${time.padEnd(6, '0')}`
  const local = DateTime.fromFormat(written, 'yyyyMMddHHmmss', { zone: 'utc' })
  if (!local.isValid) return null
  const instant =
    offset === undefined
      ? fromLocal(local.toMillis(), timezone)
      : local.toMillis() - Math.round(Number(offset) * 60) * minuteMs
  return withinYears(new Date(instant))
}

/** Splits a date: the whole match, day, time and offset. Returns an empty list if malformed. */
function partsOf(text: string): readonly (string | undefined)[] {
  return DATE.exec(text.trim().replace(MARKED, '$1$2$3$4$5$6')) ?? []
}

/** Parses a day YYYYMMDD. */
function writtenDay(date: string): Day {
  const [year, month, day] = [date.slice(0, 4), date.slice(4, 6), date.slice(6)].map(Number)
  return { year, month, day } as Day
}

function readRow(
  node: OfxNode,
  settings: SignedSettings,
  { keepsBalances } = { keepsBalances: false },
): UnnamedRow | SkipReason {
  const { currency, timezone, identifierTimezone = timezone } = settings
  const ownCurrency = textOf(childOf(node, 'CURRENCY'), 'CURSYM').toUpperCase()
  if (ownCurrency !== '' && ownCurrency !== currency) return 'currency'
  const written = readWrittenAmount(textOf(node, 'TRNAMT'), settings)
  if (written === null) return 'amount'
  if (written === 0n) return 'zero'
  const amount = settings.isUnsigned ? directed(written, textOf(node, 'TRNTYPE')) : written
  if (amount === null) return 'direction'
  const date = readDay(textOf(node, 'DTPOSTED'), timezone)
  if (date === null) return 'date'
  const names = namesOf({
    name: textOf(node, 'NAME') || textOf(childOf(node, 'PAYEE'), 'NAME'),
    memo: textOf(node, 'MEMO'),
    description: describe(node),
  })
  const row = { amount: -amount, date, ...names, isPending: false }
  if (!keepsBalances && isBalance(row)) return 'balance'
  const stated = textOf(node, 'FITID')
  const identifier = NO_IDENTIFIER.test(stated) ? '' : stated
  const midnight = movedTo(date, { from: timezone, to: identifierTimezone })
  const day = identifierInstant(midnight, identifierTimezone).toISOString()
  const content = `${day} ${row.amount} ${names.name} ${names.originalName}`
  if (identifier === '') return { identifier, content, row }
  return { identifier, content: `${identifier} ${content}`, isReusable: true, row }
}

/** Returns an amount without a sign, negative if its type is of money out; null for other types. */
function directed(amount: bigint, type: string): bigint | null {
  if (OUT.test(type)) return -amount
  return IN.test(type) ? amount : null
}

/** Returns a description of a transaction without name and memo, such as `Check 12`. */
function describe(node: OfxNode): string {
  const checkNumber = textOf(node, 'CHECKNUM')
  return checkNumber === '' ? textOf(node, 'TRNTYPE') || 'Transaction' : `Check ${checkNumber}`
}
