import { readFileSync } from 'node:fs'
import { expect, test } from '@jest/globals'
import { fileKindOf } from './file-kind.ts'

function kind(name: string, contentType: string, content: string | Uint8Array = '') {
  return fileKindOf({ name, contentType, head: Buffer.from(content) })
}

// spec/ledger.md 6.1: the type decides; the extension only where it says nothing.
test.each([
  ['a.ofx', 'application/vnd.intu.QFX', 'ofx'],
  ['a', 'application/vnd.intu.QFX', 'ofx'],
  ['a.OFX', 'application/octet-stream', 'ofx'],
  ['a.qfx', 'application/octet-stream', 'ofx'],
  ['a.qbo', 'application/octet-stream', 'ofx'],
  ['a.qif', 'application/octet-stream', 'qif'],
  ['a.qif', 'application/x-qif', 'qif'],
  ['a.xml', 'application/octet-stream', 'camt053'],
  ['a.xml', 'text/xml', 'camt053'],
  ['a', 'application/vnd.camt-053', 'camt053'],
  ['a.csv', 'application/octet-stream', 'csv'],
  ['a.txt', 'text/csv', 'csv'],
  // Media types have no case (RFC 2045, 5.1), and servers may lower it.
  ['a', 'application/vnd.intu.qfx', 'ofx'],
  ['a.ofx', 'text/plain', null],
  ['a.ofx', '', null],
  ['a.txt', 'application/octet-stream', null],
  ['ofx', 'application/octet-stream', null],
  ['a.xlsx', 'application/vnd.openxmlformats-officedocument.spreadsheetml.sheet', null],
  ['a.toString', 'application/octet-stream', null],
  ['a.ofx', 'constructor', null],
])('%s of type %s is %s', (name, contentType, expected) => {
  expect(kind(name, contentType)).toBe(expected)
})

test.each([
  ['checking.qfx', 'ofx'],
  ['ofx-2.ofx', 'ofx'],
  ['utf-16.ofx', 'ofx'],
  ['camt-053-v2.xml', 'camt053'],
  ['camt-053-v8.xml', 'camt053'],
  ['bank.qif', 'qif'],
  ['card-european.qif', 'qif'],
])('%s is known by its content, whatever a browser calls it', (name, expected) => {
  const bytes = readFileSync(new URL(`../../../test/data/${name}`, import.meta.url))
  expect(kind('file', 'application/vnd.intu.QFX', bytes)).toBe(expected)
  expect(kind('file.xml', 'application/octet-stream', bytes)).toBe(expected)
  // A type or an extension that is not known stays so.
  expect(kind('file.txt', 'application/octet-stream', bytes)).toBeNull()
  expect(kind('file.csv', 'application/octet-stream', bytes)).toBe('csv')
})
