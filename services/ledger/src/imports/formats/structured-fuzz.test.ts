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
import { detectShape } from './csv/csv-shape.ts'
import type { FileKind } from './file-kind.ts'
import { convertSheet } from './sheets/sheet.ts'
import { columnsMax, sheetRowsMax } from './sheets/table-rows.ts'
import { readStatementFile } from './statement-file.ts'

const settings = { currency: 'USD', timezone: 'America/Chicago' }

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
  const change = fc.option(fc.record({ at: fc.nat(), byte: fc.nat(255) }), { freq: 3 })
  const property = fc.property(files, change, (file, edit) => {
    const bytes = file.slice()
    if (edit !== null) bytes[edit.at % bytes.length] = edit.byte
    const csv = convertSheet(bytes)
    if ('unreadable' in csv) {
      expect(csv.unreadable).toMatch(/^[A-Z][^\n]{5,200}$/)
      return
    }
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
