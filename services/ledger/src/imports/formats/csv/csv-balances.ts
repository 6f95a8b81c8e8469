import { type FileBalances, noBalances, type SkippedRow } from '../statement.ts'
import type { CsvRow, CsvSettings } from './csv-rows.ts'

/**
 * The balances that a CSV file states, without a date: none; the sum of its rows, unless one of
 * them could not be read; or the balance that its latest row has.
 */
export function readCsvBalances(
  read: readonly (CsvRow | SkippedRow)[],
  { mapping }: Pick<CsvSettings, 'mapping'>,
): FileBalances {
  const rows = read.filter((one): one is CsvRow => !('reason' in one))
  const booked = rows.filter(({ row }) => !row.isPending)
  if (mapping.balance.kind === 'sum') {
    const isWhole = read.every((one) => !('reason' in one) || one.reason === 'zero')
    return isWhole ? { ...noBalances, current: sumOf(booked), available: sumOf(rows) } : noBalances
  }
  const balance = mapping.balance.kind === 'field' ? (latestOf(booked)?.balance ?? null) : null
  return { ...noBalances, current: balance, available: balance }
}

function sumOf(rows: readonly CsvRow[]): bigint {
  return rows.reduce((sum, { row }) => sum - row.amount, 0n)
}

/** The row that came last: files have their rows in either order. */
function latestOf(rows: readonly CsvRow[]): CsvRow | undefined {
  const [first, second] = rows
  const last = rows.at(-1)
  if (first === undefined || second === undefined || last === undefined) {
    return last
  }
  if (first.row.date.getTime() !== last.row.date.getTime()) {
    return first.row.date > last.row.date ? first : last
  }
  // All on one day: newest first when the first balance is what the second became.
  return first.balance === (second.balance ?? 0n) - first.row.amount ? first : last
}
