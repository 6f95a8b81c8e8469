import { decimalPlaces } from '@coffer/kit/values/currency'
import { detectDecimalMark } from '../amount-text.ts'
import { createDayParser } from '../day-format.ts'
import { decodeFile } from '../file-text.ts'
import {
  type FileBalances,
  type FileStatement,
  noBalances,
  type ReadingSettings,
  type SkippedRow,
  type Unreadable,
} from '../statement.ts'
import { nameRows } from '../statement-rows.ts'
import { rowsMax } from '../statement-values.ts'
import type { CsvMapping, FieldRef } from './csv-mapping.ts'
import { type CsvCells, type CsvRow, readCsvRow } from './csv-rows.ts'
import { headRows, rowsBelow } from './csv-shape.ts'
import { readTable } from './csv-table.ts'

/**
 * Returns the balances and rows of a CSV file by a mapping (docs/files.md#csv-mappings); unreadable
 * rows are in `skipped`. Returns `Unreadable` for a malformed file, columns other than those of the
 * mapping, or more than 100,000 rows.
 */
export function readCsv(
  bytes: Uint8Array,
  settings: ReadingSettings & { delimiter: string; mapping: CsvMapping },
): FileStatement | Unreadable {
  const { delimiter, mapping, currency, timezone } = settings
  const table = readTable(decodeFile(bytes), { delimiter, rowsMax: rowsMax + headRows })
  if (table.fault !== null) return table.fault
  const below = rowsBelow(table.rows, mapping.headers)
  if (below === null) return { unreadable: 'The columns of the file are not those of the mapping' }
  if (below.length > rowsMax) return { unreadable: `The file has more than ${rowsMax} rows` }
  const places = decimalPlaces(currency)
  const all = below.map((cells, index) => cellsOf(cells, { mapping, number: index + 1 }))
  const amounts = all.flatMap((cells) => mapping.amount.fields.map((ref) => cells.at(ref)))
  const rowSettings = {
    mapping,
    currency,
    places,
    mark: detectDecimalMark(amounts, places),
    readDay: createDayParser(mapping.date.format),
    timezone,
  }
  const read = all.map((cells) => readCsvRow(cells, rowSettings))
  return {
    currency,
    balances: readBalances(read, mapping),
    ...nameRows(numbered(read)),
  }
}

function cellsOf(
  cells: readonly string[],
  { mapping, number }: { mapping: CsvMapping; number: number },
): CsvCells {
  const { headers } = mapping
  return {
    cells,
    columns: headers.length,
    at: ({ name }: FieldRef) =>
      name === undefined ? String(number) : (cells[headers.indexOf(name)] ?? ''),
  }
}

/** Appends ` #2`, ` #3`, … to repeated hashes: rows with equal hashes may not be duplicates. */
function* numbered(read: readonly (CsvRow | SkippedRow)[]) {
  const equals = new Map<string, number>()
  for (const one of read) {
    if ('reason' in one || !one.isHashed) {
      yield one
      continue
    }
    const count = (equals.get(one.identifier) ?? 0) + 1
    equals.set(one.identifier, count)
    yield count === 1 ? one : { ...one, identifier: `${one.identifier} #${count}` }
  }
}

/** Returns the balances by `mapping.balance`, without instant (docs/file-formats.md#csv). */
function readBalances(
  read: readonly (CsvRow | SkippedRow)[],
  { balance: { kind } }: CsvMapping,
): FileBalances {
  const rows = read.filter((one): one is CsvRow => !('reason' in one))
  const booked = rows.filter(({ row }) => !row.isPending)
  if (kind === 'sum') {
    const isWhole = read.every((one) => !('reason' in one) || one.reason === 'zero')
    return isWhole ? { ...noBalances, current: sumOf(booked), available: sumOf(rows) } : noBalances
  }
  const balance = kind === 'field' ? (latestOf(booked)?.balance ?? null) : null
  return { ...noBalances, current: balance, available: balance }
}

function sumOf(rows: readonly CsvRow[]): bigint {
  return rows.reduce((sum, { row }) => sum - row.amount, 0n)
}

/** Returns the newest row, either the first or the last of the file; undefined without rows. */
function latestOf(rows: readonly CsvRow[]): CsvRow | undefined {
  const [first, second] = rows
  const last = rows.at(-1)
  if (first === undefined || second === undefined || last === undefined) return last
  if (first.row.date.getTime() !== last.row.date.getTime()) {
    return first.row.date > last.row.date ? first : last
  }
  // Equal days: the first row is newest if its balance is the second row's minus its own amount.
  return first.balance === (second.balance ?? 0n) - first.row.amount ? first : last
}
