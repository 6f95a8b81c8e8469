import { decimalPlaces } from '@coffer/kit/values/currency'
import { chooseDecimalMark } from '../amounts/decimal-mark.ts'
import { createDayParser } from '../day-format.ts'
import { placeOf } from '../row-place.ts'
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
import { decodeFile } from '../text/file-text.ts'
import { headRows } from './csv-layout.ts'
import type { CsvMapping, FieldRef } from './csv-mapping.ts'
import { type CsvCells, type CsvRow, readCsvRow } from './csv-rows.ts'
import { rowsBelow } from './csv-shape.ts'
import { readTable } from './csv-table.ts'

/** How a CSV file is read: its shape, and the mapping of its columns. */
export type CsvFormat = {
  delimiter: string
  /** Line of the header, 0 without one; null for imports without it (until 0.5). */
  headerRow: number | null
  headers: readonly string[]
  mapping: CsvMapping
  /** The format that the client states for this file, instead of that of the mapping. */
  dateFormat?: string | undefined
}

/**
 * Returns the balances and rows of a CSV file by a mapping (docs/files.md#csv-mappings); unreadable
 * rows are in `skipped`. Returns `Unreadable` for a malformed file, columns other than those of the
 * mapping, or more than 100,000 rows.
 */
export function readCsv(
  bytes: Uint8Array,
  settings: ReadingSettings & CsvFormat,
): FileStatement | Unreadable {
  const { delimiter, mapping, currency, timezone, stated, dateFormat } = settings
  const table = readTable(decodeFile(bytes, stated?.encoding), {
    delimiter,
    rowsMax: rowsMax + headRows,
  })
  if (table.fault !== null) return table.fault
  const below = rowsBelow(table.rows, settings)
  if (below === null) return { unreadable: 'The columns of the file are not those of the mapping' }
  if (below.length > rowsMax) return { unreadable: `The file has more than ${rowsMax} rows` }
  const places = decimalPlaces(currency)
  const columns = new Map(settings.headers.map((name, index) => [name, index]))
  const all = below.map(({ cells }, index) => cellsOf(cells, { columns, number: index + 1 }))
  const fields = [...amountFields(mapping), ...mapping.balance.fields]
  const amounts = all.flatMap((cells) => fields.map((ref) => cells.at(ref)))
  const mark = chooseDecimalMark(amounts, { currency, places, stated: stated?.decimalMark })
  if ('unreadable' in mark) return mark
  const rowSettings = {
    mapping,
    currency,
    places,
    mark: mark.mark,
    readDay: createDayParser(dateFormat ?? mapping.date.format),
    timezone,
  }
  const read = all.map((cells, index) => {
    const row = below[index]
    const place = () => placeOf(row?.line, row?.cells.join(delimiter) ?? '')
    return { ...readCsvRow(cells, rowSettings), place }
  })
  return {
    currency,
    balances: readBalances(read, mapping),
    mark,
    ...nameRows(numbered(read)),
  }
}

/** Returns the fields that hold amounts: of kind `type`, the second is a word. */
function amountFields({ amount }: CsvMapping): readonly FieldRef[] {
  return amount.kind === 'type' ? amount.fields.slice(0, 1) : amount.fields
}

function cellsOf(
  cells: readonly string[],
  { columns, number }: { columns: ReadonlyMap<string, number>; number: number },
): CsvCells {
  return {
    cells,
    columns: columns.size,
    at: ({ name }: FieldRef) =>
      name === undefined ? String(number) : (cells[columns.get(name) ?? -1] ?? ''),
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
