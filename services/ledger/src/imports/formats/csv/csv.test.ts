import { readFileSync } from 'node:fs'
import { say } from '@coffer/kit/reasons/reasons'
import { describe, expect, test } from '@jest/globals'
import fc from 'fast-check'
import { type ListedRows, listRows } from '../../../../test/imports/sound-statement.ts'
import { readStatementFile } from '../statement-file.ts'
import { readCsv } from './csv.ts'
import type { CsvMapping } from './csv-mapping.ts'
import { detectShape } from './csv-shape.ts'

const CHICAGO = { currency: 'USD', timezone: 'America/Chicago' }
const VIENNA = { currency: 'EUR', timezone: 'Europe/Vienna' }

function bytesOf(name: string): Buffer {
  return readFileSync(new URL(`../../../../../../test/data/${name}`, import.meta.url))
}

function read(
  bytes: Uint8Array,
  mapping: Omit<CsvMapping, 'headers'>,
  settings = CHICAGO,
): ListedRows {
  const shape = detectShape(bytes)
  if ('unreadable' in shape) throw new Error(shape.unreadable)
  const format = { kind: 'csv' as const, ...shape, mapping: { ...mapping, headers: [] } }
  const result = listRows(readStatementFile({ bytes, settings, format }))
  if ('unreadable' in result) throw new Error(result.unreadable)
  return result
}

function shown({ rows }: ListedRows) {
  return rows.map((row) => [row.uploadIdentifier, row.amount, row.date.toISOString(), row.name])
}

const sign: Omit<CsvMapping, 'headers'> = {
  id: { kind: 'native', fields: [{ name: 'Transaction ID' }] },
  amount: { kind: 'sign', invert: true, fields: [{ name: 'Amount' }] },
  memo: { name: 'Description' },
  merchant: { name: 'Merchant' },
  date: { fields: [{ name: 'Posting Date' }], format: 'MM/DD/YYYY' },
  posted: { fields: [{ name: 'Status' }], posted: 'Posted' },
  balance: { kind: 'field', fields: [{ name: 'Balance' }] },
}

const columns: Omit<CsvMapping, 'headers'> = {
  id: { kind: 'hashed', fields: [{ name: 'Buchung' }, { name: 'Text' }] },
  amount: { kind: 'column', invert: false, fields: [{ name: 'Soll' }, { name: 'Haben' }] },
  memo: { name: 'Text' },
  date: { fields: [{ name: 'Buchung' }], format: 'DD.MM.YYYY' },
  balance: { kind: 'field', fields: [{ name: 'Saldo' }] },
}

const type: Omit<CsvMapping, 'headers'> = {
  id: { kind: 'native', fields: [{ name: 'Date' }, { derivedKind: 'rowNumber' }] },
  amount: {
    kind: 'type',
    invert: false,
    fields: [{ name: 'Amount' }, { name: 'Type' }],
    credit: 'CR',
    debit: 'DR',
  },
  memo: { name: 'Payee' },
  date: { fields: [{ name: 'Date' }], format: 'YYYY-MM-DD' },
  balance: { kind: 'none', fields: [] },
}

describe('a file with signed amounts', () => {
  const file = read(bytesOf('sign.csv'), sign)

  test('has the bank’s identifiers, merchants as names, and pending rows', () => {
    expect(shown(file)).toEqual([
      ['T-3', 475n, '2026-01-17T06:00:00.000Z', 'CAFE ELAN'],
      ['T-2', -150000n, '2026-01-16T06:00:00.000Z', 'PAYROLL NORTHFIELD TOOLS'],
      ['T-1', 500n, '2026-01-15T06:00:00.000Z', 'WALGREENS'],
      ['T-4', 9000n, '2026-01-18T06:00:00.000Z', 'HOTEL'],
    ])
    expect(file.rows[0]?.originalName).toBe('POS DEBIT, CAFE "ELAN" SAINT PAUL MN')
    expect(file.rows.map((row) => row.isPending)).toEqual([false, false, false, true])
    expect(file.skipped).toEqual([])
  })

  test('has the balance of its latest booked row', () => {
    expect(file).toMatchObject({
      currency: 'USD',
      balances: {
        current: 149025n,
        available: 149025n,
        limit: null,
        asOf: new Date('2026-01-19T05:59:59Z'),
      },
    })
  })

  test('is not inverted unless the mapping says so', () => {
    const amount = { ...sign.amount, invert: false }
    const other = { ...sign, amount, balance: { kind: 'none' as const, fields: [] } }
    const amounts = read(bytesOf('sign.csv'), other).rows.map((row) => row.amount)
    expect(amounts).toEqual([-475n, 150000n, -500n, -9000n])
  })
})

describe('a German file with columns of debits and credits, below a preamble', () => {
  const file = read(bytesOf('columns.csv'), columns, VIENNA)

  test('keeps equal rows and repeats their identifiers', () => {
    expect(shown(file).map(([, ...rest]) => rest)).toEqual([
      [1250n, '2026-01-01T23:00:00.000Z', 'Bäckerei Müller'],
      [240n, '2026-01-01T23:00:00.000Z', 'Straßenbahn'],
      [240n, '2026-01-01T23:00:00.000Z', 'Straßenbahn'],
      [-250000n, '2026-01-14T23:00:00.000Z', 'Gehalt'],
    ])
    const identifiers = file.rows.map((row) => row.uploadIdentifier)
    expect(identifiers[0]).toMatch(/^[A-Z2-7]{13}===$/)
    expect(identifiers[2]).toBe(`${identifiers[1]} #2`)
    expect(read(bytesOf('columns.csv'), columns, VIENNA).rows).toEqual(file.rows)
  })

  test('skips unreadable rows with a reason', () => {
    expect(file.skipped.map(({ reason }) => reason)).toEqual([
      'direction',
      'date',
      'zero',
      'columns',
      'zero',
    ])
  })

  test('has the balance of its last row', () => {
    expect(file.balances).toMatchObject({
      current: 348270n,
      asOf: new Date('2026-01-15T22:59:59Z'),
    })
  })
})

test('a file in UTF-16 with directions as words, without identifiers', () => {
  const file = read(bytesOf('type.csv'), type)
  expect(shown(file)).toEqual([
    ['2026-01-15 08:30:00::1', 1250n, '2026-01-15T06:00:00.000Z', 'Bakery'],
    ['2026-01-16 09:00:00::2', -250000n, '2026-01-16T06:00:00.000Z', 'Salary'],
  ])
  expect(file.skipped).toMatchObject([
    { identifier: '2026-01-17 10:00:00::3', reason: 'direction' },
  ])
  expect(file.balances.current).toBeNull()
})

describe('balances', () => {
  const sum = { ...sign, balance: { kind: 'sum' as const, fields: [] } }

  test('as a sum are the totals of rows, without and with pending ones', () => {
    // Current: −4.75 + 1500.00 − 5.00 of the booked rows. Available: this less the pending 90.00.
    expect(read(bytesOf('sign.csv'), sum).balances).toMatchObject({
      current: 149025n,
      available: 140025n,
    })
  })

  test('as a sum beyond the range of amounts refuse the file, so that its preview fails', () => {
    const row = (id: number) => `01/02/2026,Shop,-90000000000000.00,${id},Posted\n`
    const text = `Posting Date,Description,Amount,Transaction ID,Status\n${row(1)}`
    const file = (more: string) => () => read(new TextEncoder().encode(`${text}${more}`), sum)
    expect(file('')().balances.current).toBe(-9_000_000_000_000_000n)
    expect(file(row(2))).toThrow(say('BALANCE_SUM_RANGE'))
  })

  test('as a sum are unknown when a row is unreadable', () => {
    const text = 'Transaction ID,Posting Date,Description,Merchant,Amount,Balance,Status\n'
    const file = (row: string) => read(new TextEncoder().encode(`${text}${row}\n`), sum)
    expect(file('1,01/17/2026,X,,5.00,,Posted').balances.current).toBe(500n)
    const unreadable = '1,01/17/2026,X,,five,,Posted\n2,01/17/2026,X,,5.00,,Posted'
    expect(file(unreadable).balances.current).toBeNull()
    expect(file('1,01/17/2026,X,,0.00,,Posted').balances).toMatchObject({ current: 0n, asOf: null })
  })

  test.each([
    ['oldest first', ['5.00,95.00', '3.00,92.00'], 9200n],
    ['newest first', ['3.00,92.00', '5.00,95.00'], 9200n],
    ['of one row', ['5.00,95.00'], 9500n],
    ['a refund, oldest first', ['5.00,95.00', '-5.00,100.00', '20.00,80.00'], 8000n],
    ['a refund, newest first', ['-5.00,80', '5.00,75', '20.00,80', '10.00,100'], 8000n],
    ['a refund alone', ['5.00,95.00', '-5.00,100.00'], null],
    ['in another order', ['1.00,87.00', '3.00,92.00', '4.00,88.00'], 8700n],
    ['with a gap', ['5.00,95.00', '-5.00,100.00', '1.00,60.00', '2.00,58.00'], 5800n],
    ['that follow in no order', ['5.00,95.00', '3.00,11.00'], null],
    ['with a blank one', ['5.00,95.00', '3.00,', '2.00,90.00'], 9000n],
    ['at the end of each day', ['5.00,90.00', '5.00,90.00'], 9000n],
  ])('of one day are those of the latest row: %s', (_order, rows, current) => {
    const lines = rows.map((row, index) => `${index},2026-01-15,X,${row}`)
    const text = `Id,Date,Text,Amount,Balance\n${lines.join('\n')}\n`
    const mapping: Omit<CsvMapping, 'headers'> = {
      ...columns,
      id: { kind: 'native', fields: [{ name: 'Id' }] },
      amount: { kind: 'sign', invert: false, fields: [{ name: 'Amount' }] },
      date: { fields: [{ name: 'Date' }], format: 'YYYY-MM-DD' },
      balance: { kind: 'field', fields: [{ name: 'Balance' }] },
    }
    expect(read(new TextEncoder().encode(text), mapping).balances.current).toBe(current)
  })
})

test('a row with blank identifier cells is skipped', () => {
  const text = bytesOf('sign.csv').toString().replace('T-2', ' ')
  expect(read(Buffer.from(text), sign).skipped).toMatchObject([
    { identifier: '', reason: 'identifier' },
  ])
})

describe('an unreadable file', () => {
  const settings = {
    ...CHICAGO,
    delimiter: ',',
    headerRow: null,
    headers: ['Transaction ID', 'Posting Date', 'Description'],
    mapping: { ...sign, headers: [] },
  }
  test.each([
    ['', 'The columns of the file are not those of the mapping'],
    ['A,B,C\n1,2,3\n', 'The columns of the file are not those of the mapping'],
    ['Transaction ID,Posting Date,Description\n1,"2\n', 'The quotes of line 2 have no end'],
    [
      `Transaction ID,Posting Date,Description\n"1\n2",3,"4\n${'x,y,z\n'.repeat(9)}`,
      'The quotes of line 3 have no end',
    ],
    [
      `Transaction ID,Posting Date,Description\n\n1,2,3\n1,"2\n${'x,y,z\n'.repeat(50_000)}`,
      'The quotes of line 4 have no end',
    ],
    [
      `Transaction ID,Posting Date,Description\n${'x,y,z\n'.repeat(100_001)}`,
      'The file has more than 100000 rows',
    ],
    [`A\n${'x'.repeat(200_000)}`, 'Line 2 of the file is too long to be a row of a statement'],
  ])('%# has a reason', (text, unreadable) => {
    expect(readCsv(new TextEncoder().encode(text), settings)).toEqual({ unreadable })
  })
})

test('every row is read once, with its amount, whatever its texts', () => {
  const row = fc.record({
    cents: fc.integer({ min: -(2 ** 40), max: 2 ** 40 }).filter((value) => value !== 0),
    payee: fc.string({ unit: fc.constantFrom('a', ' ', ',', '"', '\n', ';', 'é', '\t') }),
  })
  const property = fc.property(fc.array(row), (all) => {
    const format = new Intl.NumberFormat('en-US', { minimumFractionDigits: 2 })
    const quoted = (text: string) => `"${text.replaceAll('"', '""')}"`
    const lines = all.map(
      ({ cents, payee }) => `2026-01-15,DR,${quoted(format.format(cents / 100))},${quoted(payee)}`,
    )
    const bytes = new TextEncoder().encode(['Date,Type,Amount,Payee', ...lines, ''].join('\r\n'))
    const mapping: CsvMapping = {
      ...type,
      id: { kind: 'hashed', fields: [{ name: 'Payee' }, { name: 'Date' }] },
      headers: ['Date', 'Type', 'Amount', 'Payee'],
    }
    const { headers } = mapping
    const stated = { minusReverses: true }
    const own = { ...CHICAGO, delimiter: ',', headerRow: 1, headers, mapping, stated }
    const result = listRows(readCsv(bytes, own))
    if ('unreadable' in result) throw new Error(result.unreadable)
    expect(result.rows.map((one) => Number(one.amount))).toEqual(all.map(({ cents }) => cents))
    expect(new Set(result.rows.map((one) => one.uploadIdentifier)).size).toBe(all.length)
  })
  fc.assert(property)
})
