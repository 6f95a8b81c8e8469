import { say } from '@coffer/kit/reasons/reasons'
import { decimalPlaces } from '@coffer/kit/values/currency'
import { magnitudeOf } from '../../../book/money.ts'
import { chooseDecimalMark } from '../amounts/decimal-mark.ts'
import { createDayParser, inOrder } from '../day-format.ts'
import { type DayOrder, orderShownBy } from '../day-text.ts'
import { placeOf } from '../row-place.ts'
import { Pages } from '../rows/pages.ts'
import { isNumberText } from '../sheets/cell-text.ts'
import type {
  FileStatement,
  ReadingSettings,
  RowPlace,
  SkippedRow,
  Unreadable,
} from '../statement.ts'
import { nameRows } from '../statement-rows.ts'
import { rowsMax } from '../statement-values.ts'
import { decodeFile } from '../text/file-text.ts'
import { CsvAccounts } from './accounts/csv-accounts.ts'
import { CsvBalances } from './csv-balances.ts'
import { findCurrencies } from './csv-currency.ts'
import { findHeadBalance } from './csv-head-balance.ts'
import { headRows } from './csv-layout.ts'
import type { CsvMapping, FieldRef } from './csv-mapping.ts'
import { findFees, findParties, findStates, isAfterFees } from './csv-roles.ts'
import {
  type CsvCells,
  type CsvRow,
  type CsvSettings,
  readAmountAt,
  readCsvRow,
} from './csv-rows.ts'
import { countHead } from './csv-shape.ts'
import { chooseSigns, plainSigns } from './csv-signs.ts'
import { type CsvLine, readTable } from './csv-table.ts'
import { CsvTotals } from './csv-totals.ts'

/** The format of a CSV file: its shape, and the mapping of its columns. */
export type CsvFormat = {
  delimiter: string
  /**
   * Line of the file that has the header; 0 if the file has none.
   * until 0.5: null for imports that a release before 0.4.0 stored.
   */
  headerRow: number | null
  headers: readonly string[]
  mapping: CsvMapping
  /** The date format that the client states for this file; it replaces the mapping's format. */
  dateFormat?: string | undefined
  /**
   * Columns (from 0) of a sheet with numeric cells, which do not show the decimal mark of texts.
   */
  numberColumns?: readonly number[]
}

/**
 * Returns the balances and rows of a CSV file by a mapping (docs/files.md#csv-mappings); unreadable
 * rows are in `skipped`. Returns `Unreadable` for a malformed file, columns other than the
 * mapping's, several accounts without a choice of the client, or more than 100,000 rows.
 */
export function readCsv(
  bytes: Uint8Array,
  settings: ReadingSettings & CsvFormat,
): FileStatement | Unreadable {
  const { delimiter, mapping, currency, timezone, stated, dateFormat } = settings
  const lines = new Pages<CsvLine>()
  const text = decodeFile(bytes, stated?.encoding)
  const accounts = new CsvAccounts(settings)
  const push = (line: CsvLine) => {
    accounts.add(line)
    lines.push(line)
  }
  const fault = readTable(text, { delimiter, rowsMax: rowsMax + headRows }, { push })
  if (fault !== null) return fault
  const head = countHead(lines, settings)
  if (head === null) return { unreadable: say('TABLE_OTHER_COLUMNS') }
  if (lines.length - head > rowsMax) return { unreadable: say('TABLE_ROWS', { max: rowsMax }) }
  const chosen = accounts.choose(stated?.statement, currency)
  if ('unreadable' in chosen) return chosen
  const { isRead, ...account } = chosen
  const places = decimalPlaces(currency)
  const columns = new Map(settings.headers.map((name, at) => [name, at]))
  const isWaiting = mapping.posted === undefined ? accounts.waiting() : () => false
  const table = { lines, head, columns, isRead, isWaiting }
  const amounts = amountsIn(table, settings)
  const mark = chooseDecimalMark(amounts, { currency, places, stated: stated?.decimalMark })
  if ('unreadable' in mark) return mark
  const format = dateFormat ?? formatOf(mapping, stated?.dayFirst)
  const other = otherOrderIn(textsOf(table, mapping.date.fields[0]), format)
  if (other !== null) return { unreadable: say('DAYS_CONTRADICT', { text: other, format }) }
  const rowSettings = {
    mapping,
    currency,
    ...findCurrencies(settings.headers, {
      amount: mapping.amount,
      currency,
      rows: () => rowsBelow(table),
    }),
    states: mapping.posted === undefined ? findStates(settings.headers, rowsBelow(table)) : [],
    parties: findParties(settings.headers, mapping.merchant),
    places,
    mark: mark.mark,
    signs: plainSigns,
    fees: null,
    readDay: createDayParser(format),
    timezone,
  }
  const signed = chooseSigns(rowsBelow(table), {
    rowSettings,
    stated: stated?.minusReverses,
    countMoved: (signs) => countMoved(table, { ...rowSettings, signs }).by,
  })
  if ('unreadable' in signed) return signed
  const { choices, ...signs } = signed
  const balances = new CsvBalances(mapping)
  const moved = { ...rowSettings, ...signs, fees: feesMoved(table, { ...rowSettings, ...signs }) }
  const read = nameRows(numbered(findRows(table, { rowSettings: moved, delimiter, balances })))
  const faultOfBalances = balances.fault()
  if (faultOfBalances !== null) return faultOfBalances
  // If the client has chosen one of several accounts, the balance above the header may be another
  // account's, so it is not read.
  const isStated = mapping.balance.kind === 'none' && stated?.statement === undefined
  const notation = { ...rowSettings, order: orderOf(format) }
  const newestDay = balances.newestDay()
  const stating = isStated
    ? findHeadBalance([...lines.slice(0, head - 1)], { ...notation, newestDay })
    : balances.result()
  const made = { mark, dateFormat: format, ...(choices ? { choices } : {}) }
  return { currency, balances: stating, ...account, ...made, ...read }
}

/** Returns the format of the dates, in the order that the client states for this file. */
function formatOf({ date }: CsvMapping, dayFirst: boolean | undefined): string {
  if (dayFirst === undefined) return date.format
  return inOrder(date.format, dayFirst ? 'day first' : 'month first')
}

function orderOf(format: string): DayOrder {
  return inOrder(format, 'day first') === format ? 'day first' : 'month first'
}

/**
 * Returns a date that contradicts the format's order of day and month, unless another date confirms
 * that order. With the wrong order, ambiguous dates would get day and month swapped.
 */
function otherOrderIn(texts: Iterable<string>, format: string): string | null {
  const own = orderOf(format)
  let other: string | null = null
  for (const text of texts) {
    const order = orderShownBy(text)
    if (order === own) return null
    if (order !== null) other ??= text
  }
  return other
}

/**
 * The lines of a file; `head` counts the lines up to the header, `columns` has the index of each
 * column, and `isRead` selects the lines of the chosen account. Rows in lines that are `isWaiting`
 * are pending.
 */
type CsvFile = {
  lines: Pages<CsvLine>
  head: number
  columns: ReadonlyMap<string, number>
  isRead: (line: CsvLine) => boolean
  isWaiting: (line: number) => boolean
}

function* rowsBelow(file: CsvFile): Generator<CsvCells & { line: number }> {
  const { lines, head, columns, isRead } = file
  let number = -head
  for (const one of lines) {
    number += 1
    const { cells, line } = one
    if (number > 0 && isRead(one)) yield { ...cellsOf(cells, { columns, number }), line }
  }
}

/** Yields the amounts from which to detect the decimal mark, without numeric cells of a sheet. */
function* amountsIn(
  file: CsvFile,
  { mapping, numberColumns = [] }: Pick<CsvFormat, 'mapping' | 'numberColumns'>,
): Generator<string> {
  const fields = [...amountFields(mapping), ...mapping.balance.fields]
  const mixed = new Set(numberColumns)
  const isMixed = ({ name = '' }: FieldRef) => mixed.has(file.columns.get(name) ?? -1)
  for (const { at } of rowsBelow(file)) {
    yield* fields.filter((one) => !(isMixed(one) && isNumberText(at(one)))).map(at)
  }
}

function* textsOf(file: CsvFile, field: FieldRef | undefined): Generator<string> {
  if (field === undefined) return
  for (const { at } of rowsBelow(file)) yield at(field)
}

/**
 * Counts rows whose balance differs by their amount from the balance before (`by`), and rows whose
 * cell in the column `net` equals their amount (`nets`).
 */
function countMoved(file: CsvFile, rowSettings: CsvSettings, net: FieldRef | null = null) {
  const balances = new CsvBalances(rowSettings.mapping)
  let nets = 0
  for (const row of rowsBelow(file)) {
    const read = readCsvRow(row, rowSettings)
    balances.add(read)
    const stated = net && readAmountAt(row, net, rowSettings)
    const isNet = stated && 'row' in read && magnitudeOf(stated) === magnitudeOf(read.row.amount)
    if (isNet) nets += 1
  }
  return { by: balances.countBy(), nets }
}

/**
 * Returns the column of fees and the sign of a fee, if amounts with fees fit more balances than
 * amounts alone. On a tie, the number of net amounts that equal amount plus fee decides.
 */
function feesMoved(file: CsvFile, rowSettings: CsvSettings): CsvSettings['fees'] {
  const { fee: column, net } = findFees([...file.columns.keys()])
  const { mapping } = rowSettings
  if (column !== null && isAfterFees(mapping.amount.fields[0])) return { column, cost: 'sender' }
  if (column === null || (mapping.balance.kind !== 'field' && !net)) return null
  const tried: CsvSettings['fees'][] = [
    null,
    ...(['minus', 'plus', 'either'] as const).map((cost) => ({ column, cost })),
  ]
  const counts = tried.map((fees) => {
    const { by, nets } = countMoved(file, { ...rowSettings, fees }, net)
    return { fees, by, nets }
  })
  const [best] = counts.toSorted((one, other) => other.by - one.by || other.nets - one.nets)
  return best?.fees ?? null
}

type Found = (CsvRow | SkippedRow) & { place: () => RowPlace }

function* findRows(
  file: CsvFile,
  of: { rowSettings: CsvSettings; delimiter: string; balances: CsvBalances },
): Generator<Found> {
  const totals = new CsvTotals()
  for (const row of rowsBelow(file)) {
    const place = () => placeOf(row.line, row.cells.join(of.delimiter))
    const read = readCsvRow(row, of.rowSettings)
    if (!('reason' in read)) read.row.isPending ||= file.isWaiting(row.line)
    if (!('reason' in read) && totals.isTotal(read, row.cells)) {
      yield { identifier: read.identifier, reason: 'balance', place }
      continue
    }
    of.balances.add(read)
    yield { ...read, place }
  }
}

/** Returns the fields that hold amounts: for kind `type`, the second field holds a word. */
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
    behind: ({ name = '' }: FieldRef) => (columns.get(name) ?? cells.length) + 1,
  }
}

/** Appends ` #2`, ` #3`, … to repeated hashes: rows with equal hashes may not be duplicates. */
function* numbered(read: Iterable<Found>): Generator<Found> {
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
