import type { Unreadable } from '../statement.ts'
import { streamXml } from '../xml-stream.ts'
import { unzip } from '../zip/zip-archive.ts'
import { numberText } from './cell-text.ts'
import { type ChosenTable, columnsMax, sheetRowsMax, TableChoice, TableRows } from './table-rows.ts'

const ELEMENTS_MAX = 10_000_000
const NUMBERS = ['float', 'currency', 'percentage']

/** Attributes with the exact value of a cell: its text is rounded and localized. */
type Value = Readonly<Record<string, string>>

/**
 * Returns the rows of an OpenDocument spreadsheet (ISO/IEC 26300) as texts: of the `stated` sheet,
 * else of the longest. Dates are YYYY-MM-DD, numbers have a decimal point. Formulas are not
 * evaluated: a cell has its stored result.
 */
export function readOds(bytes: Uint8Array, stated?: string): ChosenTable | Unreadable {
  const entries = unzip(bytes, (name) => name === 'content.xml')
  if ('unreadable' in entries) return entries
  const choice = new TableChoice(stated)
  let rows = new TableRows()
  let sheet = ''
  const at = { column: 0, repeated: 1, rowRepeated: 1, value: {} as Value, text: '', notes: 0 }
  let paragraphs = 0
  const fault = streamXml(
    new TextDecoder().decode(entries.get('content.xml')),
    {
      open: (name, attributes) => {
        if (name === 'annotation') at.notes += 1
        if (name === 'table') {
          rows = new TableRows()
          sheet = attributes['table:name'] ?? ''
        }
        if (name === 'table-row') {
          at.column = 0
          at.rowRepeated = countOf(attributes['table:number-rows-repeated'], sheetRowsMax)
        }
        if (name === 'table-cell' || name === 'covered-table-cell') {
          const repeated = countOf(attributes['table:number-columns-repeated'], columnsMax)
          Object.assign(at, { repeated, value: attributes, text: '' })
        }
        if (name === 'p') {
          paragraphs += 1
          at.text += ' '
        }
        if (['s', 'tab', 'line-break'].includes(name)) at.text += ' '
      },
      text: (text) => {
        if (paragraphs > 0 && at.notes === 0) at.text += text
      },
      close: (name) => {
        if (name === 'annotation') at.notes -= 1
        if (name === 'p') paragraphs -= 1
        if (name === 'table-cell' || name === 'covered-table-cell') {
          const isNumber = NUMBERS.includes(at.value['office:value-type'] ?? '')
          const of = { repeated: at.repeated, isNumber }
          rows.setCell(at.column, shownText(at.value, at.text), of)
          at.column += at.repeated
        }
        if (name === 'table-row') rows.endRow(at.rowRepeated)
        if (name === 'table') choice.add(rows, sheet)
      },
      fault: () => choice.fault,
    },
    { elementsMax: ELEMENTS_MAX },
  )
  return fault ?? choice.choose()
}

function shownText(value: Value, text: string): string {
  const type = value['office:value-type'] ?? ''
  if (NUMBERS.includes(type)) return numberText(value['office:value'] ?? text.trim())
  const day = type === 'date' ? value['office:date-value'] : undefined
  return day === undefined ? text : day.slice(0, 19).replace('T', ' ').replace(' 00:00:00', '')
}

function countOf(text: string | undefined, max: number): number {
  return Math.min(Math.max(1, Math.trunc(Number(text ?? 1)) || 1), max + 1)
}
