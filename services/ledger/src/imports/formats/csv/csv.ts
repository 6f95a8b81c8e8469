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
import { midnightsIn, rowsMax } from '../statement-values.ts'
import type { CsvMapping, FieldRef } from './csv-mapping.ts'
import { type CsvCells, type CsvRow, readCsvRow } from './csv-rows.ts'
import { headRows, rowsBelow } from './csv-shape.ts'
import { readTable } from './csv-table.ts'

/**
 * Returns the rows of a CSV file by a mapping, in the account's currency
 * (docs/files.md#csv-mappings). Unreadable rows are skipped with a reason. A file without the
 * mapping's header, or with more than 100,000 rows, is refused as a whole. Pure, so it can run in
 * a worker thread.
 */
export function readCsv(
  bytes: Uint8Array,
  settings: ReadingSettings & { delimiter: string; mapping: CsvMapping },
): FileStatement | Unreadable {
  const { delimiter, mapping, currency, timezone } = settings
  const table = readTable(decodeFile(bytes), { delimiter, rowsMax: rowsMax + headRows })
  if ('unreadable' in table) return table
  const below = rowsBelow(table, mapping.headers)
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
    midnightOf: midnightsIn(timezone),
  }
  const read = all.map((cells) => readCsvRow(cells, rowSettings))
  return {
    kind: 'bank',
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
    number,
    cells,
    columns: headers.length,
    at: ({ name }: FieldRef) =>
      name === undefined ? String(number) : (cells[headers.indexOf(name)] ?? ''),
  }
}

/**
 * Appends a number to repeated hashes: unlike identifiers of the bank, equal hashes do not show
 * that rows are duplicates.
 */
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

/**
 * Returns the balances of a CSV file, without an instant (docs/files.md#csv-mappings). The mapping
 * selects none, the sum of all rows, or the balance of the latest row. The sum is null if a row is
 * unreadable.
 */
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

/** Returns the latest row; a file may have the newest row first or last. */
function latestOf(rows: readonly CsvRow[]): CsvRow | undefined {
  const [first, second] = rows
  const last = rows.at(-1)
  if (first === undefined || second === undefined || last === undefined) return last
  if (first.row.date.getTime() !== last.row.date.getTime()) {
    return first.row.date > last.row.date ? first : last
  }
  // All rows are on one day: the newest row is first if its balance follows from the second one.
  return first.balance === (second.balance ?? 0n) - first.row.amount ? first : last
}
