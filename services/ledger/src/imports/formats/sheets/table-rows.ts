import type { Unreadable } from '../statement.ts'
import { oneLine } from '../statement-rows.ts'
import { rowsMax } from '../statement-values.ts'

/** Maximum number of columns of a sheet. */
export const columnsMax = 400
/** Maximum number of rows of a sheet: those of a file, and lines above its header. */
export const sheetRowsMax = rowsMax + 50
/** Maximum number of cells with a text in a sheet. */
const CELLS_MAX = 4_000_000

/** Collects the cells of one table, blank rows between others included; a bound sets `fault`. */
export class TableRows {
  readonly rows: string[][] = []
  /** Number of rows that have a text. */
  filled = 0
  fault: Unreadable | null = null
  #row: string[] = []
  #blanks = 0
  #cells = 0

  /** Leaves rows blank, so that the present row has a number (from 1) that the file states. */
  skipTo(number: number): void {
    const blanks = number - 1 - this.rows.length
    if (blanks > this.#blanks) this.#blanks = Math.min(blanks, sheetRowsMax)
  }

  /** Sets the text of a column (from 0) of the present row `repeated` times; leaves blanks out. */
  setCell(column: number, text: string, repeated = 1): void {
    const line = oneLine(text)
    if (line === '') return
    if (column + repeated > columnsMax) {
      this.fault ??= { unreadable: `The sheet has more than ${columnsMax} columns` }
      return
    }
    for (let at = this.#row.length; at < column; at += 1) this.#row[at] = ''
    for (let at = column; at < column + repeated; at += 1) this.#row[at] = line
  }

  /** Ends the present row, which stands in the table `repeated` times. */
  endRow(repeated = 1): void {
    const row = this.#row
    this.#row = []
    if (row.length === 0) {
      this.#blanks = Math.min(this.#blanks + repeated, sheetRowsMax)
      return
    }
    this.#cells += row.length * repeated
    if (this.rows.length + this.#blanks + repeated > sheetRowsMax || this.#cells > CELLS_MAX) {
      this.fault ??= { unreadable: `The sheet has more than ${rowsMax} rows` }
      return
    }
    for (let count = 0; count < this.#blanks; count += 1) this.rows.push([])
    for (let count = 0; count < repeated; count += 1) this.rows.push(row)
    this.#blanks = 0
    this.filled += repeated
  }
}

/** Returns the table with more filled rows, the first of equal ones; one with a fault at once. */
export function longer(one: TableRows, other: TableRows): TableRows {
  if (one.fault !== null) return one
  return other.fault !== null || other.filled > one.filled ? other : one
}

/** Returns the rows of a table, or why there are none. */
export function rowsOf({ rows, fault }: TableRows): string[][] | Unreadable {
  if (fault !== null) return fault
  return rows.length === 0 ? { unreadable: 'The file has no table with a text' } : rows
}
