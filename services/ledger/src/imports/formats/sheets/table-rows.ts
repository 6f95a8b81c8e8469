import { say } from '@coffer/kit/reasons/reasons'
import { isWrittenDay } from '../day-format.ts'
import type { Unreadable } from '../statement.ts'
import { cut, oneLine } from '../statement-rows.ts'
import { rowsMax } from '../statement-values.ts'

/** Maximum number of columns of a sheet. */
export const columnsMax = 400
/** Maximum number of rows of a sheet: transactions, the header, and lines above the header. */
export const sheetRowsMax = rowsMax + 50
/** Maximum number of cells with a text in a sheet. */
const CELLS_MAX = 4_000_000

/** Number of rows with a text that are looked at for days, and of those that are counted. */
const looksMax = 200
const datedMax = 20
const AMOUNT = /^\D{0,4}\d[\d.,' ]*\D{0,4}$/u

/** A text with an ambiguous amount, such as `1.500`: decimals or thousands. */
const OPEN = /^\D*\d{1,3}[.,]\d{3}\D*$/

/** Returns whether a row has a day and, in another cell, an amount. */
function isDated(row: readonly string[]): boolean {
  const isDay = row.map((cell) => isWrittenDay(cell))
  return isDay.includes(true) && row.some((cell, at) => !isDay[at] && AMOUNT.test(cell))
}

/** Collects the cells of one table with its inner blank rows; sets `fault` beyond a bound. */
export class TableRows {
  readonly rows: string[][] = []
  /** Number of rows that have a text. */
  filled = 0
  /** Number of the first rows that have a day and an amount, at most `datedMax`. */
  dated = 0
  fault: Unreadable | null = null
  /** Columns with numeric cells that have decimals: `numberText` writes them with a point. */
  readonly #numbers = new Set<number>()
  #hasOpen = false
  #row: string[] = []
  #blanks = 0
  #cells = 0

  /** Inserts blank rows, so that the current row gets the given number (from 1). */
  skipTo(number: number): void {
    const blanks = number - 1 - this.rows.length
    if (blanks > this.#blanks) this.#blanks = Math.min(blanks, sheetRowsMax)
  }

  /** Columns (from 0) whose numeric cells say nothing about the decimal mark of text cells. */
  get numberColumns(): number[] {
    return this.#hasOpen ? [...this.#numbers] : []
  }

  /** Sets the text of a column (from 0) and of its `repeated - 1` successors in the current row. */
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

  /** Ends the current row, and adds it to the table `repeated` times. */
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
    if (this.filled < looksMax && this.dated < datedMax && isDated(row)) this.dated += 1
    this.filled += repeated
  }
}

/** A table of a file: a sheet of a workbook, or a table of an HTML page. */
export type ListedSheet = { name: string; rowCount: number }

/** The rows of the chosen table, the reason of the choice, and a list of all non-empty tables. */
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
 * Chooses the table that the client states, else the one with most rows of a day and an amount, of
 * equal ones the longest. Only the best table so far is kept
 * while further tables are parsed, which saves memory.
 */
export class TableChoice {
  readonly #stated: string | undefined
  readonly #sheets: ListedSheet[] = []
  #chosen: { name: string; table: TableRows } | null = null

  constructor(stated: string | undefined) {
    this.#stated = stated
  }

  /** Adds a completely parsed table; an empty `name` becomes a default such as `Table 2`. */
  add(table: TableRows, name: string): void {
    if (table.filled === 0 && table.fault === null) return
    const own = cut(oneLine(name), nameLengthMax) || `Table ${this.#sheets.length + 1}`
    if (this.#sheets.length < listedMax) this.#sheets.push({ name: own, rowCount: table.filled })
    const isStated = this.#stated === undefined || this.#stated === own
    if (isStated && this.#isBetter(table)) this.#chosen = { name: own, table }
  }

  /** Prefers a table with a fault, then by dated rows, then the longest, then the first. */
  #isBetter(table: TableRows): boolean {
    if (this.#chosen === null) return true
    const { dated, filled, fault } = this.#chosen.table
    if (this.#stated !== undefined || fault !== null) return false
    const more = table.dated - dated || table.filled - filled
    return table.fault !== null || more > 0
  }

  /** Returns the fault of the tables so far, else null; if a table is stated, only its fault. */
  get fault(): Unreadable | null {
    return this.#chosen?.table.fault ?? null
  }

  /** Returns the chosen table, or `Unreadable`. */
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
