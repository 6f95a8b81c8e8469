import { say } from '@coffer/kit/reasons/reasons'
import { describe, expect, test } from '@jest/globals'
import fc from 'fast-check'
import { type ListedRows, soleOf } from '../../../../test/imports/sound-statement.ts'
import { detectKind } from '../file-kind.ts'
import { noBalances } from '../statement.ts'
import { readMt940Accounts } from './mt940.ts'

const settings = { currency: 'USD', timezone: 'Europe/Vienna' }
const bytesOf = (text: string) => new TextEncoder().encode(text)

function read(text: string): ListedRows {
  const result = soleOf(readMt940Accounts(bytesOf(text), settings))
  if ('unreadable' in result) throw new Error(result.unreadable)
  return result
}

/** Returns a statement in EUR with these entries. */
function statementOf(entries: string, closing = ':62F:C260131EUR90,00'): string {
  const start = [':20:START', ':25:10000000/1', ':28C:1/1', ':60F:C260101EUR100,00']
  return [...start, entries, closing].join('\r\n')
}

const german =
  '?20EREF+E-1?21SVWZ+Rent of a flat that is?22 long?3010000000?31DE00' +
  '?32Ada Lovelace and her very l?33ong name'

test('a statement has rows, currency and closing balances for the end of their days', () => {
  const statement = statementOf(':61:2601310131D10,00NMSCNONREF\r\n:86:Shop')
  const file = `${statement}\r\n:64:D260201EUR5,\r\n-\r\n`
  const { rows, ...stated } = read(file)
  expect(rows).toMatchObject([{ amount: 1000n, name: 'Shop', isPending: false }])
  expect(rows[0]?.date).toEqual(new Date('2026-01-30T23:00:00Z'))
  expect(stated).toMatchObject({
    currency: 'EUR',
    skipped: [],
    balances: {
      current: 9000n,
      available: -500n,
      asOf: new Date('2026-01-31T22:59:59Z'),
      availableAsOf: new Date('2026-02-01T22:59:59Z'),
    },
  })
})

// Direction, funds code, dates and amounts of entries as banks write them.
test.each([
  ['2601310131C10,00NMSC', -1000n, '2026-01-31'],
  ['2601310131D10,5NMSC', 1050n, '2026-01-31'],
  ['2601310131RC10,NMSC', 1000n, '2026-01-31'],
  ['2601310131RD,50NMSC', -50n, '2026-01-31'],
  ['2601310131CR10,00NMSC', -1000n, '2026-01-31'],
  ['2601310131DD10,00NMSC', 1000n, '2026-01-31'],
  ['2601310131RDR10.00NMSC', -1000n, '2026-01-31'],
  ['260131D10,00NOV NONREF', 1000n, '2026-01-31'],
  ['260131    D10,00NMSC', 1000n, '2026-01-31'],
  ['2601310131C10,00 NTRF', -1000n, '2026-01-31'],
  ['2601310131CR\r\n10,00N062NONREF', -1000n, '2026-01-31'],
  ['2601021231D10,00NMSC', 1000n, '2025-12-31'],
  ['2512310102D10,00NMSC', 1000n, '2026-01-02'],
  ['2602300301D10,00NMSC', 1000n, '2026-03-01'],
  ['2601310000D10,00NMSC', 1000n, '2026-01-31'],
  ['990131D10,00NMSC', 1000n, '1999-01-31'],
])('%j is %s on %s', (entry, amount, day) => {
  const { rows } = read(statementOf(`:61:${entry}`))
  const shown = rows.map((row) => [
    row.amount,
    row.date.toLocaleDateString('sv', { timeZone: settings.timezone }),
  ])
  expect(shown).toEqual([[amount, day]])
})

test.each([
  ['amount', '2601310131DNMSC'],
  ['amount', '2601310131CR1'],
  ['amount', '2601310131D15NMSC'],
  ['amount', '2601310131D1.000,00NMSC'],
  ['amount', '2601310131X10,00NMSC'],
  ['zero', '2601310131D0,00NMSC'],
  ['date', '260230D10,00NMSC'],
  ['date', '31.01.2026 D10,00'],
  ['pending', '2601310131ED10,00NMSC'],
])('the reason %s is given for %s', (reason, entry) => {
  const { rows, skipped } = read(statementOf(`:61:${entry}\n:61:2601310131D1,NMSC`))
  expect(rows).toHaveLength(1)
  expect(skipped).toMatchObject([{ identifier: entry, reason }])
})

// Name and text of an entry from the field :86: in the forms of different banks.
test.each([
  [german, 'D', 'Ada Lovelace and her very long name', 'Rent of a flat that is long'],
  ['?00KARTE?20SVWZ+Card?21ABWA+Payer?22ABWE+Shop?32Pay Service', 'D', 'Shop', 'Card'],
  ['?00KARTE?20SVWZ+Card?21ABWA+Payer?22ABWE+Shop?32Pay Service', 'C', 'Payer', 'Card'],
  ['?00ENTGELT?20Fee for\r\n?21 January', 'D', 'Fee for January', 'Fee for January'],
  ['?00ENTGELT?10931', 'D', 'ENTGELT', 'ENTGELT'],
  ['?20SVWZ+Wer? Ich?32Ada', 'D', 'Ada', 'Wer? Ich'],
  ['?20SVWZ+Bill?3\r\n2Ada', 'D', 'Ada', 'Bill'],
  ['~00KD~20Invoice 1~32Jan~33 Kowalski', 'D', 'Jan Kowalski', 'Invoice 1'],
  ['/TRTP/SEPA/IBAN/NL00/NAME/Ada B\r\nV/REMI/Bill 7/EREF/1', 'D', 'Ada BV', 'Bill 7'],
  ['/CNTP/NL00/INGBNL2A/Bakery/Town//REMI/USTD//Bread/', 'D', 'Bakery', 'Bread'],
  ['/TRTP/SEPA/NAME/Pay Service/ULTC/Shop/REMI/Bill', 'D', 'Shop', 'Bill'],
  ['Shop, Main Street\r\nTown', 'D', 'Shop, Main Street Town', 'Shop, Main Street Town'],
  [`${'x'.repeat(65)}\r\ny`, 'D', `${'x'.repeat(65)}y`, `${'x'.repeat(65)}y`],
])('the texts of %j (%s) are %s and %s', (text, mark, name, memo) => {
  const start = /^[?~]/.test(text) ? '166' : ''
  const { rows } = read(statementOf(`:61:2601310131${mark}1,NMSC\r\n:86:${start}${text}`))
  expect(rows.map((row) => [row.name, row.originalName])).toEqual([[name, memo]])
})

test.each([
  ['2601310131D1,NMSCBILL 7//B1', 'BILL 7'],
  ['2601310131D1,NMSCNONREF//B1\r\nCARD 4', 'CARD 4'],
  ['2601310131D1,NMSCNONREF', 'Transaction'],
])('without the field :86:, %j is named %s', (entry, name) => {
  expect(read(statementOf(`:61:${entry}`)).rows.map((row) => row.name)).toEqual([name])
})

test('equal entries are kept, have the same identifiers again, and differ by their texts', () => {
  const entry = ':61:2601310131D1,NMSCNONREF\r\n:86:'
  const file = statementOf([`${entry}A`, `${entry}A`, `${entry}B`].join('\r\n'))
  const identifiers = read(file).rows.map((row) => row.uploadIdentifier)
  expect(new Set(identifiers).size).toBe(3)
  expect(read(file.replaceAll('\r\n', '@@')).rows.map((row) => row.uploadIdentifier)).toEqual(
    identifiers,
  )
})

const interim =
  ':20:INTERIM\n:25:10000000/1\n:28C:1\n:34F:EUR0,\n:13D:2601311200+0100\n' +
  ':61:2601310131D7,NMSC\n:86:Shop\n:90D:1EUR7,\n:86:Total\n-\n'

test('an MT942 has rows and no balances; beside the statement its rows are pending', () => {
  const alone = read(interim)
  expect(alone).toMatchObject({ currency: 'EUR', balances: noBalances, skipped: [] })
  expect(alone.rows.map((row) => [row.name, row.amount])).toEqual([['Shop', 700n]])
  const both = read(`${statementOf(':61:2601310131D1,NMSC')}\n-\n${interim}`)
  expect([both.rows.length, both.balances.current]).toEqual([1, 9000n])
  expect(both.skipped.map(({ reason }) => reason)).toEqual(['pending'])
})

test('pages are one statement, with the closing balance of the last', () => {
  const [entry, page] = [':61:2601310131D5,NMSC', ':62M:C260131EUR95,00']
  const second = statementOf(entry).replace(':60F:', ':60M:')
  const { rows, balances } = read(`${statementOf(entry, page)}\n-\n${second}\n-`)
  expect([rows.length, balances.current]).toEqual([2, 9000n])
})

test('several messages without closing balances are read, unless the last line is cut', () => {
  const message = statementOf(':61:2601310131C1500,00NMSC', '')
  expect(read(`${message}\n${message}\n`).rows).toHaveLength(2)
  const cut = `${message}\n${message.slice(0, message.indexOf('00NMSC'))}`
  expect(() => read(cut)).toThrow('The file ends before its statement does')
})

describe('the end of a file', () => {
  const entry = ':61:2601310131C1500,00NMSC\n:86:Pay'
  const whole = statementOf(entry)
  const open = statementOf(entry, '')
  const head = ':20:REPORT\n:25:10000000/1\n:28C:1'
  const report = `${head}\n:34F:EUR0,\n${entry}`
  test.each([
    [whole, false],
    [`${open}\n${open}\n`, true],
    [`${whole}\n-\n${head}\n`, true],
    [`${whole}\n-\n${statementOf(entry, ':62M:C260131EUR95,00')}\n-\n`, true],
    [`${report}\n`, false],
    [report, true],
    [`{4:\n${report}\n`, true],
    [`{4:\n${report}\n-}`, false],
    [`${report}\n:90C:1EUR1500,00`, false],
    [`${report}\n:90C:1EUR1500,00\n-\n${report}\n`, true],
  ])('%# tells whether rows may be missing', (text, isOpenEnded) => {
    expect(read(text)).toMatchObject({ isOpenEnded })
  })
})

test.each([
  [statementOf('', ':62F:C260131EUR9O,00'), 'C260131EUR9O,00'],
  [statementOf('', ':62F:C260131EUR90,00\n:64:C260231EUR1,00'), 'C260231EUR1,00'],
])('a balance that cannot be read is told: %#', (text, unread) => {
  expect(read(text).balances.note).toBe(say('BALANCE_UNREADABLE', { text: unread }))
})

describe('a file', () => {
  test.each([
    ['ABNANL2A\n940\nABNANL2A\n', ''],
    ['{1:F01BANKDEFFXXXX00}{2:I940BANKDEFFXXXXN}{4:\r\n', '\r\n-}'],
    ['{1:F01BANKDEFFXXXX00}{2:I940BANKDEFFXXXXN}{4:', '-}'],
  ])('that begins with %j is read', (start, end) => {
    const file = start + statementOf(':61:2601310131D1,NMSC\r\n:86:Shop') + end
    expect(detectKind({ name: 'a.txt', head: bytesOf(file) })).toBe('mt940')
    expect(read(file).rows.map((row) => row.name)).toEqual(['Shop'])
  })

  test.each([
    ['', 'The file holds no statement of a bank account (MT940 or MT942)'],
    [
      `${statementOf(':61:2601310131D1,NMSC')}\n${statementOf(':61:2601310131CR1500,0', '')}`,
      'The file ends before its statement does',
    ],
    [interim.replaceAll('EUR', 'ZZZ'), 'The file is not in one currency that this server knows'],
    [
      `${interim}${':61:2601310131D7,NMSC\n'.repeat(100_000)}`,
      'The file has more than 100000 transactions',
    ],
  ])('%# is refused with the reason', (text, unreadable) => {
    expect(soleOf(readMt940Accounts(bytesOf(text), settings))).toEqual({ unreadable })
  })
})

test('every amount and direction is read exactly', () => {
  const cents = fc.array(fc.integer({ min: 1, max: 2 ** 40 }).chain((n) => fc.constantFrom(n, -n)))
  const property = fc.property(cents, (amounts) => {
    const entries = amounts.map((amount) => {
      const written = (Math.abs(amount) / 100).toFixed(2).replace('.', ',')
      return `:61:2601310131${amount > 0 ? 'D' : 'C'}${written}NMSC`
    })
    const { rows } = read(statementOf(entries.join('\n')))
    expect(rows.map((row) => Number(row.amount))).toEqual(amounts)
  })
  fc.assert(property)
})
