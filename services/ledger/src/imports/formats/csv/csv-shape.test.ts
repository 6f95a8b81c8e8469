import { readFileSync } from 'node:fs'
import { expect, test } from '@jest/globals'
import { countHead, detectShape } from './csv-shape.ts'

function shape(text: string) {
  return detectShape(new TextEncoder().encode(text))
}

const long = 'x'.repeat(120)

test.each([
  ['a,b,c\n1,2,3\n', ',', ['a', 'b', 'c']],
  ['a;b;c\n1;2;3\n', ';', ['a', 'b', 'c']],
  ['a|b|c\n1|2|3\n', '|', ['a', 'b', 'c']],
  ['a\tb\tc\n1\t2\t3\n', '\t', ['a', 'b', 'c']],
  ['a,b,c', ',', ['a', 'b', 'c']],
  ['\ufeffa, b ,"c"\r\n', ',', ['a', 'b', 'c']],
  // Neither decimal commas nor commas in texts make a comma the delimiter.
  ['a;b;c\n1,5;2,5;x, y\n3,5;4,5;z, w, v\n', ';', ['a', 'b', 'c']],
  // Lines above the header, such as the spreadsheet hint `sep=;`, are skipped.
  ['sep=;\nAccount;12\n\na;b;c;d\n1;2;3;4\n', ';', ['a', 'b', 'c', 'd']],
  ['Account;12;;\n;;;\na;b;c;d\n1;2;3;4\n', ';', ['a', 'b', 'c', 'd']],
  // A delimiter at the end of a row adds no column.
  ['a;b;c\n1;2;3;\n4;5;6;\n', ';', ['a', 'b', 'c']],
  ['a;b;c;\n1;2;3;\n', ';', ['a', 'b', 'c']],
  // Column names become unique, printable and at most 100 characters long.
  ['a,,a,b\n', ',', ['a', 'Column 2', '3 a', 'b']],
  [`a,b\u200b,${long}\n`, ',', ['a', 'b', long.slice(0, 100)]],
])('%# a header is found', (text, delimiter, headers) => {
  expect(shape(text)).toMatchObject({ delimiter, headers })
})

const rows = (table: string[][]) => table.map((cells, index) => ({ cells, line: index + 1 }))

test('the header finds the rows below it, by its line or for older imports by its names', () => {
  const table = rows([
    ['Account', '12'],
    ['a', '', 'a', ''],
    ['1', '2', '3'],
  ])
  const headers = ['a', 'Column 2', '3 a']
  expect(countHead(table, { headerRow: null, headers })).toBe(2)
  expect(countHead(table, { headerRow: 2, headers })).toBe(2)
  expect(countHead(table, { headerRow: 0, headers })).toBe(0)
  expect(countHead(table, { headerRow: null, headers: ['a', 'b', 'c'] })).toBeNull()
})

// Each file: its lines joined by `~`, its delimiter, the line of its header (0 for none), and the
// number of its columns.
test.each([
  // Decimal commas, and commas in every text, do not cut the rows of another delimiter.
  ['Account;Date;Text;Amount;Balance~1;28/02/2026;Shop;-3,40;219,95', ';', 1, 5],
  ['Account\tDate\tText\tAmount~1\t28/02/2026\tShop\t-3,40', '\t', 1, 4],
  ['Account|Date|Text|Amount~1|28/02/2026|Shop, Town|-3,40', '|', 1, 4],
  ['"Account";"Date";"Amount"~"1";"28/02/2026";"-1,234.50"', ';', 1, 3],
  ['Product;Text;Date;Amount~A;Shop, Main Street, Town;01.02.2026;5,00', ';', 1, 4],
  ['Date;Text;Amount~30/12/26, 14:42;Shop;-3,40', ';', 1, 3],
  ['sep=;~Date;Text;Amount~01.02.2026;a, b, c;1', ';', 2, 3],
  // Without a header no transaction becomes one; a note is no header either.
  ['18.09.2026;Shop;-33,87;EUR~19.09.2026;Bar;-3,00;EUR~note;;;', ';', 0, 4],
  ['Main, Street~18.09.2026;Shop;-33,87;EUR', ';', 0, 4],
  ['01/02/2026,Shop,-5.00', ',', 0, 3],
  // Preambles are long, or have dates and amounts of their own.
  [`${'IBAN;DE00~'.repeat(6)}A;Date;B;C;D;E;F~1;01.02.2026;;;;x;5~2;02.02.2026;;;;y;6`, ';', 7, 7],
  ['Sum;31.01.2026;1.234,00~Date;Text;Sum;Unit~02.01.2026;Shop;-5,00;EUR', ';', 2, 4],
  // Of lines of texts the header is the one that names more columns of the rows, else the last.
  ['Owner,Ann,,,~Date,Text,Debit,Credit,Sum~01/02/2026,Shop,5.00,,9.00,', ',', 2, 5],
  ['A,B,C~Date,Text,Amount~01/02/2026,Shop,5.00', ',', 2, 3],
  ['Date,,Day,,Text,,,Debit,,Sum~01/02/2026,,01/02/2026,,Shop,,,5.00,,9.00', ',', 1, 10],
  ['Owner,,,Ann,,,No,,1x~Date,,,Text,,,,Debit,Sum~01/02/2026,,,Shop,,,,5.00,9.00', ',', 2, 9],
  // A name may be three letters and a number, which begins with no code of a currency.
  ['Date;Vwz1;Vwz2;Amount~01.02.2026;Shop;;5,00', ';', 1, 4],
  // Details stand between rows, cells at the end are left out, names are missing or too many.
  ['Date,Text,Sum,A,B~01/02/2026,Shop,-9.00~,detail,9.00,,~02/02/2026,Bar,-1.00,,x', ',', 1, 5],
  ['Date,Text,Amount,A,B~01/02/2026,Shop,-98.00~02/02/2026,Bar,-1.00', ',', 1, 5],
  ['Date,Text,Amount~01/02/2026,Shop,-98.00,CR~02/02/2026,Bar,-1.00,DR', ',', 1, 4],
  ['Date,Text,Amount,~01/02/2026,Shop,-98.00,CR~02/02/2026,Bar,-1.00', ',', 1, 4],
  ['Date,Amount~2026-02-01,5.00', ',', 1, 2],
  // A letter of debit or credit is part of an amount with decimals, not of a name.
  ['Datum;Text;Betrag~01.02.2026;Laden;5,00 S~02.02.2026;Lohn;3,00 H', ';', 1, 3],
  ['01.02.2026;Laden;5,00 S~02.02.2026;Lohn;3,00 H', ';', 0, 3],
  ['01.02.2026;Laden;5,00DB~02.02.2026;Lohn;3,00 CR', ';', 0, 3],
  ['Datum;Text 5 S;Betrag~01.02.2026;Laden;5,00~02.02.2026;Lohn;3,00', ';', 1, 3],
  ['Nr;5 S;Datum;Betrag~1;x;01.02.2026;5,00~2;y;02.02.2026;3,00', ';', 1, 4],
  ['DEBIT,20260224120000[0:GMT],Shop,-85.00~CHECK,20260225120000.000[-5:EST],Bar,-2.00', ',', 0, 4],
  ['a,"b"\t,c~2026-02-01,"1,234.50"\t,x "y" z', ',', 1, 3],
  // A delimiter without quotes in a text or in some amounts does not make the header a row.
  ['Date,Text,Amount~28/02/2026,Shop,-12.50~26/02/2026,Route, 66,-99.00', ',', 1, 3],
  ['Date,Text,Amount~28/02/2026,Shop,-12,50~26/02/2026,Bar,-5', ',', 1, 3],
  ["'18.09.2026';'Shop';'-33,87'~'19.09.2026';'Bar';'-3,00'", ';', 0, 3],
])('%# the best reading of all lines is found', (lines, delimiter, headerRow, columns) => {
  const found = shape(lines.replaceAll('~', '\n'))
  expect(found).toMatchObject({ delimiter, headerRow })
  expect(found).toHaveProperty('headers.length', columns)
})

test('a client states delimiter, header and encoding', () => {
  const bytes = Uint8Array.of(
    ...Buffer.from('x;y;z\nP'),
    0xf8,
    0xed,
    ...Buffer.from('jem;b;c\n1,2;3;4\n'),
  )
  const stated = { delimiter: ';', headerRow: 2, encoding: 'windows-1250' }
  expect(detectShape(bytes, stated)).toMatchObject({ headerRow: 2, headers: ['Příjem', 'b', 'c'] })
  const dated = new TextEncoder().encode('2026-01-02;Tea;-1.00')
  expect(detectShape(dated, { headerRow: 0, delimiter: ';' })).toMatchObject({ headerRow: 0 })
  expect(detectShape(bytes, { headerRow: 0, delimiter: '|' })).toEqual({
    unreadable: 'No row has a date and an amount by this delimiter: state another one, or none',
  })
  expect(detectShape(bytes, { headerRow: 9 })).toEqual({
    unreadable: 'Line 9 of the file has no names of columns: state another headerRow',
  })
})

const none =
  'The file has no row with the names of at least three columns, and none with a date and an amount'
const cutAmounts =
  'Decimal commas cut the amounts in two: download the file with semicolons or with quotes'
const noTable =
  'The file is no table, but a PDF, a picture or another kind: download CSV, OFX or CAMT'
const wide = (columns: number) => Array.from({ length: columns }, (_, at) => `c${at.toString(36)}`)

test.each([
  ['', none],
  ['a,b\n1,2\n', none],
  ['no table at all\n', none],
  [wide(401).join(','), 'The file has more than 400 columns'],
  [wide(12_000).join(','), 'The file has more than 400 columns'],
  ['Date,Text,Amount\n28/02/2026,Shop,-12,50\n26/02/2026,Big,-1003,99\n', cutAmounts],
  ['%PDF-1.7\n1 0 obj\n<< /Type /Catalog >>\n2026-01-02;Shop;5,00', noTable],
  [`\u0001\u0002\u0003\ufffd;a;b\n2026-01-02;Shop;5,00`, noTable],
])('%# a file without a header has a reason', (text, unreadable) => {
  expect(shape(text)).toEqual({ unreadable })
})

test('400 columns are named', () => {
  expect(shape(wide(400).join(','))).toMatchObject({ headers: wide(400) })
})

test('only the beginning of a large file is read', () => {
  const rows = Array.from({ length: 100_000 }, (_, index) => `${index},"x, y",z\n`)
  expect(shape(`a,b,c\n${rows.join('')}"`)).toMatchObject({
    delimiter: ',',
    headers: ['a', 'b', 'c'],
  })
})

test('files in other character sets have the same shape', () => {
  const bytes = readFileSync(new URL('../../../../../../test/data/columns.csv', import.meta.url))
  expect(detectShape(bytes)).toMatchObject({
    delimiter: ';',
    headers: ['Buchung', 'Text', 'Soll', 'Haben', 'Saldo'],
  })
})

test('names of columns keep the joiners of emoji', () => {
  const csv = 'Date,Amount,👩‍👩‍👧 name\n2026-01-01,1.00,a\n2026-01-02,2.00,b\n'
  expect(shape(csv)).toMatchObject({
    headers: ['Date', 'Amount', '👩‍👩‍👧 name'],
  })
})
