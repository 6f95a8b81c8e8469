import { readFileSync } from 'node:fs'
import { expect, test } from '@jest/globals'
import { zipSync } from 'fflate'
import { ods, xlsx } from '../../../test/imports/workbooks.ts'
import { detectKind } from './file-kind.ts'

function kind(name: string, content: string | Uint8Array = '') {
  return detectKind({ name, head: Buffer.from(content) })
}

// The extension decides if the content is of no known kind (docs/files.md#kinds).
test.each([
  ['a.ofx', 'ofx'],
  ['a.OFX', 'ofx'],
  ['a.ofx ', 'ofx'],
  ['a.qfx', 'ofx'],
  ['a.qbo', 'ofx'],
  ['a.qif', 'qif'],
  ['a.xml', 'camt053'],
  ['a.csv', 'csv'],
  ['a.STA', 'mt940'],
  ['a.940', 'mt940'],
  ['a.txt', null],
  ['ofx', null],
  ['', null],
  ['a.xlsx', null],
  ['a.toString', null],
])('a file named %j with neutral content is %s', (name, expected) => {
  expect(kind(name, 'twelve bytes')).toBe(expected)
})

test.each([
  ['an XLSX file', xlsx(['<row/>'])],
  ['an ODS file', ods('')],
  ['an HTML page', Buffer.from('<html><table>')],
])('%s needs a mapping as a CSV file', (_name, bytes) => {
  expect(kind('a.qif', bytes)).toBe('csv')
})

test('a ZIP archive and an export are detected by their content', () => {
  expect(kind('a.csv', zipSync({ 'a.ofx': new Uint8Array() }))).toBe('zip')
  const stored = zipSync({ 'a.ofx': new TextEncoder().encode('OFXHEADER:100') }, { level: 0 })
  expect(kind('a.zip', stored)).toBe('zip')
  expect(kind('a.csv', '{"format":1,"exportedAt":"2026-01-01T00:00:00Z"')).toBe('json')
})

test.each([
  ['checking.qfx', 'ofx'],
  ['ofx-2.ofx', 'ofx'],
  ['utf-16.ofx', 'ofx'],
  ['camt-053-v2.xml', 'camt053'],
  ['camt-053-v8.xml', 'camt053'],
  ['bank.qif', 'qif'],
  ['card-european.qif', 'qif'],
])('%s is detected by its content, whatever its name', (file, expected) => {
  const bytes = readFileSync(new URL(`../../../../../test/data/${file}`, import.meta.url))
  for (const name of ['file', 'file.txt', 'file.csv', 'file.qif', 'file.ofx', '']) {
    expect(kind(name, bytes)).toBe(expected)
  }
})
