import { expect, test } from '@jest/globals'
import fc from 'fast-check'
import {
  camtFiles,
  exportFiles,
  htmlFiles,
  mtFiles,
  odsFiles,
  xlsxFiles,
  zipFiles,
} from '../../../test/imports/generated-files.ts'
import { expectSound } from '../../../test/imports/sound-statement.ts'
import { CsvMapping } from './csv/csv-mapping.ts'
import { readShape } from './csv/csv-reading.ts'
import { detectShape } from './csv/csv-shape.ts'
import { detectKind, type FileKind } from './file-kind.ts'
import { convertSheet } from './sheets/sheet.ts'
import { columnsMax, sheetRowsMax } from './sheets/table-rows.ts'
import { noneRead } from './skipped-rows.ts'
import { listStatements, readStatementFile } from './statement-file.ts'
import { endOf } from './steps.ts'

const settings = { currency: 'USD', timezone: 'America/Chicago' }

/** Returns an arbitrary that is undefined in most cases. */
const rarely = <Value>(value: fc.Arbitrary<Value>) => fc.option(value, { nil: undefined, freq: 2 })
const statable = fc.record({
  encoding: rarely(fc.constantFrom('utf-8', 'windows-1250', 'shift_jis', 'utf-16le', 'koi8-r')),
  decimalMark: rarely(fc.constantFrom('.' as const, ',' as const)),
  dayFirst: rarely(fc.boolean()),
  statement: rarely(fc.constantFrom('1', '1/2', 'Giro', 'X', '')),
})
const kinds = ['ofx', 'camt053', 'mt940', 'qif', 'json', 'zip'] as const
const qifFiles = fc
  .array(fc.tuple(writtenDay(), writtenAmount(), fc.constantFrom('Shop', '', 'Café')), {
    minLength: 1,
    maxLength: 5,
  })
  .map((rows) => {
    const list = rows.map(([day, amount, text]) => `D${day}\nT${amount}\nP${text}\n^\n`)
    return new TextEncoder().encode(`!Account\nNGiro\n^\n!Type:Bank\n${list.join('')}`)
  })

function writtenDay() {
  return fc.constantFrom('03.04.2026', '2026-04-03', '4/3/26', '13/01/2026', '3 Apr 26', '0', '')
}

function writtenAmount() {
  return fc.constantFrom('-1,400', '29.000', '1.234,56', '1,234.56', '-3.4', '(5,00)', '900', 'x')
}

/** Expects a sound statement; one without a row has none that could not be read. */
function expectHonest(statement: ReturnType<typeof readStatementFile>): void {
  expectSound(statement)
  expect('unreadable' in statement || noneRead(statement) === null).toBe(true)
}

test('any choices for any file give storable rows, or refuse it', () => {
  let rows = 0
  const files = fc.oneof(camtFiles, mtFiles, qifFiles, exportFiles, zipFiles)
  const property = fc.property(
    files,
    fc.option(fc.constantFrom(...kinds)),
    statable,
    (bytes, wrong, stated) => {
      const found = detectKind({ name: 'a', head: bytes })
      const kind = wrong ?? (found === 'csv' ? null : found)
      if (kind === null) return
      const own = { ...settings, stated }
      const statement = readStatementFile({ bytes, settings: own, format: { kind } })
      expectHonest(statement)
      const listed = listStatements({ bytes, settings: own, kind })
      if (!('unreadable' in listed)) {
        const names = listed.statements.map((one) => one.statement)
        expect(new Set(names).size).toBe(names.length)
      }
      rows += 'unreadable' in statement ? 0 : statement.rows.length
    },
  )
  fc.assert(property, { numRuns: 500 })
  expect(rows).toBeGreaterThan(50)
})

const tables = fc
  .record({
    header: fc.constantFrom('Date#Text#Amount\n', '', 'Konto#DE1\n\nDate#Text#Amount\n', 'a#a#\n'),
    lines: fc.array(
      fc.tuple(writtenDay(), fc.constantFrom('Shop', '"a#b"', 'Příjem', '"'), writtenAmount()),
      {
        minLength: 1,
        maxLength: 8,
      },
    ),
    mark: fc.constantFrom(',', ';', '|', '\t'),
    isWide: fc.boolean(),
  })
  .map(({ header, lines, mark, isWide }) => {
    const text = `${header}${lines.map((cells) => cells.join('#')).join('\n')}`.replaceAll(
      '#',
      mark,
    )
    return Uint8Array.from(Buffer.from(text, isWide ? 'utf16le' : 'utf8'))
  })

test('any choices for any CSV file give storable rows, or refuse it', () => {
  let rows = 0
  const choices = fc.record({
    delimiter: rarely(fc.constantFrom(',' as const, ';' as const, '|' as const, '\t' as const)),
    headerRow: rarely(fc.oneof(fc.nat(4), fc.constant(1000))),
    dateFormat: rarely(fc.constantFrom('DD.MM.YYYY', 'MM/DD/YYYY', 'YYYY-MM-DD', 'D MMM YY')),
  })
  const property = fc.property(tables, choices, statable, (bytes, shaped, stated) => {
    const read = endOf(readShape(bytes, { ...shaped, ...stated }, 'USD'))
    if ('unreadable' in read) {
      expect(read.unreadable).toMatch(/^[A-Z][^\n]{5,200}$/)
      return
    }
    const { headers, delimiter, headerRow } = read.shape
    const [first = '', second = ''] = headers
    const mapping = CsvMapping.parse({
      headers: [...new Set([first, second, headers.at(-1)])],
      id: { kind: 'hashed', fields: [{ name: first }, { name: headers.at(-1) }] },
      amount: { kind: 'sign', invert: false, fields: [{ name: headers.at(-1) }] },
      memo: { name: second },
      date: { fields: [{ name: first }], format: read.reading.dateFormat ?? 'DD.MM.YYYY' },
      balance: { kind: 'none', fields: [] },
    })
    const { dateFormat } = shaped
    const format = { kind: 'csv' as const, delimiter, headers, headerRow, mapping, dateFormat }
    // A name of no account of the file refuses it, which would leave few rows.
    const named = stated.statement === 'X' ? 'X' : '*'
    const own = { ...settings, stated: { ...stated, statement: stated.statement && named } }
    const statement = readStatementFile({ bytes, settings: own, format })
    expectHonest(statement)
    rows += 'unreadable' in statement ? 0 : statement.rows.length
  })
  fc.assert(property, { numRuns: 500 })
  expect(rows).toBeGreaterThan(40)
})

// Files of the structure of their kind, with odd values: 500 of each, 10,000 in `test:long`.
test.each<[Exclude<FileKind, 'csv'>, fc.Arbitrary<Uint8Array>]>([
  ['camt053', camtFiles],
  ['mt940', mtFiles],
  ['json', exportFiles],
  ['zip', zipFiles],
])('any file of the structure of %s gives storable rows or is refused', (kind, files) => {
  let rows = 0
  const property = fc.property(files, (bytes) => {
    const read = () => readStatementFile({ bytes, settings, format: { kind } })
    const statement = read()
    expectSound(statement)
    expect(read()).toEqual(statement)
    rows += 'unreadable' in statement ? 0 : statement.rows.length
  })
  fc.assert(property, { numRuns: 500 })
  // Most files reach the code that reads rows.
  expect(rows).toBeGreaterThan(100)
})

test.each<[string, fc.Arbitrary<Uint8Array>]>([
  ['XLSX', xlsxFiles],
  ['ODS', odsFiles],
  ['HTML', htmlFiles],
])('any sheet of the structure of %s becomes a CSV file or is refused', (_name, files) => {
  let converted = 0
  const names = fc.constantFrom(undefined, undefined, undefined, 'S1', 'Table 1')
  const change = fc.option(fc.record({ at: fc.nat(), byte: fc.nat(255) }), { freq: 3 })
  const property = fc.property(files, change, names, (file, edit, name) => {
    const bytes = file.slice()
    if (edit !== null) bytes[edit.at % bytes.length] = edit.byte
    const read = convertSheet({ sheet: bytes, name })
    if ('unreadable' in read) {
      expect(read.unreadable).toMatch(/^[A-Z][^\n]{5,200}$/)
      return
    }
    const { csv } = read
    converted += 1
    const text = new TextDecoder('utf-8', { fatal: true }).decode(csv)
    const lines = text.split('\n')
    expect(lines.length).toBeLessThanOrEqual(sheetRowsMax)
    expect(lines.every((line) => line.split('\t').length <= columnsMax)).toBe(true)
    detectShape(csv)
  })
  fc.assert(property, { numRuns: 500 })
  expect(converted).toBeGreaterThan(50)
})
