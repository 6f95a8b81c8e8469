import type { Day } from '@coffer/kit/values/day'
import { fullYear } from '../day-text.ts'
import type { SkippedRow, SkipReason } from '../statement.ts'
import { namesOf, oneLine, type UnnamedRow } from '../statement-rows.ts'
import { dayInContents, midnightOn, readAmount } from '../statement-values.ts'
import type { MtEntry } from './mt940-fields.ts'
import { readMtTexts } from './mt940-texts.ts'

export type MtRowSettings = {
  places: number
  timezone: string
  /**
   * Whether rows are skipped as pending: an MT942 only announces them, and the file also has the
   * statement (MT940) that books them.
   */
  isInterim: boolean
}

/**
 * Value date, entry date, direction with the third letter of the currency, amount, kind of booking,
 * references. Some banks write blanks for a missing entry date, or within the kind. The decimal
 * mark is required (SWIFT 15d): an amount without it may be cut off.
 */
const ENTRY = new RegExp(
  [
    '^(\\d\\d)(\\d\\d)(\\d\\d)(?:(\\d\\d)(\\d\\d)|\\s{4})?',
    '([RE]?[CD])[A-Z]?\\s*(\\d*[.,][\\d.,]*)\\s*',
    '([A-Z][A-Z\\d]{2}[A-Z\\d ])?(.*)$',
  ].join(''),
)
const NO_REFERENCE = /^(?:NON?REF|NOTPROVIDED)?$/i

/** Returns the transaction of an entry, or the reason why it is skipped. */
export function readMtEntry(entry: MtEntry, settings: MtRowSettings): UnnamedRow | SkippedRow {
  const [first = '', ...others] = entry.lines
  const second = others.join(' ').trim()
  const skipped = (reason: SkipReason) => ({ identifier: oneLine(first), reason })
  if (settings.isInterim) return skipped('pending')
  // The amount may be in the next line, so the entry is also matched together with its other lines.
  const whole = ENTRY.exec(first.trimEnd())
  const match = whole ?? ENTRY.exec(`${first.trimEnd()}${second}`)
  if (match === null) return skipped(/^\d{6}/.test(first) ? 'amount' : 'date')
  const [, year = '', month = '', day = '', entryMonth, entryDay, mark = ''] = match
  const [digits = '', booked = '', references = ''] = match.slice(7)
  if (mark.startsWith('E')) return skipped('pending')
  const magnitude = readAmount(digits, settings.places)
  if (magnitude === null) return skipped('amount')
  if (magnitude === 0n) return skipped('zero')
  const value = { year: fullYear(Number(year)), month: Number(month), day: Number(day) }
  const found = bookedOn(value, { month: Number(entryMonth), day: Number(entryDay) }, settings)
  if (found === null) return skipped('date')
  // RC reverses a credit, so money leaves the account; RD reverses a debit.
  const isOut = mark === 'D' || mark === 'RC'
  const amount = isOut ? magnitude : -magnitude
  const { name, memo, kind } = readMtTexts(entry.texts, { isOut })
  const detail = whole === null ? '' : second
  const [reference = ''] = references.split('//')
  const names = namesOf({
    name,
    memo: memo || detail || (NO_REFERENCE.test(reference.trim()) ? '' : reference),
    description: kind || 'Transaction',
  })
  const written = dayInContents(found.day)
  const content = [written, amount, booked, references, detail, entry.texts.join(' ')].join(' ')
  return {
    identifier: '',
    content: oneLine(content),
    row: { amount, date: found.date, ...names, isPending: false },
  }
}

/**
 * Returns the entry date: it has no year, so the year nearest to the value date is used. Returns
 * the value date if the entry date is missing or invalid, and null if both are invalid, such as 30
 * February.
 */
function bookedOn(
  value: Day,
  entry: { month: number; day: number },
  { timezone }: MtRowSettings,
): { day: Day; date: Date } | null {
  const apart = entry.month - value.month
  const year = value.year + (apart > 6 ? -1 : 0) + (apart < -6 ? 1 : 0)
  for (const day of [{ year, ...entry }, value]) {
    const date = midnightOn(day, timezone)
    if (date !== null) return { day, date }
  }
  return null
}
