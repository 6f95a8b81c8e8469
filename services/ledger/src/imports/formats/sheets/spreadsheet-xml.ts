import type { Unreadable } from '../statement.ts'
import { attributeOf, streamXml } from '../xml-stream.ts'
import { numberText } from './cell-text.ts'
import { type ChosenTable, columnsMax, TableChoice, TableRows } from './table-rows.ts'

const ELEMENTS_MAX = 10_000_000

/**
 * Returns the rows of a workbook in the XML format of Excel 2003 as texts: of the `stated` visible
 * sheet, else of the longest. Dates are YYYY-MM-DD, numbers have a decimal point. Formulas are not
 * evaluated: a cell has its stored result.
 */
export function readSpreadsheetXml(text: string, stated?: string): ChosenTable | Unreadable {
  const choice = new TableChoice(stated)
  const sheet = { rows: new TableRows(), name: '', isHidden: false }
  const cell = { column: -1, span: 0, repeated: 1, type: '', text: '' }
  const at = { isData: false, isVisible: false }
  const fault = streamXml(
    text,
    {
      open: (name, attributes) => {
        const numberAt = (key: string) => Number(attributeOf(attributes, key)) || 0
        if (name === 'Worksheet') {
          const own = attributeOf(attributes, 'Name') ?? ''
          Object.assign(sheet, { rows: new TableRows(), name: own, isHidden: false })
        }
        if (name === 'Row') {
          cell.column = -1
          cell.span = 0
          sheet.rows.skipTo(numberAt('Index'))
        }
        if (name === 'Cell') {
          const next = cell.column + 1 + cell.span
          cell.column = Math.min(Math.max(numberAt('Index') - 1, next), columnsMax)
          cell.span = Math.min(Math.max(0, Math.trunc(numberAt('MergeAcross'))), columnsMax)
          Object.assign(cell, { type: '', text: '' })
        }
        if (name === 'Data') cell.type = attributeOf(attributes, 'Type') ?? 'String'
        at.isData ||= name === 'Data'
        at.isVisible = name === 'Visible'
      },
      text: (part) => {
        if (at.isData) cell.text += part
        if (at.isVisible) sheet.isHidden ||= part.includes('Hidden')
      },
      close: (name) => {
        at.isVisible = false
        if (name === 'Data') at.isData = false
        if (name === 'Cell') {
          sheet.rows.setCell(cell.column, shownText(cell), { isNumber: cell.type === 'Number' })
        }
        if (name === 'Row') sheet.rows.endRow()
        if (name === 'Worksheet' && !sheet.isHidden) choice.add(sheet.rows, sheet.name)
      },
      fault: () => choice.fault,
    },
    { elementsMax: ELEMENTS_MAX },
  )
  return fault ?? choice.choose()
}

function shownText({ type, text }: { type: string; text: string }): string {
  if (type === 'Number') return numberText(text.trim())
  if (type === 'Boolean') return text.trim() === '1' ? 'TRUE' : 'FALSE'
  if (type !== 'DateTime') return text
  return text.replace('T', ' ').replace(/(?: 00:00:00)?(?:\.0*)?Z?$/, '')
}
