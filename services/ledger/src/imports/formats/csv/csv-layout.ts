import { currencies } from '@coffer/kit/values/currency'
import { isWrittenDay } from '../day-format.ts'
import type { CsvLine } from './csv-table.ts'

/** A hypothesis about a table: its header and the rows below it; `score` ranks hypotheses. */
export type Layout = {
  /** Index of the header among the rows; -1 without one. */
  at: number
  columns: number
  /** Index of the column of dates; -1 without dates. */
  dateColumn: number
  /** Number of rows that fit the columns and have a date and an amount. */
  used: number
  /** Number of columns with a name, and with text in at least one of the `used` rows. */
  named: number
  score: number
}

/** `day`, an `amount` with decimals or a currency, or a `number`; null for any other text. */
type CellKind = 'day' | 'amount' | 'number' | null

type Row = { cells: readonly string[]; kinds: readonly CellKind[]; width: number }

/** Number of first rows among which the header is searched. */
export const headRows = 50
/** Minimum number of names in a header, and minimum number of columns in a table without dates. */
const NAMES_MIN = 2
const UNDATED_MIN = 3
/** Number of columns at the end that a header may leave without a name. */
const UNNAMED_MAX = 2
/** Weight of rows without a date: tiny, so that any layout with dates wins. */
const UNDATED = 0.001

const AMOUNT_LENGTH_MAX = 30
const LETTERS = [
  'kr zł Kč Ft Rs\\.? Fr\\.? лв\\.? руб\\.? 元 円 C[Rr] D[BbRr]',
  'TL D[Hh] SR KD LE DT ש["״]ח',
]
  .join(' ')
  .replaceAll(' ', '|')
const CODE = String.raw`(?:[A-Za-z]{3}|[A-Z]{0,2}\p{Sc}|${LETTERS})`
const AMOUNT = new RegExp(
  String.raw`^\(?[-+−△▲]{0,2} ?(?:${CODE} ?)?[-+−]?\(?(\d[\d.,'’ ]*|[.,]\d+)\)?[-+−]?` +
    String.raw`(?: ?${CODE}|(?<=[.,]\d\d ?)[CDHS])?$`,
  'u',
)
/** A column name such as `Ref1` or `Vwz.1`; it is an amount if the letters are a currency code. */
const NUMBERED = /^([A-Za-z]{3})\.?\d+$/
const codes = new Set(currencies())

/**
 * Returns the layout with the highest score: columns, used rows, and cells with dates or amounts
 * add to it, unused lines reduce it (docs/file-formats.md#csv). On a tie, the header that names
 * more columns wins, then the last. `given` is the index of the client's header, -1 for no header,
 * null to detect it. Returns null if no layout fits.
 */
export function findLayout(rows: readonly CsvLine[], given: number | null): Layout | null {
  const table = rows.map(({ cells }) => ({
    cells,
    kinds: cells.map(kindOf),
    width: columnsOf(cells),
  }))
  const filled = filledIn(table.filter(isDated))
  const headers = table.slice(0, headRows).flatMap((row, at) => (isHeader(row, filled) ? [at] : []))
  const isNamed = headers.some((at) => namesRows(table, at))
  const places = given === null ? [...(isNamed ? [] : [-1]), ...headers] : [given]
  const layouts = places.map((at) => layoutOf(table, at))
  const [best] = layouts.toSorted(
    (one, other) => other.score - one.score || other.named - one.named || other.at - one.at,
  )
  return best === undefined || (best.score <= 0 && given === null) ? null : best
}

/** Returns the number of cells in a row, without blank cells at its end. */
export function columnsOf(cells: readonly string[]): number {
  return cells.findLastIndex((cell) => cell !== '') + 1
}

/** Returns the indexes of the columns in which a row has a text. */
function filledIn(rows: readonly Row[]): Set<number> {
  return new Set(
    rows.flatMap(({ cells }) => cells.flatMap((cell, at) => (cell === '' ? [] : [at]))),
  )
}

/**
 * Returns whether a row can be a header: it has no date and no amount, and it names most of the
 * columns that dated rows fill. It may lack some names, because merged cells leave blanks.
 */
function isHeader({ cells, kinds, width }: Row, filled: ReadonlySet<number>): boolean {
  const names = cells.filter((cell) => cell !== '').length
  const isOpen = (at: number) => at < width && (filled.size === 0 || filled.has(at))
  const blanks = cells.filter((cell, at) => cell === '' && isOpen(at)).length
  return names >= NAMES_MIN && names > blanks && kinds.every((kind) => kind === null)
}

/**
 * Returns whether a header has three names or more and the width of the narrowest dated row. Wider
 * rows are ignored: they have an unquoted delimiter in a text.
 */
function namesRows(table: readonly Row[], at: number): boolean {
  const width = table[at]?.width ?? 0
  const widths = table.slice(at + 1).flatMap((row) => (isDated(row) ? [row.width] : []))
  return width >= UNDATED_MIN && widths.includes(width) && widths.every((one) => one >= width)
}

function layoutOf(table: readonly Row[], at: number): Layout {
  const first = at === -1 ? Math.max(table.findIndex(isDated), 0) : at + 1
  const below = table.slice(first)
  const dated = below.filter(isDated).map(({ width }) => width)
  const names = namesOf(table[at], below)
  const columns = at === -1 ? usual(dated) : Math.max(names, widened(names, dated))
  const fitting = below.filter(({ width }) => width <= columns)
  const dateColumn = mostFrequent(fitting, columns)
  const used = fitting.filter((row) => row.kinds[dateColumn] === 'day' && isDated(row))
  const weight = used.flatMap(({ kinds }) => kinds).reduce((sum, kind) => sum + weightOf(kind), 0)
  const isNamed = at !== -1 && columns >= UNDATED_MIN
  const share = (fitting.length + 1) / (below.length + 1)
  const undated = isNamed && used.length === 0 ? UNDATED * (fitting.length + 1) * share : 0
  // Lines that are neither the header nor a row count against a layout.
  const unread = table.length - used.length - (at === -1 ? 0 : 1)
  return {
    at,
    columns,
    dateColumn: used.length === 0 ? -1 : dateColumn,
    used: used.length,
    named: namedBy(table[at], used),
    score: columns * (weight + undated) * (1 - unread / (table.length + 1)),
  }
}

function namedBy(header: Row | undefined, used: readonly Row[]): number {
  return header === undefined ? 0 : [...filledIn(used)].filter((at) => header.cells[at]).length
}

/** Returns the width of a header. Blank names at its end count if a row has text in that column. */
function namesOf(header: Row | undefined, below: readonly Row[]): number {
  const widths = below.map(({ width }) => width).filter((one) => one <= (header?.cells.length ?? 0))
  return widths.reduce((widest, one) => Math.max(widest, one), header?.width ?? 0)
}

/** Returns the usual width of dated rows if it exceeds the header by at most two, else 0. */
function widened(names: number, dated: readonly number[]): number {
  const width = usual(dated)
  const wide = dated.filter((one) => one === width).length
  const isWider = width > names && width - names <= UNNAMED_MAX && names > NAMES_MIN
  return isWider && wide * 2 > dated.length && dated.every((one) => one > names) ? width : 0
}

function usual(widths: readonly number[]): number {
  const counts = new Map<number, number>()
  for (const width of widths) {
    counts.set(width, (counts.get(width) ?? 0) + 1)
  }
  const most = Math.max(0, ...counts.values())
  // Rows may leave out blank cells at their end, so the widest frequent width counts.
  const frequent = [...counts].filter(([, count]) => count * 4 >= most)
  return Math.max(0, ...frequent.map(([width]) => width))
}

/** Returns the column in which most rows have a date. */
function mostFrequent(rows: readonly Row[], columns: number): number {
  const counts = Array.from({ length: columns }, () => 0)
  for (const { kinds } of rows) {
    for (const [column, kind] of kinds.entries()) {
      if (kind === 'day' && column < columns) counts[column] = (counts[column] ?? 0) + 1
    }
  }
  return counts.indexOf(Math.max(...counts))
}

function isDated({ kinds }: Row): boolean {
  return kinds.includes('day') && kinds.some(isAmount)
}

function isAmount(kind: CellKind): boolean {
  return kind === 'amount' || kind === 'number'
}

function weightOf(kind: CellKind): number {
  return kind === null ? 0 : { day: 2, amount: 2, number: 1 }[kind]
}

function kindOf(cell: string): CellKind {
  if (cell === '') return null
  if (isWrittenDay(cell)) return 'day'
  const [, letters] = NUMBERED.exec(cell) ?? []
  if (letters !== undefined && !codes.has(letters.toUpperCase())) return null
  const [, digits] = (cell.length > AMOUNT_LENGTH_MAX ? null : AMOUNT.exec(cell)) ?? []
  if (digits === undefined) return null
  return digits !== cell || /[.,]\d{1,2}$/.test(digits) ? 'amount' : 'number'
}
