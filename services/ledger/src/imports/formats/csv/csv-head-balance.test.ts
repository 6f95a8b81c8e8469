import { expect, test } from '@jest/globals'
import { listRows } from '../../../../test/imports/sound-statement.ts'
import { readCsv } from './csv.ts'

const headers = ['Datum', 'Text', 'Betrag']

/** Reads a file with lines above its header; returns the balance and its instant. */
function balanceBelow(...above: string[]) {
  const text = [...above, headers.join(';'), '24.11.2026;Laden;-3,40', '23.11.2026;Lohn;2.000,00']
  const result = listRows(
    readCsv(new TextEncoder().encode(text.join('\n')), {
      currency: 'EUR',
      timezone: 'Europe/Berlin',
      delimiter: ';',
      headerRow: above.length + 1,
      headers,
      mapping: {
        headers,
        id: { kind: 'hashed', fields: [{ name: 'Datum' }, { name: 'Text' }] },
        amount: { kind: 'sign', invert: true, fields: [{ name: 'Betrag' }] },
        memo: { name: 'Text' },
        date: { fields: [{ name: 'Datum' }], format: 'DD.MM.YYYY' },
        balance: { kind: 'none', fields: [] },
      },
    }),
  )
  if ('unreadable' in result) throw new Error(result.unreadable)
  const { current, asOf } = result.balances
  return [current, asOf?.toISOString() ?? null]
}

test.each([
  ['Kontostand vom 25.11.2026:;1.234,56 €', [123456n, '2026-11-25T22:59:59.000Z']],
  ['Saldo per 25.11.26;-12,00 EUR', [-1200n, '2026-11-25T22:59:59.000Z']],
  ['Kontostand vom 24.11.2026:;1.234,56 €', [123456n, '2026-11-24T22:59:59.000Z']],
  ['Kontostand vom 22.11.2026:;1.234,56 €', [null, null]],
  ['Kontostand vom 23.11.2026:;1.234,56 €', [null, null]],
  ['Kontostand vom 25.11.2026:;1.234,56 $', [null, null]],
  ['Kontostand:;1.234,56 €', [123456n, null]],
  ['Neuer Kontostand;1.234,56 EUR', [123456n, null]],
  ['Alter Kontostand;1.234,56 EUR', [null, null]],
  ['Saldo 25.11.2026;1.234,56', [123456n, '2026-11-25T22:59:59.000Z']],
  ['Kontostand: 1.234,56 EUR', [123456n, null]],
  ['Saldo vom 25.11.2026: 1.234,56', [123456n, '2026-11-25T22:59:59.000Z']],
  ['Schlusssaldo:;1.234,56', [123456n, null]],
  ['Solde en fin de période;;;;1234,56', [123456n, null]],
  ['Anfangssaldo: 1.234,56', [null, null]],
  ['Saldo;Betrag', [null, null]],
  ['Alter Kontostand vom 25.11.2026:;1.234,56 €', [null, null]],
  ['Umsätze vom 25.11.2026:;1.234,56 €', [null, null]],
])('a balance above the header, with its day or without one: %s', (line, expected) => {
  expect(balanceBelow('Girokonto;DE00', line)).toEqual(expected)
})

test('two balances above the header state none', () => {
  const line = 'Kontostand vom 25.11.2026:;1,00 €'
  expect(balanceBelow(line, line.replace('25', '01'))).toEqual([null, null])
})

test.each([
  ['Zeitraum:;20.11.2026 - 30.11.2026', '2026-11-30T22:59:59.000Z'],
  ['Umsätze;vom 01.11.26 bis 24.11.26', '2026-11-24T22:59:59.000Z'],
  ['Zeitraum:;20.11.2026 - 23.11.2026', null],
  ['Von:;20.11.2026|Bis:;30.11.2026', '2026-11-30T22:59:59.000Z'],
  ['Bis: 24.11.2026', '2026-11-24T22:59:59.000Z'],
  ['Von:;20.11.2026|Bis:;23.11.2026', null],
  ['Erstellt am:;30.11.2026', null],
  ['Zeitraum:;20.11.2026 - 29.02.2027', null],
])('an undated balance is that of the end of the period %s', (period, asOf) => {
  expect(balanceBelow(...period.split('|'), 'Kontostand:;1.234,56 EUR')).toEqual([123456n, asOf])
})
