import { decimalPlaces } from '@coffer/kit/values/currency'
import { detectDecimalMark } from '../amount-text.ts'
import { createDayParser } from '../day-format.ts'
import { decodeFile } from '../file-text.ts'
import type { FileStatement, ReadingSettings, SkippedRow, Unreadable } from '../statement.ts'
import { nameRows } from '../statement-rows.ts'
import { midnightsIn, rowsMax } from '../statement-values.ts'
import { readCsvBalances } from './csv-balances.ts'
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
    balances: readCsvBalances(read, rowSettings),
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
 * Numbers equal hashes: unlike the bank's identifiers, they do not show that rows are duplicates.
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
