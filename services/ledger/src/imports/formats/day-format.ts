import type { Day } from '@coffer/kit/values/day'
import { fullYear } from './day-text.ts'

const PARTS = /Y+|M+|D+/g
const DIGITS: Readonly<Record<string, string>> = {
  YYYY: '(?<year>\\d{4})',
  YY: '(?<year>\\d{2})',
  MM: '(?<month>\\d{2})',
  M: '(?<month>\\d{1,2})',
  DD: '(?<day>\\d{2})',
  D: '(?<day>\\d{1,2})',
}

/**
 * Returns a parser of dates in a format. The parser returns null for other texts, ignores text
 * after the date, such as a time, and does not check that the day exists.
 */
export function createDayParser(format: string): (text: string) => Day | null {
  const source = format
    .replace(/[.\-/ ]/g, (mark) => `\\${mark}`)
    .replace(PARTS, (part) => DIGITS[part] ?? part)
  const pattern = new RegExp(`^${source}(?:[T ].*)?$`, 's')
  return (text) => {
    const { year, month, day } = pattern.exec(text)?.groups ?? {}
    if (year === undefined) return null
    const isShort = year.length === 2
    return {
      year: isShort ? fullYear(Number(year)) : Number(year),
      month: Number(month),
      day: Number(day),
    }
  }
}
