import { say } from '@coffer/kit/reasons/reasons'
import type { Unreadable } from '../statement.ts'
import { cut, oneLine } from '../statement-rows.ts'
import { rowsMax } from '../statement-values.ts'

/** Maximum number of columns of a sheet. */
export const columnsMax = 400
/** Maximum number of rows of a sheet: those of a file, and lines above its header. */
export const sheetRowsMax = rowsMax + 50
/** Maximum number of cells with a text in a sheet. */
const CELLS_MAX = 4_000_000

/** A text that may be an amount such as `1.500`, which has decimals or thousands. */
const OPEN = /^\D*\d{1,3}[.,]\d{3}\D*$/

/** Collects the cells of one table, blank rows between others included; a bound sets `fault`. */
export class TableRows {
  readonly rows: string[][] = []
  /** Number of rows that have a text. */
  filled = 0
  fault: Unreadable | null = null
  /** Columns with a number that has decimals, which the conversion to texts writes with a point. */
  readonly #numbers = new Set<number>()
  #hasOpen = false
  #row: string[] = []
  #blanks = 0
  #cells = 0

  /** Leaves rows blank, so that the present row has a number (from 1) that the file states. */
  skipTo(number: number): void {
    const blanks = number - 1 - this.rows.length
    if (blanks > this.#blanks) this.#blanks = Math.min(blanks, sheetRowsMax)
  }

  /** Columns whose numbers do not tell how the texts are written that a decimal mark decides. */
  get numberColumns(): number[] {
    return this.#hasOpen ? [...this.#numbers] : []
  }

  /** Sets the text of a column (from 0) of the present row `repeated` times; leaves blanks out. */
  setCell(column: number, text: string, { repeated = 1, isNumber = false } = {}): void {
    const line = oneLine(text)
    if (line === '') return
    if (!isNumber) this.#hasOpen ||= OPEN.test(line)
    else if (line.includes('.')) this.#numbers.add(column)
    if (column + repeated > columnsMax) {
      this.fault ??= { unreadable: say('SHEET_COLUMNS', { max: columnsMax }) }
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
      this.fault ??= { unreadable: say('SHEET_ROWS', { max: rowsMax }) }
      return
    }
    for (let count = 0; count < this.#blanks; count += 1) this.rows.push([])
    for (let count = 0; count < repeated; count += 1) this.rows.push(row)
    this.#blanks = 0
    this.filled += repeated
  }
}

/** A table of a file: a sheet of a workbook, or a table of an HTML page. */
export type ListedSheet = { name: string; rowCount: number }

/** The rows of a chosen table, the reason of the choice, and all tables that have a text. */
export type ChosenTable = {
  rows: string[][]
  sheet: string
  reason: string
  sheets: ListedSheet[]
  numberColumns: number[]
}

/** Maximum number of tables that are listed, and length of their names in characters. */
const listedMax = 100
const nameLengthMax = 100

/**
 * Chooses the table that is stated by its name, else the longest one: only this one is kept while
 * further tables are read.
 */
export class TableChoice {
  readonly #stated: string | undefined
  readonly #sheets: ListedSheet[] = []
  #chosen: { name: string; table: TableRows } | null = null

  constructor(stated: string | undefined) {
    this.#stated = stated
  }

  /** Adds a table that is read to its end, with its name or the default one. */
  add(table: TableRows, name: string): void {
    if (table.filled === 0 && table.fault === null) return
    const own = cut(oneLine(name), nameLengthMax) || `Table ${this.#sheets.length + 1}`
    if (this.#sheets.length < listedMax) this.#sheets.push({ name: own, rowCount: table.filled })
    const isStated = this.#stated === undefined || this.#stated === own
    if (isStated && this.#isBetter(table)) this.#chosen = { name: own, table }
  }

  /** Whether the table is preferred: the longest, the first of equal ones; one with a fault. */
  #isBetter(table: TableRows): boolean {
    if (this.#chosen === null) return true
    if (this.#stated !== undefined || this.#chosen.table.fault !== null) return false
    return table.fault !== null || table.filled > this.#chosen.table.filled
  }

  /** Returns the fault of the file that is known so far; of the stated table alone, if there is. */
  get fault(): Unreadable | null {
    return this.#chosen?.table.fault ?? null
  }

  /** Returns the rows of the chosen table, or why there are none. */
  choose(): ChosenTable | Unreadable {
    const sheets = this.#sheets
    if (this.#chosen === null && sheets.length > 0) {
      const names = sheets.slice(0, 5).map(({ name }) => `"${name}"`)
      return {
        unreadable: cut(say('SHEET_UNKNOWN', { sheets: names.join(', ') }), 200),
      }
    }
    if (this.#chosen === null) return { unreadable: say('SHEET_EMPTY') }
    const { name: sheet, table } = this.#chosen
    if (table.fault !== null) return table.fault
    const found =
      sheets.length === 1 ? say('SHEET_ONLY') : say('SHEET_LONGEST', { count: sheets.length })
    const reason = this.#stated === undefined ? found : say('CHOICE_STATED')
    return { rows: table.rows, sheet, reason, sheets, numberColumns: table.numberColumns }
  }
}
