import { say } from '@coffer/kit/reasons/reasons'
import { headerLengthMax } from '@coffer/kit/values/mapping-rules'
import { toPrintable } from '@coffer/kit/values/printable'
import { values } from '@coffer/proto/values'
import { isWrittenDay } from '../day-format.ts'
import type { Unreadable } from '../statement.ts'
import { endOf, type Steps } from '../steps.ts'
import { decodeFile, detectEncoding } from '../text/file-text.ts'
import { columnsOf, findLayout, headRows, type Layout } from './csv-layout.ts'
import { nameByPlace } from './csv-mapping.ts'
import { type CsvLine, readTable } from './csv-table.ts'

/** The format of a CSV table; `headerRow` is the line of the header, 0 without one. */
export type CsvShape = { delimiter: string; headerRow: number; headers: string[] }

/**
 * A shape with its evidence: the cells of the date column, the number of usable rows (`used`), and
 * the cells of the first rows.
 */
export type DetectedShape = CsvShape & {
  encoding: string
  dates: string[]
  used: number
  firstRows: string[][]
}

/** Parts of the shape that the client states; the others are detected. */
export type ShapeChoices = {
  delimiter?: string | undefined
  headerRow?: number | undefined
  encoding?: string | undefined
}

/** Number of bytes at the start of a file that are read to detect its delimiter and header. */
const HEAD_LENGTH = 65_536
/** Maximum number of rows for detection, more than 64 KiB of a bank statement have. */
const shapeRowsMax = 5000
/** Maximum number of columns: the widest exports of payment services have about 150. */
const columnsMax = 400
/** Maximum share of control characters: some programs write a few into texts. */
const controlShareMax = 0.01
/** Number of sample rows for the client's choice of a mapping, and maximum length of a cell. */
const shownRows = 20
const shownLengthMax = 100
const LINE_FEED = 0x0a
const CARRIAGE_RETURN = 0x0d

type Table = { delimiter: string; rows: CsvLine[] }

type Candidate = Table & { layout: Layout }

/** Returns delimiter and columns, or why they are not found (docs/file-formats.md#csv). */
export function detectShape(bytes: Uint8Array, choices?: ShapeChoices): DetectedShape | Unreadable {
  return endOf(shapeSteps(bytes, choices))
}

/** Detects the shape as `detectShape` does; a step parses or analyses one delimiter's table. */
export function* shapeSteps(
  bytes: Uint8Array,
  choices: ShapeChoices = {},
): Steps<DetectedShape | Unreadable> {
  const encoding = choices.encoding ?? detectEncoding(headOf(bytes))
  const head = decodeFile(headOf(bytes), encoding)
  if (isBinary(head)) return { unreadable: say('TABLE_NOT_TEXT') }
  const stated = choices.delimiter ?? /^\ufeff?sep=([,;|\t])/i.exec(head)?.[1]
  const tables: (Table & { fault: Unreadable | null })[] = []
  // The API lists delimiters by preference: the first one wins if several fit equally well.
  for (const delimiter of stated === undefined ? values['ReadingChoices.delimiter'] : [stated]) {
    yield
    const rows: CsvLine[] = []
    const fault = readTable(head, { delimiter, rowsMax: shapeRowsMax }, rows)
    tables.push({ delimiter, rows, fault })
  }
  const isCut = bytes.length > HEAD_LENGTH
  const whole = tables.filter(({ fault }) => fault === null || isCut)
  const best = (yield* bestOf(whole, choices)) ?? (yield* bestOf(tables, choices))
  if (best === undefined) return { unreadable: unreadable(choices) }
  if (best.layout.columns > columnsMax) {
    return { unreadable: say('TABLE_COLUMNS', { max: columnsMax }) }
  }
  if (cutsAmounts(best)) return { unreadable: say('TABLE_CUT_AMOUNTS') }
  return { ...shapeOf(best), encoding }
}

/** Returns whether a file is not text: a PDF, an image, a program. */
function isBinary(head: string): boolean {
  const controls = head.match(/(?!\s)\p{Cc}/gu)?.length ?? 0
  return /^\ufeff?%PDF-/.test(head) || controls > head.length * controlShareMax
}

/**
 * Returns whether the comma delimiter splits unquoted amounts with decimal commas: each row has one
 * cell more than the header, and in one column of all rows a cell of two digits follows an integer.
 */
function cutsAmounts({ delimiter, rows, layout }: Candidate): boolean {
  const { at, columns, dateColumn } = layout
  const header = rows[at]
  if (delimiter !== ',' || header === undefined || columns !== columnsOf(header.cells) + 1) {
    return false
  }
  const wide = rows
    .slice(at + 1)
    .filter(({ cells }) => columnsOf(cells) === columns && isWrittenDay(cells[dateColumn] ?? ''))
  return header.cells.some((_, place) =>
    wide.every(({ cells }) => {
      const [whole = '', decimals = ''] = cells.slice(place, place + 2)
      return /^\(?[-+−]?\d+$/.test(whole) && /^\d\d\)?$/.test(decimals)
    }),
  )
}

function* bestOf(
  tables: readonly Table[],
  { headerRow }: ShapeChoices,
): Steps<Candidate | undefined> {
  const candidates: Candidate[] = []
  for (const table of tables) {
    yield
    candidates.push(...candidatesOf(table, headerRow))
  }
  return candidates.toSorted((one, other) => other.layout.score - one.layout.score)[0]
}

function unreadable({ headerRow = 0, delimiter }: ShapeChoices): string {
  if (delimiter !== undefined && headerRow === 0) {
    return say('TABLE_DELIMITER')
  }
  return headerRow > 0 ? say('TABLE_HEADER', { line: headerRow }) : say('TABLE_SHAPELESS')
}

/** Returns the best layout of a table, if any; `headerRow` is a line of the file, 0 for none. */
function candidatesOf({ delimiter, rows }: Table, headerRow: number | undefined): Candidate[] {
  const given = headerRow && rows.findIndex(({ line }) => line === headerRow)
  if (headerRow && given === -1) return []
  const layout = findLayout(rows, headerRow === 0 ? -1 : (given ?? null))
  // A delimiter that is not in the file yields a single column.
  return layout === null || layout.columns < 2 ? [] : [{ delimiter, rows, layout }]
}

function shapeOf({ delimiter, rows, layout }: Candidate): Omit<DetectedShape, 'encoding'> {
  const { at, columns, dateColumn, used } = layout
  const header = rows[at]
  const cells = Array.from({ length: columns }, (_, index) => header?.cells[index] ?? '')
  const below = rows.slice(at + 1)
  const dates = below.map((row) => row.cells[dateColumn] ?? '')
  const firstRows = below
    .slice(0, shownRows)
    .map((row) => cells.map((_, index) => printCell(row.cells[index])))
  const headerRow = header?.line ?? 0
  return {
    delimiter,
    headerRow,
    headers: nameColumns(cells),
    dates: dates.filter(isWrittenDay),
    used,
    firstRows,
  }
}

function printCell(cell = ''): string {
  return toPrintable(cell, { lengthMax: shownLengthMax })
}

/**
 * Returns the number of rows up to and including the header; null if the file lacks this header.
 * until 0.5: imports that a release before 0.4.0 stored have no `headerRow`, so their header is
 * found by its names.
 */
export function countHead(
  rows: Iterable<CsvLine>,
  { headerRow, headers }: { headerRow: number | null; headers: readonly string[] },
): number | null {
  if (headerRow === 0) return 0
  const isHeader = ({ cells, line }: CsvLine) =>
    headerRow === null
      ? columnsOf(cells) === headers.length &&
        nameColumns(cells.slice(0, headers.length)).join('\n') === headers.join('\n')
      : line === headerRow
  let count = 0
  for (const row of rows) {
    count += 1
    if (count > headRows) break
    if (isHeader(row)) return count
  }
  return null
}

/** Returns the first 64 KiB of a file up to a line end, so that no character or row is split. */
function headOf(bytes: Uint8Array): Uint8Array {
  if (bytes.length <= HEAD_LENGTH) return bytes
  const head = bytes.subarray(0, HEAD_LENGTH)
  const end = Math.max(head.lastIndexOf(LINE_FEED), head.lastIndexOf(CARRIAGE_RETURN))
  return end === -1 ? head : head.subarray(0, end)
}

/** Returns unique, printable column names. Takes quadratic time, so callers limit the columns. */
function nameColumns(cells: readonly string[]): string[] {
  const names: string[] = []
  for (const [index, cell] of cells.entries()) {
    const name = toPrintable(cell, { lengthMax: headerLengthMax }) || nameByPlace(index)
    names.push(names.includes(name) ? `${index + 1} ${name}`.slice(0, headerLengthMax) : name)
  }
  return names
}
