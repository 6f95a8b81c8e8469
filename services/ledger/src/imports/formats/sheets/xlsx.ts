import { say } from '@coffer/kit/reasons/reasons'
import type { Unreadable } from '../statement.ts'
import { attributeOf, streamXml } from '../xml-stream.ts'
import { unzip } from '../zip/zip-archive.ts'
import { type NumberStyle, numberText, serialText, styleOfFormat } from './cell-text.ts'
import { type ChosenTable, columnsMax, TableChoice, TableRows } from './table-rows.ts'

/** Maximum number of elements of a part: enough for five million cells of two elements. */
const ELEMENTS_MAX = 10_000_000
/** IDs of built-in number formats of dates and times (ECMA-376 part 1, 18.8.30), East Asian too. */
const DATE_FORMATS = [14, 15, 16, 17, 22, 27, 28, 29, 30, 31, 36, 50, 51, 52, 53, 54, 57, 58]
const TIME_FORMATS = [18, 19, 20, 21, 32, 33, 34, 35, 45, 46, 47, 55, 56]

type Parts = { text: (path: string) => string; find: (pattern: RegExp) => string | undefined }
type Workbook = { sheets: { name: string; path: string }[]; system: 1900 | 1904 }
type CellContext = { strings: string[]; styles: NumberStyle[]; system: 1900 | 1904 }

/**
 * Returns the rows of a workbook (ECMA-376) as texts: of the `stated` visible sheet, else of the
 * longest. Dates are YYYY-MM-DD, numbers have a decimal point. Formulas are not evaluated: a cell
 * has its stored result, or is blank.
 */
export function readXlsx(bytes: Uint8Array, stated?: string): ChosenTable | Unreadable {
  const entries = unzip(bytes, (name) => /\.(?:xml|rels)$/i.test(name))
  if ('unreadable' in entries) return entries
  const decoder = new TextDecoder()
  const parts: Parts = {
    text: (path) => decoder.decode(entries.get(path)),
    find: (pattern) => [...entries.keys()].find((name) => pattern.test(name)),
  }
  const workbook = readWorkbook(parts)
  if ('unreadable' in workbook) return workbook
  const strings = readStrings(parts)
  const styles = readStyles(parts)
  if ('unreadable' in strings) return strings
  if ('unreadable' in styles) return styles
  const context = { strings, styles, system: workbook.system }
  const choice = new TableChoice(stated)
  for (const { name, path } of workbook.sheets) {
    const rows = new TableRows()
    const fault = readSheet(parts.text(path), { rows, context })
    if (fault !== null && rows.fault === null) return fault
    choice.add(rows, name)
    if (choice.fault !== null) return choice.fault
  }
  return choice.choose()
}

/** Returns names and paths of the visible sheets in tab order, and the date system. */
function readWorkbook(parts: Parts): Workbook | Unreadable {
  const path = parts.find(/(?:^|\/)workbook\.xml$/i)
  if (path === undefined) return { unreadable: say('WORKBOOK_UNREADABLE') }
  const folder = path.slice(0, path.lastIndexOf('/') + 1)
  const targets = new Map<string, string>()
  const links = parts.text(`${folder}_rels/${path.slice(folder.length)}.rels`)
  const linked = streamElements(links, {
    Relationship: (attributes) => {
      const target = attributes.Target ?? ''
      const full = target.startsWith('/') ? target.slice(1) : `${folder}${target}`
      targets.set(attributes.Id ?? '', full)
    },
  })
  const found: Workbook = { sheets: [], system: 1900 }
  const read = streamElements(parts.text(path), {
    workbookPr: ({ date1904 = '' }) => {
      found.system = ['1', 'true'].includes(date1904) ? 1904 : 1900
    },
    sheet: (attributes) => {
      const target = targets.get(attributeOf(attributes, 'id') ?? '')
      const isVisible = (attributes.state ?? 'visible') === 'visible'
      const { name = '' } = attributes
      if (isVisible && target !== undefined) found.sheets.push({ name, path: target })
    },
  })
  return linked ?? read ?? found
}

/** Returns the shared strings, without the phonetic guides of East Asian texts. */
function readStrings(parts: Parts): string[] | Unreadable {
  const path = parts.find(/(?:^|\/)sharedStrings\.xml$/i)
  const strings: string[] = []
  if (path === undefined) return strings
  const at = { isText: false, phonetic: 0 }
  const fault = streamXml(
    parts.text(path),
    {
      open: (name) => {
        if (name === 'si') strings.push('')
        at.phonetic += name === 'rPh' ? 1 : 0
        at.isText = name === 't' && at.phonetic === 0
      },
      text: (text) => {
        if (at.isText) strings.push(`${strings.pop() ?? ''}${text}`)
      },
      close: (name) => {
        at.phonetic -= name === 'rPh' ? 1 : 0
        at.isText = false
      },
    },
    { elementsMax: ELEMENTS_MAX },
  )
  return fault ?? strings
}

/** Returns the number style of each cell style, by its index. */
function readStyles(parts: Parts): NumberStyle[] | Unreadable {
  const path = parts.find(/(?:^|\/)styles\.xml$/i)
  const styles: NumberStyle[] = []
  if (path === undefined) return styles
  const codes = new Map<string, string>()
  let isCell = false
  const fault = streamElements(parts.text(path), {
    numFmt: ({ numFmtId = '', formatCode = '' }) => {
      codes.set(numFmtId, formatCode)
    },
    cellStyleXfs: () => {
      isCell = false
    },
    cellXfs: () => {
      isCell = true
    },
    cellStyles: () => {
      isCell = false
    },
    xf: ({ numFmtId = '' }) => {
      if (isCell) styles.push(styleOf(numFmtId, codes))
    },
  })
  return fault ?? styles
}

function styleOf(id: string, codes: ReadonlyMap<string, string>): NumberStyle {
  const code = codes.get(id)
  if (code !== undefined) return styleOfFormat(code)
  if (DATE_FORMATS.includes(Number(id))) return 'date'
  return TIME_FORMATS.includes(Number(id)) ? 'time' : 'number'
}

/** Adds the cells of a sheet to the rows; returns `Unreadable`, or null. */
function readSheet(
  text: string,
  { rows, context }: { rows: TableRows; context: CellContext },
): Unreadable | null {
  const cell = { column: -1, type: '', style: 0, text: '', isValue: false }
  return streamXml(
    text,
    {
      open: (name, attributes) => {
        if (name === 'row') {
          cell.column = -1
          rows.skipTo(Number(attributes.r) || 0)
        }
        if (name === 'c') {
          cell.column = columnOf(attributes.r) ?? cell.column + 1
          Object.assign(cell, { type: attributes.t ?? 'n', style: Number(attributes.s), text: '' })
        }
        // `v` has the value, `is/t` an inline text. The formula in `f` is ignored.
        cell.isValue = name === 'v' || name === 't'
      },
      text: (part) => {
        if (cell.isValue) cell.text += part
      },
      close: (name) => {
        cell.isValue = false
        if (name === 'c') {
          rows.setCell(cell.column, shownText(cell, context), { isNumber: cell.type === 'n' })
        }
        if (name === 'row') rows.endRow()
      },
      fault: () => rows.fault,
    },
    { elementsMax: ELEMENTS_MAX },
  )
}

function shownText(
  { type, style, text }: { type: string; style: number; text: string },
  { strings, styles, system }: CellContext,
): string {
  if (type === 's') return strings[Number(text)] ?? ''
  if (type === 'b') return text === '1' ? 'TRUE' : 'FALSE'
  if (type === 'd') return text.replace('T', ' ').replace(/ 00:00:00(?:\.0*)?Z?$/, '')
  if (type !== 'n') return text
  const shown = styles[style] ?? 'number'
  return shown === 'number' ? numberText(text) : serialText(text, { style: shown, system })
}

/** Returns the column of a cell reference from 0: 2 for `C7`; undefined without a reference. */
function columnOf(reference: string | undefined): number | undefined {
  const letters = /^[A-Z]{1,3}/i.exec(reference ?? '')?.[0].toUpperCase()
  if (letters === undefined) return undefined
  let column = 0
  for (const letter of letters) column = column * 26 + letter.charCodeAt(0) - 64
  return Math.min(column - 1, columnsMax)
}

/** Calls the handler of each element's name; returns `Unreadable`, or null. */
function streamElements(
  text: string,
  handlers: Record<string, (attributes: Readonly<Record<string, string>>) => void>,
): Unreadable | null {
  if (text === '') return null
  const byName = new Map(Object.entries(handlers))
  return streamXml(
    text,
    { open: (name, attributes) => byName.get(name)?.(attributes), text: () => {}, close: () => {} },
    { elementsMax: ELEMENTS_MAX },
  )
}
