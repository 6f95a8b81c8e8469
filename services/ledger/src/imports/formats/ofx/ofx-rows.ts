import { DateTime, FixedOffsetZone } from 'luxon'
import type { ReadRows, SkipReason } from '../statement.ts'
import { nameRows, namesOf, type UnnamedRow } from '../statement-rows.ts'
import { type Day, endOfDay, readAmount, withinYears } from '../statement-values.ts'
import { childOf, descendantsOf, type OfxNode, textOf } from './ofx-tree.ts'

const DATE = /^(\d{8})(\d{4}(?:\d{2})?)?(?:\.\d+)?\s*(?:\[([+-]?\d{1,2}(?:\.\d+)?)?[^\]]*\]?)?$/

type RowSettings = { currency: string; places: number; midnightOf: (day: Day) => Date | null }

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
export function readDay(text: string, midnightOf: (day: Day) => Date | null): Date | null {
  const [, day = ''] = DATE.exec(text.trim()) ?? []
  const [, year, month, date] = /^(\d{4})(\d\d)(\d\d)$/.exec(day) ?? []
  return midnightOf({ year: Number(year), month: Number(month), day: Number(date) })
}

/**
 * Returns the instant of an OFX date by its own offset, else in the timezone; without a time, the
 * last second of the day. Returns null for an invalid date.
 */
export function readInstant(text: string, timezone: string): Date | null {
  const [, day, time, offset] = DATE.exec(text.trim()) ?? []
  if (day === undefined) return null
  if (time === undefined) {
    const date = DateTime.fromFormat(day, 'yyyyMMdd', { zone: timezone })
    return date.isValid ? withinYears(endOfDay(date.toJSDate(), timezone)) : null
  }
  const zone =
    offset === undefined ? timezone : FixedOffsetZone.instance(Math.round(Number(offset) * 60))
  const instant = DateTime.fromFormat(`${day}${time.padEnd(6, '0')}`, 'yyyyMMddHHmmss', { zone })
  return instant.isValid ? withinYears(instant.toJSDate()) : null
}

function readRow(
  node: OfxNode,
  { currency, places, midnightOf }: RowSettings,
): UnnamedRow | SkipReason {
  const ownCurrency = textOf(childOf(node, 'CURRENCY'), 'CURSYM').toUpperCase()
  if (ownCurrency !== '' && ownCurrency !== currency) return 'currency'
  if (textOf(node, 'CORRECTFITID') !== '') return 'correction'
  const amount = readAmount(textOf(node, 'TRNAMT'), places)
  if (amount === null) return 'amount'
  if (amount === 0n) return 'zero'
  const date = readDay(textOf(node, 'DTPOSTED'), midnightOf)
  if (date === null) return 'date'
  const names = namesOf({
    name: textOf(node, 'NAME') || textOf(childOf(node, 'PAYEE'), 'NAME'),
    memo: textOf(node, 'MEMO'),
    description: describe(node),
  })
  return {
    identifier: textOf(node, 'FITID'),
    row: { amount: -amount, date, ...names, isPending: false },
  }
}

/** Returns a description of a transaction without name and memo, such as `Check 12`. */
function describe(node: OfxNode): string {
  const checkNumber = textOf(node, 'CHECKNUM')
  return checkNumber === '' ? textOf(node, 'TRNTYPE') || 'Transaction' : `Check ${checkNumber}`
}
