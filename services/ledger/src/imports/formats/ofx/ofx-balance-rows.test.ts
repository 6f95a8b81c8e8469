import { expect, test } from '@jest/globals'
import { soleOf } from '../../../../test/imports/sound-statement.ts'
import { readOfxAccounts } from './ofx.ts'

/** Returns rows `day amount name[|memo]` as `amount name`, then the reasons of skipped ones. */
function read(rows: readonly string[], ledger: string | null) {
  const list = rows.map((row, index) => {
    const [, day, amount, name, memo] = /^(\d+) (\S+) ([^|]*)\|?(.*)$/.exec(row) ?? []
    const texts = `${name && `<NAME>${name}`}${memo && `<MEMO>${memo}`}`
    const fields = `<DTPOSTED>202601${day}<TRNAMT>${amount}<FITID>F${index}${texts}`
    return `<STMTTRN><TRNTYPE>OTHER${fields}</STMTTRN>`
  })
  const balance = ledger && `<LEDGERBAL><BALAMT>${ledger}<DTASOF>20260131</LEDGERBAL>`
  const rowList = `<BANKTRANLIST>${list.join('')}</BANKTRANLIST>`
  const file = `<OFX><STMTRS><CURDEF>BRL${rowList}${balance ?? ''}</STMTRS></OFX>`
  const settings = { currency: 'BRL', timezone: 'UTC' }
  const found = soleOf(readOfxAccounts(new TextEncoder().encode(file), settings))
  if ('unreadable' in found) return [found.unreadable]
  const reasons = found.skipped.map(({ reason }) => reason)
  return [...found.rows.map(({ amount, name }) => `${-amount} ${name}`), ...reasons]
}

test.each([
  // Called like a balance as a whole.
  [['01 1000.00 Saldo Anterior', '05 -12.50 Compra', '31 987.50 S A L D O'], '987.50'],
  [['01 1000.00 |SALDO ANTERIOR', '05 -12.50 Compra', '05 987.50 |Saldo do dia'], null],
  [['01 -8.00 |SALDO ANTERIOR', '05 -12.50 Compra', '05 -20.50 |SALDO TOTAL DISPONÍVEL DIA'], ''],
  [['01 1.00 Balance forward', '05 -12.50 Compra', '31 2.00 Saldo em 31/01/2026|Saldo'], '5.00'],
  // By the booked balance, of days in either order and of rows in any order within them.
  [['01 1000.00 Saldo do cliente X', '05 -12.50 Compra', '05 987.50 Saldo conta|X'], '987.50'],
  [['05 987.50 Lanç|Saldo X', '05 -12.50 Compra', '01 1000.00 Lanç|Saldo Y'], '987.50'],
])('of the rows %j the balances are no bookings', (rows, ledger) => {
  expect(read(rows, ledger)).toEqual(['-1250 Compra', 'balance', 'balance'])
})

test.each([
  // Without proof, or with that of one row, a booking that mentions a balance stays one.
  [['05 -12.50 Compra', '06 -50.00 Saldo devedor'], '-50.00'],
  [['05 -12.50 Compra', '06 -50.00 Balance transfer', '07 -30.00 Balance transfer'], '-80.00'],
  [['05 250.00 Pay off balance', '06 -12.50 Compra', '07 40.00 Saldo Rechnung'], '0.00'],
  // The other party is named: the memo says what is paid.
  [['05 -250.00 Oficina|Saldo', '06 40.00 Balance Studio'], '1.00'],
])('of the rows %j all are bookings', (rows, ledger) => {
  expect(read(rows, ledger)).toHaveLength(rows.length)
  expect(read(rows, ledger)).not.toContain('balance')
})
