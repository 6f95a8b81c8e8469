import { isExact } from '@coffer/kit/money'
import { DateTime, FixedOffsetZone } from 'luxon'

const AMOUNT = /^([+-]?)(\d*)(?:[.,](\d*))?$/
const DIGITS_MAX = 30
const DATE = /^(\d{8})(\d{4}(?:\d{2})?)?(?:\.\d+)?\s*(?:\[([+-]?\d{1,2}(?:\.\d+)?)?[^\]]*\]?)?$/

/**
 * The exact number of minor units that an amount says, or null when it is none: no grouping, a
 * point or a comma before the decimals, no more decimals than the currency has (zeros aside),
 * within ±2^53−1 (`spec/ledger.md` 6.4, `decisions.md`).
 */
export function readAmount(text: string, places: number): bigint | null {
  const match = text.length > DIGITS_MAX ? null : AMOUNT.exec(text.trim())
  if (match === null) {
    return null
  }
  const [, sign, whole = '', fraction = ''] = match
  const decimals = fraction.replace(/0+$/, '')
  if ((whole === '' && fraction === '') || decimals.length > places) {
    return null
  }
  const units = BigInt(`${whole}${decimals.padEnd(places, '0')}`)
  if (!isExact(units)) {
    return null
  }
  return sign === '-' ? -units : units
}

/**
 * Midnight, in a timezone, of the day that a date names. A time of day and an `[offset:zone]` are
 * ignored: the day is meant as written. Null when there is no such day.
 */
export function readDay(text: string, timezone: string): Date | null {
  const [, day] = DATE.exec(text.trim()) ?? []
  const date = DateTime.fromFormat(day ?? '', 'yyyyMMdd', { zone: timezone })
  return date.isValid ? date.startOf('day').toJSDate() : null
}

/**
 * The instant that a date names, by its own offset when it has one, otherwise in the timezone; a
 * day without a time means its end. Null when there is no such instant.
 */
export function readInstant(text: string, timezone: string): Date | null {
  const [, day, time, offset] = DATE.exec(text.trim()) ?? []
  if (day === undefined) {
    return null
  }
  if (time === undefined) {
    const date = DateTime.fromFormat(day, 'yyyyMMdd', { zone: timezone })
    return date.isValid ? date.endOf('day').startOf('second').toJSDate() : null
  }
  const zone =
    offset === undefined ? timezone : FixedOffsetZone.instance(Math.round(Number(offset) * 60))
  const instant = DateTime.fromFormat(`${day}${time.padEnd(6, '0')}`, 'yyyyMMddHHmmss', { zone })
  return instant.isValid ? instant.toJSDate() : null
}
