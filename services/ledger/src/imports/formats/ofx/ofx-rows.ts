import { type Day, dayNumber, endOfDay, movedTo } from '@coffer/kit/values/day'
import { fromLocal } from '@coffer/kit/values/time'
import { DateTime } from 'luxon'
import type { ReadingSettings, ReadRows, SkipReason } from '../statement.ts'
import { nameRows, namesOf, type UnnamedRow } from '../statement-rows.ts'
import { identifierInstant, midnightOn, readAmount, withinYears } from '../statement-values.ts'
import { childOf, descendantsOf, type OfxNode, textOf } from './ofx-tree.ts'

const minuteMs = 60_000
const DATE = /^(\d{8})(\d{4}(?:\d{2})?)?(?:\.\d+)?\s*(?:\[([+-]?\d{1,2}(?:\.\d+)?)?[^\]]*\]?)?$/

type RowSettings = ReadingSettings & { places: number }

/**
 * Returns the transactions of a statement, and skipped ones with the reason. Amounts are positive
 * if money leaves the account (docs/file-formats.md#ofx-qfx-qbo).
 */
export function readRows(statement: OfxNode, settings: RowSettings): ReadRows {
  const found = descendantsOf(statement, 'STMTTRN').map((node) => {
    const row = readRow(node, settings)
    return typeof row === 'string' ? { identifier: textOf(node, 'FITID'), reason: row } : row
  })
  return nameRows(found)
}

/** Returns midnight of the day in an OFX date, ignoring its time and offset; null if invalid. */
export function readDay(text: string, timezone: string): Date | null {
  const [, day] = DATE.exec(text.trim()) ?? []
  return day === undefined ? null : midnightOn(writtenDay(day), timezone)
}

/**
 * Returns the instant of an OFX date by its own offset, else in the timezone; without a time, the
 * last second of the day. Returns null for an invalid date.
 */
export function readInstant(text: string, timezone: string): Date | null {
  const [, day, time, offset] = DATE.exec(text.trim()) ?? []
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

/** Returns the day of a date as YYYYMMDD. */
function writtenDay(date: string): Day {
  const [year, month, day] = [date.slice(0, 4), date.slice(4, 6), date.slice(6)].map(Number)
  return { year, month, day } as Day
}

function readRow(
  node: OfxNode,
  { currency, places, timezone, identifierTimezone = timezone }: RowSettings,
): UnnamedRow | SkipReason {
  const ownCurrency = textOf(childOf(node, 'CURRENCY'), 'CURSYM').toUpperCase()
  if (ownCurrency !== '' && ownCurrency !== currency) return 'currency'
  if (textOf(node, 'CORRECTFITID') !== '') return 'correction'
  const amount = readAmount(textOf(node, 'TRNAMT'), places)
  if (amount === null) return 'amount'
  if (amount === 0n) return 'zero'
  const date = readDay(textOf(node, 'DTPOSTED'), timezone)
  if (date === null) return 'date'
  const names = namesOf({
    name: textOf(node, 'NAME') || textOf(childOf(node, 'PAYEE'), 'NAME'),
    memo: textOf(node, 'MEMO'),
    description: describe(node),
  })
  const row = { amount: -amount, date, ...names, isPending: false }
  const identifier = textOf(node, 'FITID')
  if (identifier !== '') return { identifier, row }
  const midnight = movedTo(date, { from: timezone, to: identifierTimezone })
  const day = identifierInstant(midnight, identifierTimezone).toISOString()
  const content = `${day} ${row.amount} ${names.name} ${names.originalName}`
  return { identifier, content, row }
}

/** Returns a description of a transaction without name and memo, such as `Check 12`. */
function describe(node: OfxNode): string {
  const checkNumber = textOf(node, 'CHECKNUM')
  return checkNumber === '' ? textOf(node, 'TRNTYPE') || 'Transaction' : `Check ${checkNumber}`
}
