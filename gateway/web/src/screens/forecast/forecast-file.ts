import type { Forecast } from '../../api/forecast-queries.ts'
import { decimalOf } from '../../format/currency.ts'
import { dayOf } from '../../format/days.ts'
import { amountAt, type EnvelopeLine } from './envelope-lines.ts'

interface FileDeps {
  lines: EnvelopeLine[]
  timezone: string
  currency: string
  /** Names of the first columns: day, pay, into envelopes, bills, free to use. */
  columns: readonly string[]
}

/** Returns the forecast as CSV (RFC 4180): a row for each change, a column for each envelope. */
export function forecastFile({ free }: Forecast, { lines, ...deps }: FileDeps): string {
  const { timezone, currency, columns } = deps
  const header = [...columns, ...lines.map(({ name }) => plainText(name))]
  const rows = free.map(({ date, deposit, contribution, paid, free: left }) => {
    const held = lines.map(({ points }) => amountAt(points, Date.parse(date)))
    const amounts = [deposit, contribution, paid, left, ...held]
    return [dayOf(date, timezone), ...amounts.map((one) => decimalOf(one, currency))]
  })
  return [header, ...rows].map((row) => `${row.map(quoted).join(',')}\r\n`).join('')
}

function quoted(text: string): string {
  return /[",\r\n]/.test(text) ? `"${text.replaceAll('"', '""')}"` : text
}

/** Spreadsheets run a text that begins like a formula. */
function plainText(text: string): string {
  return /^[=+\-@\t\r]/.test(text) ? `'${text}` : text
}
