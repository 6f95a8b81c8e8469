import { expect, test } from '@jest/globals'
import { listRows } from '../../../../../test/imports/sound-statement.ts'
import { readCsv } from '../csv.ts'
import { detectShape } from '../csv-shape.ts'

type Names = { date: string; amount: string }

/** Reads a file with amounts of one sign. */
function readFile(text: string, names: Names, statement?: string) {
  const bytes = Buffer.from(text)
  const shape = detectShape(bytes)
  if ('unreadable' in shape) throw new Error(shape.unreadable)
  const mapping = {
    headers: shape.headers,
    id: { kind: 'hashed' as const, fields: shape.headers.map((name) => ({ name })) },
    amount: { kind: 'sign' as const, invert: true, fields: [{ name: names.amount }] },
    memo: { name: shape.headers[2] ?? '' },
    date: { fields: [{ name: names.date }], format: 'YYYY-MM-DD' },
    balance: { kind: 'none' as const, fields: [] },
  }
  const stated = { decimalMark: '.' as const, statement }
  const settings = { currency: 'EUR', timezone: 'UTC', stated }
  return readCsv(bytes, { ...settings, ...shape, mapping })
}

/** Returns the amounts of a file, or the reason that it has none. */
function read(...of: [text: string, names: Names, statement?: string]) {
  const result = listRows(readFile(...of))
  if (!('unreadable' in result)) return result.rows.map(({ amount }) => Number(amount))
  const { unreadable, asks, statements = [] } = result
  return [asks, /accounts (.*):/.exec(unreadable)?.[1], ...statements.map((one) => one.rowCount)]
}

const english = { date: 'Date', amount: 'Amount' }

test.each([
  ['numbers', 'Account', 'DE01 DE02 DE01'],
  ['own numbers in two forms', 'Auftragskonto', '12345678 12341234 1234-5678'],
  ['names that rows share', 'Konto', 'Giro Tagesgeld Giro'],
  ['numbers in the first column alone', 'Kontonummer', '111 222 111'],
  ['products', 'Product', 'Current Savings Current'],
  ['a hash and a name', '#Rachunek', '11112222 33334444 11112222'],
])('two accounts of a column of %s ask which one is read', (_, name, cells) => {
  const [first = '', second = '', third = ''] = cells.split(' ')
  const file =
    `${name},Date,Text,Amount\n${first},2026-03-13,Shop,10.00\n` +
    `${second},2026-03-13,Shop,20.00\n${third},2026-03-14,Shop,30.00\n,,Total,60.00\n`
  expect(read(file, english)).toEqual(['statement', `${first}, ${second}`, 2, 1])
  expect(read(file, english, first)).toEqual([-1000, -3000])
  expect(read(file, english, second)).toEqual([-2000])
  expect(read(file, english, 'another')).toEqual(['statement', `${first}, ${second}`, 2, 1])
  expect(read(file, english, '*')).toEqual([-1000, -2000, -3000])
})

test('an account that a file without accounts does not have is refused', () => {
  const file = 'Date,Amount,Text\n2026-03-13,10.00,Shop\n2026-03-14,20.00,Shop\n'
  expect(read(file, english, '9999')).toEqual([undefined, undefined])
  expect(read(file, english, '*')).toEqual([-1000, -2000])
})

test('a name of either party is the own one before a column of another account', () => {
  const rows = ['2026-01-02,111,1.00,555', '2026-01-03,222,2.00,555', '2026-01-04,111,3.00,777']
  const file = (name: string, other: string) => `Date,${name},Amount,${other}\n${rows.join('\n')}\n`
  expect(read(file('Číslo účtu', 'Číslo protiúčtu'), english)).toEqual([
    'statement',
    '111, 222',
    2,
    1,
  ])
  expect(read(file('Číslo účtu', 'Text'), english)).toEqual([-100, -200, -300])
})

const names = ['IBAN', 'Kontonummer', 'Bank Account', 'Tili', 'Rekening nr', 'Numer rachunku']

test.each([...names, 'From account'])('numbers in a column %s that rows share are own', (name) => {
  const accounts = ['DE01 1111', 'DE01 1111', 'DE02 2222', 'DE01-1111']
  const lines = accounts.map((one, at) => `2026-01-0${at + 1},${one},Shop ${at},1.00\n`)
  const file = `Date,${name},Text,Amount\n${lines.join('')}`
  expect(read(file, english)).toEqual(['statement', 'DE01 1111, DE02 2222', 3, 1])
  expect(read(file, english, 'DE022222')).toEqual([-100])
})

test.each([
  ['has blanks', 'Date,Counterparty account,IBAN,Amount', ['555,DE01111', ',DE02222'], true],
  ['has more', 'Date,Payee IBAN,IBAN,Amount', ['551,DE01111', '552,DE02222', '553,DE01111'], true],
  ['has as many', 'Date,Payee IBAN,IBAN,Amount', ['5551,DE01111', '5552,DE02222'], false],
  ['is a balance', 'Date,IBAN,Kontostand,Amount', ['DE01111,9.00', 'DE02222,8.00'], false],
  ['is a name', 'Date,IBAN,Kontoinhaber,Amount', ['DE01111,Ann', 'DE02222,Bob'], false],
  ['is the own one', 'Date,Account,IBAN,Amount', ['1234,DE01111', '1234,DE02222'], false],
])('an own account beside a column of accounts that %s', (_, header, cells, asks) => {
  const file = `${header}\n${cells.map((one, at) => `2026-01-0${at + 1},${one},1.00`).join('\n')}\n`
  const expected = asks ? 'statement' : -100
  expect(read(file, english)[0]).toEqual(expected)
})

test.each([
  ['eight numbers', Array.from({ length: 16 }, (_, at) => `Shop ${at},DE0${at % 8}11`)],
  ['one party each', ['Ann,DE0111', 'Bob,DE0222', 'Ann,DE0111', 'Bob,DE0222']],
  ['blanks', ['Shop,DE0111', 'Bar,DE0222', 'Rent,', 'Tea,DE0111', 'Gym,DE0222']],
])('a column of the other party with %s asks for nothing', (_, cells) => {
  const lines = cells.map((one) => `2026-01-02,1.00,${one}`)
  const file = `Date,Amount,Text,IBAN\n${lines.join('\n')}\n`
  expect(read(file, english)).toEqual(lines.map(() => -100))
})

test.each([
  ['Date,Konto,Text,Amount', '2026-01-02,DE01 1111,Shop,1.00', undefined, 'DE01 1111'],
  ['IBAN,Date,Text,Amount', 'DE022,2026-01-02,A,1.00\nDE011,2026-01-02,B,1.00', 'de 011', 'DE011'],
  ['Date,IBAN,Text,Amount,Payee IBAN', '2026-01-02,DE011,A,1.00,', undefined, 'DE011'],
  ['Date,IBAN,Text,Amount', '2026-01-02,DE011,A,1.00', undefined, undefined],
  ['Date,Konto,Text,Amount', '2026-01-02,Giro,Shop,1.00', undefined, undefined],
  ['Konto,Date,Text,Amount', '1234,2026-01-02,Shop,1.00', '*', undefined],
])('a file %s\n%s with %s stated is of %s', (header, lines, statement, number) => {
  const found = readFile(`${header}\n${lines}\n`, english, statement)
  expect('rows' in found && found.account?.number).toBe(number)
})

test.each([
  ['Girokonto,DE02 1203 0000 0000 2020 51', 'DE02 1203 0000 0000 2020 51'],
  ['Konto:,DE02120300000000202051 / Giro', 'DE02120300000000202051'],
  ['Kontonummer: 0532013000', '0532013000'],
  ['Karte,Visa,4930 •••• •••• 1234', '4930 •••• •••• 1234'],
  ['Kontonummer,532013000\nIBAN,DE89370400440532013000', 'DE89370400440532013000'],
  ['From,DE89370400440532013000\nTo,DE02120300000000202051', undefined],
  ['Konto,Giro\nKunde,1234567', undefined],
])('a file below %s is of %s', (above, number) => {
  const found = readFile(`${above}\nDate,Amount,Text\n2026-01-02,1.00,Shop\n`, english)
  expect('rows' in found && found.account?.number).toBe(number)
})

test('without names of columns, codes before the day that rows share are of accounts', () => {
  const file = 'X,EOP,2026-01-05,Shop,12.50\nX,EOP,2026-01-28,Pay,9.00\nX,ET1,2026-01-28,Fee,0.15\n'
  const columns = { date: 'Column 3', amount: 'Column 5' }
  expect(read(file, columns)).toEqual(['statement', 'EOP, ET1', 2, 1])
  expect(read(file, columns, 'ET1')).toEqual([-15])
  expect(read(file.replaceAll('EOP', 'D').replaceAll('ET1', 'C'), columns)).toHaveLength(3)
  const states = file.replaceAll('EOP', 'forced').replaceAll('ET1', 'posted')
  expect(read(states, columns)).toHaveLength(3)
})

test.each([
  ['of the other party', 'Date,Text,Kontonummer,Amount', '2026-03-13,Shop,111,1.00', '222'],
  ['of one account in two forms', 'Account,Text,Date,Amount', 'DE 01,Shop,2026-03-13,1.00', 'DE01'],
  ['that is blank in a row', 'Account,Text,Date,Amount', '111,Shop,2026-03-13,1.00', ''],
  ['of categories', 'Konto,Text,Date,Amount', 'Food,Shop,2026-03-13,1.00', 'Rent'],
])('a column %s asks for nothing', (_, header, row, other) => {
  const [first = ''] = /111|DE 01|Food/.exec(row) ?? []
  const file = `${header}\n${row}\n${row.replace(first, other)}\n`
  expect(read(file, english)).toEqual([-100, -100])
})

const giro = ['Umsätze Girokonto;30 Tage', 'Alter Kontostand;1.250,56 EUR']
const rows = ['2026-02-28;2026-02-28;A;-12.50', '2026-02-27;2026-02-27;B;-3.50']
const header = 'Buchungstag;Valuta;Text;Umsatz'

test.each([
  ['names them', ['Umsätze Tagesgeld;30 Tage', 'Neuer Kontostand;99,00 EUR', header]],
  ['has a number', ['Alter Kontostand;99,00 EUR', 'IBAN 4711081512', header]],
  ['is above other columns', ['Umsätze Visa-Karte;30 Tage', 'Buchungstag;Umsatztag;Text;Betrag']],
])('two sections ask for the account if the heading %s', (_, between) => {
  const file = [...giro, header, ...rows, ...between, '2026-02-26;2026-02-26;C;5.00'].join('\n')
  const german = { date: 'Buchungstag', amount: 'Umsatz' }
  const [, names, ...counts] = read(file, german)
  expect(String(names)).toMatch(/^Umsätze Girokonto, (?:Umsätze (?:Tagesgeld|Visa-Karte)|IBAN)/)
  expect(counts).toEqual([2, 1])
  expect(read(file, german, 'Umsätze Girokonto')).toEqual([1250, 350])
  expect(read(file, german, String(names).split(', ')[1])).toEqual([-500])
})

test.each([
  ['a page ends', ['Übertrag;16,00 EUR', 'Page 2', header]],
  ['the state differs', ['Umsätze Girokonto, vorgemerkt', header]],
  ['the heading is the same', [...giro, header]],
])('a header that is repeated because %s begins no other account', (_, between) => {
  const file = [...giro, header, ...rows, ...between, '2026-02-26;2026-02-26;C;5.00'].join('\n')
  expect(read(file, { date: 'Buchungstag', amount: 'Umsatz' })).toEqual([1250, 350, -500])
})

test.each([
  ['Vorgemerkte Umsätze', 'Gebuchte Umsätze', [true, false]],
  ['Posted transactions', 'Pending transactions', [false, true]],
  ['Pending transactions', 'Pending payments', [false, false]],
  ['Offen: 12.50', 'Gebucht', [false, false]],
])('rows below %s and below %s are pending: %j', (first, second, expected) => {
  const below = 'Date,Amount,Text\n2026-02-28,-1.00,Shop\n'
  const found = readFile(`${first}\n${below}\n${second}\n${below}`, english)
  expect('rows' in found && [...found.rows].map(({ isPending }) => isPending)).toEqual(expected)
})
