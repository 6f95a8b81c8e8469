import { say } from '@coffer/kit/reasons/reasons'
import { Parser } from 'htmlparser2'
import { isWrittenDay } from '../day-format.ts'
import type { Unreadable } from '../statement.ts'
import { oneLine } from '../statement-rows.ts'
import { type ChosenTable, columnsMax, sheetRowsMax, TableChoice, TableRows } from './table-rows.ts'

const ELEMENTS_MAX = 1_000_000
const DEPTH_MAX = 500
/**
 * Characters per write to the parser. A fault is noticed after a write, so it ends parsing soon.
 */
const PIECE_LENGTH = 65_536
/** Elements that separate texts: they are replaced by a blank. */
const BREAKS = ['br', 'p', 'div', 'li']
const HIDDEN = ['script', 'style', 'template']

/** A table whose end tag is not reached yet. Tables may be nested in cells. */
type OpenTable = {
  rows: TableRows
  column: number
  span: number
  /** Number of rows that the current cell spans. */
  height: number
  /** By column, a cell that spans rows (`rowspan`): the number of rows left, and its text. */
  covered: Map<number, { left: number; text: string }>
  text: string
  isCell: boolean
  isRow: boolean
}

/**
 * Returns the rows of a table in an HTML page as texts: the `stated` table (`Table 2`), else the
 * longest. Omits scripts and styles, and loads nothing. A cell that spans columns or rows has its
 * text in the first of them; a date that spans rows is repeated in each row.
 */
export function readHtmlTable(text: string, stated?: string): ChosenTable | Unreadable {
  const choice = new TableChoice(stated)
  const open: OpenTable[] = []
  const read = { elements: 0, depth: 0, hidden: 0, fault: null as Unreadable | null }
  const parser = new Parser({
    onopentag: (name, attributes) => {
      read.elements += 1
      read.depth += 1
      read.hidden += HIDDEN.includes(name) ? 1 : 0
      if (read.depth > DEPTH_MAX || read.elements > ELEMENTS_MAX) {
        read.fault ??= { unreadable: say('TABLE_ELEMENTS') }
      }
      const table = open.at(-1)
      if (name === 'table') {
        open.push({
          rows: new TableRows(),
          column: 0,
          span: 1,
          height: 1,
          covered: new Map(),
          text: '',
          isCell: false,
          isRow: false,
        })
      } else if (table === undefined) {
        return
      } else if (name === 'td' || name === 'th') {
        endCell(table)
        while (table.covered.has(table.column)) table.column += 1
        const span = spanOf(attributes.colspan, columnsMax)
        const height = spanOf(attributes.rowspan, sheetRowsMax)
        Object.assign(table, { span, height, isCell: true, isRow: true })
      } else if (name === 'tr') {
        endRow(table)
        table.isRow = true
      } else if (BREAKS.includes(name)) {
        table.text += ' '
      }
    },
    ontext: (part) => {
      const table = open.at(-1)
      if (table?.isCell && read.hidden === 0) table.text += part
    },
    onclosetag: (name) => {
      read.depth -= 1
      read.hidden -= HIDDEN.includes(name) ? 1 : 0
      const table = open.at(-1)
      if (table === undefined) return
      if (name === 'td' || name === 'th') endCell(table)
      if (name === 'tr' || name === 'table') endRow(table)
      if (name === 'table') {
        open.pop()
        choice.add(table.rows, '')
      }
    },
  })
  for (let at = 0; at < text.length && read.fault === null; at += PIECE_LENGTH) {
    parser.write(text.slice(at, at + PIECE_LENGTH))
    read.fault ??= choice.fault
  }
  if (read.fault === null) parser.end()
  return read.fault ?? choice.choose()
}

function endCell(table: OpenTable): void {
  if (table.isCell) {
    table.rows.setCell(table.column, table.text)
    const text = isWrittenDay(oneLine(table.text)) ? table.text : ''
    for (let at = 0; at < (table.height > 1 ? table.span : 0); at += 1) {
      table.covered.set(table.column + at, { left: table.height, text: at === 0 ? text : '' })
    }
    table.column += table.span
  }
  Object.assign(table, { text: '', isCell: false })
}

function endRow(table: OpenTable): void {
  endCell(table)
  if (table.isRow) {
    for (const [column, cell] of table.covered) {
      if (cell.text !== '') table.rows.setCell(column, cell.text)
      cell.left -= 1
      if (cell.left === 0) table.covered.delete(column)
    }
    table.rows.endRow()
  }
  Object.assign(table, { column: 0, isRow: false })
}

function spanOf(text: string | undefined, max: number): number {
  return Math.min(Math.max(1, Math.trunc(Number(text ?? 1)) || 1), max)
}
