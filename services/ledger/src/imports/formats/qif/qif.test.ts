import { readFileSync } from 'node:fs'
import { describe, expect, test } from '@jest/globals'
import fc from 'fast-check'
import { type ListedRows, soleOf } from '../../../../test/imports/sound-statement.ts'
import type { ReadingSettings } from '../statement.ts'
import { readQifAccounts } from './qif.ts'

const DENVER = { currency: 'USD', timezone: 'America/Denver' }
const UTC = { currency: 'USD', timezone: 'UTC' }
const VIENNA = { currency: 'EUR', timezone: 'Europe/Vienna' }

function bytesOf(name: string): Buffer {
  return readFileSync(new URL(`../../../../../../test/data/${name}`, import.meta.url))
}

function statement(bytes: Uint8Array, settings: ReadingSettings = DENVER): ListedRows {
  const result = soleOf(readQifAccounts(bytes, settings))
  if ('unreadable' in result) throw new Error(result.unreadable)
  return result
}

function written(text: string, settings: ReadingSettings = DENVER): ListedRows {
  return statement(new TextEncoder().encode(text), settings)
}

function shown({ rows }: ListedRows) {
  return rows.map((row) => [row.amount, row.date.toISOString(), row.name, row.originalName])
}

describe('a bank account', () => {
  const file = statement(bytesOf('bank.qif'))

  test('is read in the account’s currency, without balances', () => {
    expect(file).toMatchObject({
      currency: 'USD',
      balances: { current: null, available: null, limit: null, asOf: null },
      skipped: [],
    })
    expect(shown(file)).toEqual([
      [123456n, '2024-01-31T07:00:00.000Z', 'HARDWARE & CO', 'door hinges'],
      [-250000n, '2024-02-05T07:00:00.000Z', 'NORTHFIELD TOOLS', 'NORTHFIELD TOOLS'],
      [4500n, '2024-02-06T07:00:00.000Z', 'Check 1042', 'Check 1042'],
      [475n, '2023-12-31T07:00:00.000Z', 'CAFÉ', 'CAFÉ'],
      [475n, '2023-12-31T07:00:00.000Z', 'CAFÉ', 'CAFÉ'],
    ])
  })

  test('keeps equal rows, and repeats their identifiers when read again', () => {
    const identifiers = file.rows.map((row) => row.uploadIdentifier)
    expect(new Set(identifiers).size).toBe(5)
    expect(statement(bytesOf('bank.qif')).rows.map((row) => row.uploadIdentifier)).toEqual(
      identifiers,
    )
  })

  test('has the same identifiers when days and amounts have another notation', () => {
    const one = written("!Type:Bank\nD1/31'24\nT-1,234.50\nPX\n^\n")
    const other = written('!Type:Bank\nD2024-01-31\nT(1234.5)\nPX\n^\n')
    expect(other.rows).toEqual(one.rows)
  })
})

test('a card with European days and amounts, an opening balance and categories', () => {
  const file = statement(bytesOf('card-european.qif'), VIENNA)
  expect(shown(file)).toEqual([
    [1250n, '2024-03-01T23:00:00.000Z', 'Bäckerei', 'Semmeln'],
    [-123450n, '2024-03-30T23:00:00.000Z', 'Zahlung', 'Zahlung'],
  ])
  expect(file.skipped).toMatchObject([
    { identifier: '01.01.2024 Opening Balance', reason: 'balance' },
    { identifier: '30.02.2024 Kein Tag', reason: 'date' },
    { identifier: '03.03.2024 Kein Betrag', reason: 'amount' },
    { identifier: '04.03.2024 Nichts', reason: 'zero' },
  ])
})

describe('days up to the 12th', () => {
  const text = '!Type:Bank\nD03/04/2024\nT-1.00\nPX\n^\n'
  const days = (content: string, stated = {}) =>
    written(content, { ...UTC, stated }).rows.map((row) => row.date.toISOString().slice(0, 10))

  test('are asked for, and read as stated', () => {
    expect(soleOf(readQifAccounts(new TextEncoder().encode(text), UTC))).toEqual({
      asks: 'dayFirst',
      unreadable: '03/04/2024 can begin with the day or the month. State dayFirst to read it again',
    })
    expect(days(text, { dayFirst: false })).toEqual(['2024-03-04'])
    expect(days(text, { dayFirst: true })).toEqual(['2024-04-03'])
  })

  test('of which others contradict each other are asked for', () => {
    const others = ['24/11/2024', '11/20/2024', '11/21/2024'].map((day) => `D${day}\nT-1.00\n^\n`)
    expect(() => days(text + others.join(''))).toThrow('03/04/2024 can begin with')
    expect(days(text + others.join(''), { dayFirst: true })).toEqual(['2024-04-03', '2024-11-24'])
  })

  test('are read in the order of the rest of the file', () => {
    expect(days(`${text}D31/01/2024\nT-1.00\nPX\n^\n`)[0]).toBe('2024-04-03')
    expect(days("!Type:Bank\nD8/31' 5\nT-1.00\n^\n")).toEqual(['2005-08-31'])
  })
})

test.each([
  ['-1.400,82', 140082n],
  ['-1,400.82', 140082n],
  ['- 12.00', 1200n],
  ['12.00-', 1200n],
])('the amount %j has grouping and a sign', (amount, read) => {
  expect(written(`!Type:Bank\nD1/31/24\nT${amount}\n^\n`).rows[0]?.amount).toBe(read)
})

test.each([
  ['', 1, ['amount']],
  ['\n', 2, []],
  ['\r\n^', 2, []],
])(
  'a last record that ends with %j is cut unless the end of its line is there',
  (end, count, why) => {
    const { rows, skipped } = written(`!Type:Bank\nD1/31/24\nT-2.00\n^\nPX\nD1/31/24\nT15${end}`)
    expect([rows.length, skipped.map(({ reason }) => reason)]).toEqual([count, why])
  },
)

test.each([
  ['T15.00\n', true],
  ['T15.00', true],
  ['T15.00\n^', false],
  ['T15.00\n^\n\n', false],
  ['T15.00\n^\n!Type:Cat\nNFood\n', false],
])('a file that ends with %j may be cut: %s', (end, isOpenEnded) => {
  expect(written(`!Type:Bank\nD1/31/24\n${end}`)).toMatchObject({ isOpenEnded })
})

test('names are in NFC', () => {
  const { rows } = written('!Type:Bank\nD1/31/24\nT-1.00\nPCafe\u0301\nMPr\u030ci\u0301jem\n^\n')
  expect(rows).toMatchObject([{ name: 'Caf\u00e9', originalName: 'P\u0159\u00edjem' }])
})

test('an amount of thousands or decimals is asked for', () => {
  const bytes = new TextEncoder().encode('!Type:Bank\nD1/31/24\nT-1,400\n^\n')
  expect(soleOf(readQifAccounts(bytes, UTC))).toMatchObject({ asks: 'decimalMark' })
  const read = statement(bytes, { ...UTC, stated: { decimalMark: ',' } })
  expect(read.rows[0]?.amount).toBe(140n)
})

test.each([
  ['Solde d’ouverture', '[x]', 1],
  ['Eröffnungssaldo', '[x]', 1],
  ['Начальный остаток', '[x]', 1],
  ['Report à nouveau', '[x]', 1],
  ['Whatever', '[Giro]', 1],
  ['Whatever', '[Savings]', 0],
  ['Saldo inicial', 'Food', 0],
  ['Saldo inicial', '', 1],
  ['Saldo do dia', '', 1],
  ['Saldo Bar', '', 0],
])('%s to %s is a balance %i times', (payee, category, times) => {
  const account = `!Account\nNGiro\n^\n!Type:Bank\nD1/31/24\nT5.00\nP${payee}\nL${category}\n^\n`
  expect(written(account).skipped.filter(({ reason }) => reason === 'balance')).toHaveLength(times)
})

test.each([
  '!Type:Cash\nD1/31/24\nT-1\n^',
  '!type:ccard\nD1/31/24\nT-1\n^',
  '!Type:Bank \nD1/31/24\nT-1\n',
  '\n\n!Type:Oth L\nD1/31/24\nU-1\n^\n^\n^',
])('%j is one row', (text) => {
  const file = written(text)
  expect(file.rows.map((row) => row.amount)).toEqual([100n])
})

describe('an unreadable file', () => {
  test.each([
    ['', expect.stringContaining('This is not a QIF file: upload OFX,')],
    ['Date,Amount\n2024-01-31,5\n', expect.stringContaining('This is not a QIF file: upload OFX,')],
    ['!Type:Cat\nNFood\n^', 'The file holds no transactions of a bank account or a card, only Cat'],
    [
      '!Type:Security\nNShare\n^\n!Type:Invst\nD1/31/24\nNBuy\n^',
      expect.stringContaining('of a securities account'),
    ],
    ['!Option:AutoSwitch\n', expect.stringContaining('This is not a QIF file: upload OFX,')],
  ])('%j has a reason', (text, unreadable) => {
    expect(soleOf(readQifAccounts(new TextEncoder().encode(text), DENVER))).toEqual({ unreadable })
  })
})

test('an account without transactions is readable', () => {
  expect(written('!Type:Bank\n')).toMatchObject({ rows: [], skipped: [] })
})

test('every row is read once, with its amount', () => {
  const row = fc.record({
    cents: fc.integer({ min: -(2 ** 40), max: 2 ** 40 }).filter((value) => value !== 0),
    day: fc.integer({ min: 1, max: 28 }),
    payee: fc.constantFrom('Bakery', 'Bus', ''),
  })
  const property = fc.property(fc.array(row), (all) => {
    const format = new Intl.NumberFormat('en-US', { minimumFractionDigits: 2 })
    const records = all.map(
      ({ cents, day, payee }) => `D1/${day}/2024\nT${format.format(cents / 100)}\nP${payee}\n^\n`,
    )
    const { rows, skipped } = written(`!Type:Bank\n${records.join('')}`, {
      ...DENVER,
      stated: { dayFirst: false },
    })
    expect(skipped).toEqual([])
    expect(rows.map((one) => Number(-one.amount))).toEqual(all.map(({ cents }) => cents))
    expect(new Set(rows.map((one) => one.uploadIdentifier)).size).toBe(all.length)
  })
  fc.assert(property)
})
