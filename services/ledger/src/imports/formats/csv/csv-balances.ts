import { type FileBalances, noBalances, type SkippedRow } from '../statement.ts'
import type { CsvRow, CsvSettings } from './csv-rows.ts'

/**
 * Returns the balances of a CSV file, without an instant (docs/files.md#csv-mappings). By
 * mapping, there are none, the sum of all rows, or the balance of the latest row. An unreadable
 * row makes the sum unknown.
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

/** Returns the latest row: files are ordered either way. */
function latestOf(rows: readonly CsvRow[]): CsvRow | undefined {
  const [first, second] = rows
  const last = rows.at(-1)
  if (first === undefined || second === undefined || last === undefined) return last
  if (first.row.date.getTime() !== last.row.date.getTime()) {
    return first.row.date > last.row.date ? first : last
  }
  // All rows are on one day: the order is newest first if the first balance follows from the
  // second.
  return first.balance === (second.balance ?? 0n) - first.row.amount ? first : last
}
