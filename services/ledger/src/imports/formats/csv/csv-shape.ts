import { decodeFile } from '../file-text.ts'
import type { Unreadable } from '../statement.ts'
import { headerLengthMax, headersMax } from './csv-mapping.ts'
import { delimiters, readHead } from './csv-table.ts'

/** What the cells of a file mean: how they are parted and what their columns are called. */
export type CsvShape = { delimiter: string; headers: string[] }

/** Bytes. */
const HEAD_LENGTH = 65_536
/** What may stand above the header, and what is looked at below it. */
export const headRows = 50
const COLUMNS_MIN = 3
const LINE_FEED = 0x0a
const CARRIAGE_RETURN = 0x0d

/**
 * The shape of a CSV file, from its first rows: the delimiter with which most rows have as many
 * cells as their header, at least three (`spec/ledger.md` 7.2).
 */
export function csvShapeOf(bytes: Uint8Array): CsvShape | Unreadable {
  const head = decodeFile(headOf(bytes))
  const found = delimiters.flatMap((delimiter) => {
    const rows = readHead(head, { delimiter, rowsMax: headRows })
    const at = headerIndex(rows)
    return at === -1 ? [] : [{ delimiter, ...fitOf(rows.slice(at)) }]
  })
  const [best] = found.toSorted((one, other) => other.fit - one.fit)
  if (best === undefined) {
    return { unreadable: 'The file has no row with the names of at least three columns' }
  }
  const { delimiter, header } = best
  return columnsOf(header) > headersMax
    ? { unreadable: `The file has more than ${headersMax} columns` }
    : { delimiter, headers: namesOf(header) }
}

/** The rows below the header; null when no row is this header. */
export function rowsBelow(rows: string[][], headers: readonly string[]): string[][] | null {
  const isHeader = (cells: readonly string[]) =>
    columnsOf(cells) === headers.length && namesOf(cells).join('\n') === headers.join('\n')
  const at = rows.slice(0, headRows).findIndex(isHeader)
  return at === -1 ? null : rows.slice(at + 1)
}

/** Whole lines, so that no character and no row is cut. */
function headOf(bytes: Uint8Array): Uint8Array {
  if (bytes.length <= HEAD_LENGTH) {
    return bytes
  }
  const head = bytes.subarray(0, HEAD_LENGTH)
  const end = Math.max(head.lastIndexOf(LINE_FEED), head.lastIndexOf(CARRIAGE_RETURN))
  return end === -1 ? head : head.subarray(0, end)
}

/** The first row that is as wide as most, with a name in most of its cells. */
function headerIndex(rows: string[][]): number {
  const counts = new Map<number, number>()
  for (const { length } of rows) {
    counts.set(length, (counts.get(length) ?? 0) + 1)
  }
  const usual = [...counts].toSorted(([a, m], [b, n]) => n - m || b - a)[0]?.[0] ?? 0
  return rows.findIndex((cells) => {
    const names = cells.filter((cell) => cell !== '').length
    return names >= COLUMNS_MIN && names * 2 > usual && Math.abs(cells.length - usual) <= 1
  })
}

function fitOf(rows: string[][]): { header: string[]; fit: number } {
  const [header = []] = rows
  const columns = columnsOf(header)
  const fitting = rows.filter((cells) => widthOf(cells, columns) === columns)
  return { header, fit: fitting.length / rows.length }
}

/** How many cells a header has, without blank ones at its end. */
function columnsOf(header: readonly string[]): number {
  return header.findLastIndex((cell) => cell !== '') + 1
}

/** How many cells a row has, not counting blank ones beyond the header. */
export function widthOf(cells: readonly string[], columns: number): number {
  const beyond = cells.slice(columns).some((cell) => cell !== '')
  return beyond ? cells.length : Math.min(cells.length, columns)
}

/**
 * The names of columns, unique and bounded: a blank one is named by its number. Called for few
 * columns only, as each name is compared with all others.
 */
function namesOf(cells: readonly string[]): string[] {
  const names: string[] = []
  for (const [index, cell] of cells.slice(0, columnsOf(cells)).entries()) {
    const printable = cell.replace(/\p{C}/gu, '').trim()
    const name = [...printable].slice(0, headerLengthMax).join('') || `Column ${index + 1}`
    names.push(names.includes(name) ? `${index + 1} ${name}`.slice(0, headerLengthMax) : name)
  }
  return names
}
