import type { Forecast } from '../../api/forecast-queries.ts'
import { decimalOf } from '../../format/currency.ts'
import { dayOf } from '../../format/days.ts'
import { withDueDays } from './due-days.ts'
import { amountAt, type EnvelopeLine } from './envelope-lines.ts'

interface FileDeps {
  lines: EnvelopeLine[]
  timezone: string
  currency: string
  /** Headings of the first columns: day, payday, into envelopes, bills, free-to-use. */
  columns: readonly string[]
  /** Whether the user's spreadsheets expect a decimal comma, and semicolons between columns. */
  hasCommas: boolean
}

/**
 * Returns the forecast as CSV (RFC 4180): a row for each change and each day with bills, and a
 * column for each envelope.
 */
export function forecastFile(forecast: Forecast, { lines, ...deps }: FileDeps): string {
  const { timezone, currency, columns, hasCommas } = deps
  const written = (amount: number) => {
    const decimal = decimalOf(amount, currency)
    return hasCommas ? decimal.replace('.', ',') : decimal
  }
  const header = [...columns, ...lines.map(({ name }) => plainText(name))]
  const rows = withDueDays(forecast).map(({ date, deposit, contribution, paid, free: left }) => {
    const held = lines.map(({ points }) => amountAt(points, Date.parse(date)))
    const amounts = [deposit, contribution, paid, left, ...held]
    return [dayOf(date, timezone), ...amounts.map(written)]
  })
  const between = hasCommas ? ';' : ','
  return [header, ...rows]
    .map((row) => `${row.map((one) => quoted(one, between)).join(between)}\r\n`)
    .join('')
}

function quoted(text: string, between: string): string {
  return text.includes(between) || /["\r\n]/.test(text) ? `"${text.replaceAll('"', '""')}"` : text
}

/** Prevents CSV injection: spreadsheets run cells that begin like a formula. */
function plainText(text: string): string {
  return /^[=+\-@\t\r]/.test(text) ? `'${text}` : text
}
