import { expect, test } from '@jest/globals'
import { strToU8, zipSync } from 'fflate'
import { statementOf } from '../../../../test/imports/uploading.ts'
import { xlsx } from '../../../../test/imports/workbooks.ts'
import { readStatementFile } from '../statement-file.ts'

const settings = { currency: 'USD', timezone: 'America/Chicago' }

function read(files: Record<string, string | Uint8Array>) {
  const entries = Object.entries(files).map(([name, content]) => [
    name,
    typeof content === 'string' ? strToU8(content) : content,
  ])
  const bytes = zipSync(Object.fromEntries(entries))
  const found = readStatementFile({ bytes, settings, format: { kind: 'zip' } })
  if ('unreadable' in found) return found.unreadable
  const { rows, skipped, balances } = found
  return [[...rows].map((row) => row.uploadIdentifier), skipped.length, balances.current]
}

/** Returns an MT940 statement of a day of January with one entry, and the balance after it. */
function mt940({ day = '20', account = '1', currency = 'USD' }, closing = '90,00'): string {
  const entry = `:61:2601${day}D1,00NMSC\n:86:Shop`
  const last = `:62F:C2601${day}${currency}${closing}`
  return `:20:S\n:25:${account}\n:60F:C260101${currency}1,00\n${entry}\n${last}\n`
}

/** Returns a CAMT file with a booking of 30.00, whole or in its parts. */
function camt(message: string, part: string, details = ''): string {
  const booked = '<CdtDbtInd>DBIT</CdtDbtInd><BookgDt><Dt>2026-01-20</Dt></BookgDt>'
  const entry = `<Ntry><Amt>30.00</Amt>${booked}<AcctSvcrRef>R</AcctSvcrRef>${details}</Ntry>`
  const account = '<Acct><Id><IBAN>X</IBAN></Id><Ccy>USD</Ccy></Acct>'
  return `<Document><${message}><${part}>${account}${entry}</${part}></${message}></Document>`
}

test('the choices of the files are shown once, and where they differ', () => {
  const made = (files: Record<string, Uint8Array>) => {
    const bytes = zipSync(files)
    const found = readStatementFile({ bytes, settings, format: { kind: 'zip' } })
    return 'unreadable' in found ? [] : found.choices?.map((one) => Object.values(one))
  }
  const qif = strToU8('!Type:Bank\nD31/01/2026\nT-1.234,50\nPShop\n^\n')
  expect(made({ 'a.qif': qif })).toEqual([
    ['encoding', 'utf-8', 'the text is valid UTF-8'],
    ['dayFirst', 'true', '31/01/2026 has the day first'],
    ['decimalMark', ',', '-1.234,50 has the decimal mark ,'],
  ])
  const latin = Buffer.from(mt940({ day: '21' }).replace('Shop', 'Caf\u00e9'), 'latin1')
  expect(made({ 'a.sta': strToU8(mt940({})), 'b.sta': latin, 'c.sta': latin })).toEqual([
    ['encoding', 'utf-8', 'in a.sta; in b.sta it is windows-1252'],
  ])
})

const several = 'The file holds 2 accounts: state statement, the one to read'
const parts =
  '<NtryDtls><TxDtls><Amt>10.00</Amt></TxDtls><TxDtls><Amt>20.00</Amt></TxDtls></NtryDtls>'
const ofx = (account: string) =>
  statementOf({ a: '-1.00' }).replace('<STMTRS>', `<STMTRS><BANKACCTFROM><ACCTID>${account}`)

test.each<[string, Record<string, string | Uint8Array>, unknown]>([
  [
    'statements in the order of their names, with the latest balance',
    { 'b.sta': mt940({ day: '21' }, '80,00'), 'a.sta': mt940({}), '__MACOSX/a': 'x', '.DS': 'x' },
    [['2026-1-20 100 NMSC Shop #1', '2026-1-21 100 NMSC Shop #1'], 0, 8000n],
  ],
  [
    'a row of two files once',
    { './a.sta': mt940({}), 'x/b.sta': mt940({}) },
    [['2026-1-20 100 NMSC Shop #1'], 1, 9000n],
  ],
  [
    'a booking once, whole or in parts',
    {
      'a.xml': camt('BkToCstmrDbtCdtNtfctn', 'Ntfctn', parts),
      'b.xml': camt('BkToCstmrStmt', 'Stmt'),
    },
    [['R/1', 'R/2'], 1, null],
  ],
  ['OFX files of one account', { 'a.ofx': ofx('1'), 'b.ofx': ofx('1') }, [['a'], 1, null]],
  ['two accounts: refused', { 'a.ofx': ofx('1'), 'b.ofx': ofx('2') }, several],
  ['two accounts of an MT940: refused', { a: mt940({}), b: mt940({ account: '2' }) }, several],
  ['two currencies: refused', { a: mt940({}), b: mt940({ currency: 'EUR' }) }, several],
  [
    'an unreadable file: refused',
    { 'a.ofx': ofx('1'), 'b.ofx': '<OFX>' },
    expect.stringMatching(/^In the archive, "b\.ofx": The file /),
  ],
  [
    'an archive within: refused',
    { 'a.zip': zipSync({ a: strToU8(mt940({})) }) },
    'In the archive, "a.zip": must be an OFX, CAMT, MT940 or QIF file to be in an archive',
  ],
  [
    'a sheet: refused',
    { 'a.xlsx': xlsx([]) },
    'In the archive, "a.xlsx": a table needs a mapping: send it by itself to transactions/import',
  ],
  [
    'QIF files of accounts without a name: by the names of the files',
    {
      'giro.qif': '!Type:Bank\nD13/1/26\nT-1.00\n^',
      'x/card.qif': '!Type:CCard\nD13/1/26\nT2.00\n^',
    },
    several,
  ],
  [
    'one QIF file',
    { 'giro.qif': '!Type:Bank\nD13/1/26\nT-1.00\n^' },
    [['2026-1-13 -100  Transaction Transaction #1'], 0, null],
  ],
  [
    'a CSV file: refused',
    { 'a.csv': 'a,b\n1,2' },
    'In the archive, "a.csv": a table needs a mapping: send it by itself to transactions/import',
  ],
  ['nothing: refused', { 'a/': '' }, expect.stringMatching(/^The archive has no file but hidden/)],
  [
    'a bomb: refused',
    { 'a.ofx': new Uint8Array(65 * 1024 * 1024) },
    'The archive has more than 64 MiB of content',
  ],
])('an archive has %s', (_name, files, expected) => {
  expect(read(files)).toEqual(expected)
})

test.each(['in one entry', 'of two'])('a changed byte %s refuses the archive', (which) => {
  const files = {
    'a.ofx': strToU8(ofx('1')),
    ...(which === 'of two' ? { b: strToU8(mt940({})) } : {}),
  }
  const bytes = zipSync(files, { level: 0 })
  const at = Buffer.from(bytes).indexOf('-1.00')
  bytes[at + 1] = 0x39
  expect(readStatementFile({ bytes, settings, format: { kind: 'zip' } })).toEqual({
    unreadable: 'The archive is damaged, or has a password',
  })
})

test.each(['../x.ofx', 'a/../../x.ofx', '..\\x.ofx'])('an archive with %s is refused', (path) => {
  expect(read({ [path]: ofx('1'), 'b.ofx': ofx('1') })).toBe(
    `The path "${path}" leaves the archive, so nothing of it is read: upload the file by itself`,
  )
})
