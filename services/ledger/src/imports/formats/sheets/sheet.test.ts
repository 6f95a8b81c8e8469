import { readFileSync } from 'node:fs'
import { describe, expect, test } from '@jest/globals'
import { strToU8, zipSync } from 'fflate'
import { ods, xlsx } from '../../../../test/imports/workbooks.ts'
import { detectShape } from '../csv/csv-shape.ts'
import { convertSheet } from './sheet.ts'
import { isSheet, sheetDelimiter } from './sheet-kind.ts'

const encode = (text: string) => new TextEncoder().encode(text)

/** Returns the CSV text of a sheet, or why it is unreadable. */
function converted(sheet: Uint8Array, name?: string): string {
  expect(isSheet(sheet)).toBe(true)
  const read = convertSheet({ sheet, name })
  return 'unreadable' in read ? read.unreadable : new TextDecoder().decode(read.csv)
}

const row = (cells: string, number = '') => `<row${number && ` r="${number}"`}>${cells}</row>`
const number = (value: string, style = 0) => `<c s="${style}"><v>${value}</v></c>`
const inline = (text: string) => `<c t="inlineStr"><is><t>${text}</t></is></c>`

describe('a workbook', () => {
  // Each cell as it is stored, and its text in the CSV. Style 1 is a day, 2 day and time, 3 a time.
  test.each([
    ['<c t="s"><v>0</v></c>', 'Shop & Co'],
    ['<c t="s"><v>1</v></c>', 'Rich text'],
    ['<c t="s"><v>9</v></c>', ''],
    [inline('a "b"'), '"a ""b"""'],
    [inline('a\tb\nc'), 'a b c'],
    ['<c t="str"><f>A1&amp;"x"</f><v>text</v></c>', 'text'],
    ['<c><f>1+1</f><v>2</v></c>', '2'],
    ['<c><f>WEBSERVICE("http://example.com")</f></c>', ''],
    ['<c t="b"><v>1</v></c>', 'TRUE'],
    ['<c t="e"><v>#N/A</v></c>', '#N/A'],
    ['<c t="d"><v>2026-01-05T00:00:00</v></c>', '2026-01-05'],
    [number('-3.4'), '-3.4'],
    [number('12.300000000000001'), '12.3'],
    [number('1.125'), '1.1250'],
    [number('1E-7'), '0.0000001'],
    [number('1.5E+22'), '15000000000000000000000'],
    [number('12345678901234567890'), '12345678901234567890'],
    [number('46027', 1), '2026-01-05'],
    [number('46027.5', 2), '2026-01-05 12:00:00'],
    [number('46027', 2), '2026-01-05'],
    [number('0.25', 3), '06:00:00'],
    [number('59', 1), '1900-02-28'],
    [number('61', 1), '1900-03-01'],
    [number('-5', 1), '-5'],
    [number('99999999', 1), '99999999'],
  ])('shows %s as %j', (cell, text) => {
    expect(converted(xlsx([row(`${inline('x')}${cell}`)]))).toBe(text === '' ? 'x' : `x\t${text}`)
  })

  test('counts days from 1904 if it says so', () => {
    expect(converted(xlsx([row(number('44565', 1))], { is1904: true }))).toBe('2026-01-05')
  })

  test('has cells at their columns and rows at their numbers', () => {
    const cells = '<c r="B1"><v>1</v></c><c r="AA1"><v>2</v></c>'
    const text = converted(xlsx([row(cells, '2') + row(number('3'), '4')]))
    expect(text).toBe(`\n\t1${'\t'.repeat(25)}2\n\n3`)
  })

  test('is read from its visible sheet with the most rows', () => {
    const [short, long] = [row(inline('short')), row(inline('long')) + row(inline('long'))]
    expect(converted(xlsx([short, long]))).toBe('long\nlong')
    expect(converted(xlsx([short, long], { hidden: 1 }))).toBe('short')
  })

  test('is read from the stated sheet, and the sheets are listed', () => {
    const sheet = xlsx([row(inline('short')), '', row(inline('a')) + row(inline('b'))])
    const sheets = [
      { name: 'S0', rowCount: 1 },
      { name: 'S2', rowCount: 2 },
    ]
    const chosen = {
      sheet: 'S2',
      reason: 'the one of 2 with the most rows of a day and an amount',
      sheets,
    }
    expect(convertSheet({ sheet })).toMatchObject({ chosen })
    const stated = { sheet: 'S0', reason: 'stated', sheets }
    expect(convertSheet({ sheet, name: 'S0' })).toMatchObject({ chosen: stated })
    expect(converted(sheet, 'S0')).toBe('short')
    expect(converted(sheet, 'S1')).toBe('The file has no such sheet: state one of "S0", "S2"')
    const wide = row('<c r="ZZ1"><v>1</v></c>')
    expect(converted(xlsx([row(inline('short')), wide]))).toMatch('more than 400 columns')
    expect(converted(xlsx([row(inline('short')), wide]), 'S0')).toBe('short')
  })
})

describe('an OpenDocument spreadsheet', () => {
  const cell = (attributes: string, text = '') =>
    `<table:table-cell ${attributes}><text:p>${text}</text:p></table:table-cell>`
  test.each([
    [cell('', 'Shop &amp; <text:s/>Co'), 'Shop & Co'],
    [cell('office:value-type="currency" office:value="-1234.5"', '-1.234,50 €'), '-1234.5'],
    [cell('office:value-type="date" office:date-value="2026-01-05"', '05.01.26'), '2026-01-05'],
    [
      cell('office:value-type="date" office:date-value="2026-01-05T12:00:00"'),
      '2026-01-05 12:00:00',
    ],
    [cell('table:formula="of:=1+1" office:value-type="float" office:value="2"', '2'), '2'],
    [cell('table:number-columns-repeated="2"', 'a'), 'a\ta'],
    [`${cell('table:number-columns-repeated="3"')}${cell('', 'b')}`, '\t\t\tb'],
    [cell('', '<office:annotation><text:p>note</text:p></office:annotation>a'), 'a'],
  ])('shows %s as %j', (cells, text) => {
    expect(converted(ods(`<table:table-row>${cells}</table:table-row>`))).toBe(text)
  })

  test('repeats rows, and ends with the last that has a text', () => {
    const repeated = (count: number, text: string) =>
      `<table:table-row table:number-rows-repeated="${count}">${cell('', text)}</table:table-row>`
    const rows = [repeated(2, 'a'), repeated(1, ''), repeated(1, 'b'), repeated(1_048_570, '')]
    expect(converted(ods(rows.join('')))).toBe('a\na\n\nb')
  })
})

test.each([
  ['<table><tr><th>A<th>B<tr><td>1<br>2<td>&euro;</table>', 'A\tB\n1 2\t€'],
  [
    '<html><table><tr><td><table><tr><td>a</td></tr><tr><td>b</td></tr></table></td></tr></table>',
    'a\nb',
  ],
  ['<!DOCTYPE html><table><tr><td colspan=2>a<td>b</tr></table>', 'a\t\tb'],
  // Rows with a day and an amount count more than longer tables without any.
  [
    '<html><table><tr><td>Bank<tr><td>12,00</table><table><tr><td>2026-01-05<td>-1,00</table>',
    '2026-01-05\t-1,00',
  ],
  [
    '<table><tr><td rowspan=2>05/01/2026<td>a<td>1<td><tr><td>b<td><td>2<tr><td>c</table>',
    '05/01/2026\ta\t1\n05/01/2026\tb\t\t2\nc',
  ],
  [
    '<table><tr><td>a<td colspan=2 rowspan=3>1.50<td>x<tr><td>b<td>y<tr><td>c</td></table>',
    'a\t1.50\t\tx\nb\t\t\ty\nc',
  ],
  ['<html><style>td{}</style><table><tr><td><script>x</script>=1+1</td></tr></table>', '=1+1'],
  ['\uFEFF<html><body><table><tbody><tr><td>a</td></tr></tbody></table>', 'a'],
])('the table of %s is %j', (html, text) => {
  expect(converted(encode(html))).toBe(text)
})

describe('a workbook in the XML of Excel 2003', () => {
  const workbook = (...sheets: string[]) =>
    encode(
      '<?xml version="1.0"?>\n<?mso-application progid="Excel.Sheet"?>\n<Workbook ' +
        'xmlns="urn:schemas-microsoft-com:office:spreadsheet" ' +
        `xmlns:ss="urn:schemas-microsoft-com:office:spreadsheet">${sheets.join('')}</Workbook>`,
    )
  const sheet = (rows: string, name = 'A', options = '') =>
    `<Worksheet ss:Name="${name}"><Table>${rows}</Table>${options}</Worksheet>`
  const cell = (type: string, text: string, attributes = '') =>
    `<Cell ${attributes}><Data ss:Type="${type}">${text}</Data></Cell>`
  const hidden = '<WorksheetOptions><Visible>SheetHidden</Visible></WorksheetOptions>'

  test.each([
    [cell('String', 'Shop &amp; Co'), 'Shop & Co'],
    [cell('String', '<B>Rich</B> text'), 'Rich text'],
    [cell('Number', '-1234.50000000001'), '-1234.50000000001'],
    [cell('Number', '12.300000000000001'), '12.3'],
    [cell('DateTime', '2026-01-05T00:00:00.000'), '2026-01-05'],
    [cell('DateTime', '2026-01-05T12:30:00.000'), '2026-01-05 12:30:00'],
    [cell('Boolean', '1'), 'TRUE'],
    [cell('Number', '2', 'ss:Formula="=1+1"'), '2'],
    [`${cell('String', 'a', 'ss:MergeAcross="1"')}${cell('String', 'b')}`, 'a\t\tb'],
    [`${cell('String', 'a')}${cell('String', 'b', 'ss:Index="4"')}`, 'a\t\t\tb'],
    [`<Cell/>${cell('String', 'b')}`, '\tb'],
  ])('shows %s as %j', (cells, text) => {
    expect(converted(workbook(sheet(`<Row>${cells}</Row>`)))).toBe(text)
  })

  test('has rows at their numbers, and sheets by name', () => {
    const one = `<Row ss:Index="2">${cell('String', 'x')}</Row>`
    const two = `<Row>${cell('String', 'y')}</Row><Row>${cell('String', 'z')}</Row>`
    expect(converted(workbook(sheet(one), sheet(two, 'B')))).toBe('y\nz')
    expect(converted(workbook(sheet(one), sheet(two, 'B')), 'A')).toBe('\nx')
    expect(converted(workbook(sheet(one), sheet(two, 'B', hidden)))).toBe('\nx')
    expect(converted(workbook())).toBe('The file has no table with a text')
  })
})

test('the only file of a ZIP archive is read as if it were sent by itself', () => {
  const csv = strToU8('a;b\n1;2\n')
  expect(convertSheet({ sheet: zipSync({ 'x/a.csv': csv, '__MACOSX/a': csv }) })).toEqual({
    csv,
    chosen: null,
  })
  const html = zipSync({ 'a.xls': strToU8('<table><tr><td>a</table>') })
  expect(converted(html)).toBe('a')
  expect(converted(zipSync({ 'a.xlsx': xlsx([row(inline('x'))]) }))).toBe('x')
  const text = '<table:table-cell office:value-type="string"><text:p>y</text:p></table:table-cell>'
  const sheet = ods(`<table:table-row>${text}</table:table-row>`)
  expect(converted(zipSync({ 'a.ods': sheet }, { level: 0 }))).toBe('y')
  const other = /^An archive for transactions.import holds one CSV file or sheet and nothing else/
  expect(converted(zipSync({ 'a.csv': csv, 'b.csv': csv }))).toMatch(other)
  expect(converted(zipSync({ 'a.csv': csv, 'read me.txt': csv }))).toMatch(other)
  expect(converted(zipSync({ 'a.zip': html }))).toMatch(other)
  expect(converted(zipSync({ '.a': csv }))).toMatch(other)
  expect(converted(zipSync({ 'a.ofx': strToU8('<OFX><STMTRS>') }))).toMatch(other)
})

test('a workbook with a changed byte is refused', () => {
  for (const whole of [zipSync({ 'a.csv': strToU8('1.00') }, { level: 0 }), ods('1.00')]) {
    whole[Buffer.from(whole).indexOf('1.00')] = 0x39
    expect(converted(whole)).toBe('The archive is damaged, or has a password')
  }
})

test('a converted sheet has the shape of a CSV file', () => {
  const cells = ['Date', 'Text', 'Amount'].map(inline).join('')
  const data = `${number('46027', 1)}${inline('Shop, Main Street, Town')}${number('-3.4')}`
  const read = convertSheet({ sheet: xlsx([row(cells) + row(data)]) })
  expect(
    'unreadable' in read || detectShape(read.csv, { delimiter: sheetDelimiter }),
  ).toMatchObject({
    delimiter: '\t',
    headers: ['Date', 'Text', 'Amount'],
  })
})

describe('refused sheets', () => {
  const bomb = zipSync({ 'xl/workbook.xml': new Uint8Array(70 * 1024 * 1024) }, { level: 1 })
  const many = Object.fromEntries(Array.from({ length: 1001 }, (_, at) => [`${at}`, strToU8('')]))
  const entity = '<!DOCTYPE a [<!ENTITY b "cc">]><workbook>&b;</workbook>'
  const wide = '<table:table-cell table:number-columns-repeated="401"><text:p>a</text:p>'
  const long = `<table:table-row table:number-rows-repeated="200000"><table:table-cell><text:p>a`
  test.each<[string, Uint8Array, string]>([
    ['a bomb', bomb, 'The archive has more than 64 MiB of content'],
    ['many files', zipSync(many), 'The archive has more than 1000 files'],
    ['a cut file', bomb.subarray(0, 2000), 'The archive is damaged, or has a password'],
    [
      'an entity',
      zipSync({ 'xl/workbook.xml': strToU8(entity) }),
      'The file declares a document type, which statements do not have',
    ],
    [
      'no workbook',
      zipSync({ 'docProps/app.xml': strToU8('a'), b: strToU8('b') }),
      'The file is no workbook: save it as .xlsx or CSV',
    ],
    ['no sheet', xlsx([]), 'The file has no table with a text'],
    [
      'columns',
      ods(`<table:table-row>${wide}</table:table-cell></table:table-row>`),
      'The sheet has more than 400 columns',
    ],
    [
      'rows',
      ods(`${long}</text:p></table:table-cell></table:table-row>`),
      'The sheet has more than 100000 rows',
    ],
    [
      'an old workbook',
      Uint8Array.of(0xd0, 0xcf, 0x11, 0xe0, 1, 2, 3),
      'An old .xls file or one with a password: save it as .xlsx or CSV',
    ],
    [
      'depth',
      encode(`<html>${'<b>'.repeat(1000)}`),
      'The file has more elements than a table needs',
    ],
    [
      'elements',
      encode(`<html><table>${'<br>'.repeat(1_100_000)}`),
      'The file has more elements than a table needs',
    ],
  ])('%s', (_name, bytes, reason) => {
    expect(converted(bytes)).toBe(reason)
  })

  test.each(['checking.qfx', 'camt-053-v2.xml', 'bank.qif', 'sign.csv'])('%s is none', (name) => {
    const url = new URL(`../../../../../../test/data/${name}`, import.meta.url)
    expect(isSheet(readFileSync(url))).toBe(false)
  })
})
