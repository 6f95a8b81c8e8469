import { headerLengthMax, headersMax } from '@coffer/kit/values/mapping-rules'
import { toPrintable } from '@coffer/kit/values/printable'
import { decodeFile } from '../file-text.ts'
import type { Unreadable } from '../statement.ts'
import { delimiters, readTable } from './csv-table.ts'

export type CsvShape = { delimiter: string; headers: string[] }

/** Number of bytes at the start of a file that are read to detect its delimiter and header. */
const HEAD_LENGTH = 65_536
/** Maximum number of rows that are read to find the header, which is one of them. */
export const headRows = 50
const COLUMNS_MIN = 3
const LINE_FEED = 0x0a
const CARRIAGE_RETURN = 0x0d

/** Returns delimiter and column names, or why they are not found (docs/file-formats.md#csv). */
export function detectShape(
  bytes: Uint8Array,
  choices: { delimiter?: string | undefined } = {},
): CsvShape | Unreadable {
  const head = decodeFile(headOf(bytes))
  const possible = choices.delimiter === undefined ? delimiters : [choices.delimiter]
  const found = possible.flatMap((delimiter) => {
    const { rows } = readTable(head, { delimiter, rowsMax: headRows })
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
    : { delimiter, headers: nameColumns(header) }
}

/** Returns the rows below the header; null if none of the first 50 rows equals `headers`. */
export function rowsBelow(rows: string[][], headers: readonly string[]): string[][] | null {
  const isHeader = (cells: readonly string[]) =>
    columnsOf(cells) === headers.length && nameColumns(cells).join('\n') === headers.join('\n')
  const at = rows.slice(0, headRows).findIndex(isHeader)
  return at === -1 ? null : rows.slice(at + 1)
}

/** Returns the first 64 KiB of a file up to a line end, so that no character or row is split. */
function headOf(bytes: Uint8Array): Uint8Array {
  if (bytes.length <= HEAD_LENGTH) return bytes
  const head = bytes.subarray(0, HEAD_LENGTH)
  const end = Math.max(head.lastIndexOf(LINE_FEED), head.lastIndexOf(CARRIAGE_RETURN))
  return end === -1 ? head : head.subarray(0, end)
}

/**
 * Returns the index of the header, or -1: the first row that is mostly filled and has about as many
 * cells as most rows.
 */
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

/** Returns the number of cells of a header, without blank ones at its end. */
function columnsOf(header: readonly string[]): number {
  return header.findLastIndex((cell) => cell !== '') + 1
}

/** Returns the number of cells of a row; empty cells to the right of the header do not count. */
export function widthOf(cells: readonly string[], columns: number): number {
  const beyond = cells.slice(columns).some((cell) => cell !== '')
  return beyond ? cells.length : Math.min(cells.length, columns)
}

/** Returns unique, printable column names. Takes quadratic time, so callers limit the columns. */
function nameColumns(cells: readonly string[]): string[] {
  const names: string[] = []
  for (const [index, cell] of cells.slice(0, columnsOf(cells)).entries()) {
    const name = toPrintable(cell, { lengthMax: headerLengthMax }) || `Column ${index + 1}`
    names.push(names.includes(name) ? `${index + 1} ${name}`.slice(0, headerLengthMax) : name)
  }
  return names
}
