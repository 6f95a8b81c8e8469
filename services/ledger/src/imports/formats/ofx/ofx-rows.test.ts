import { expect, test } from '@jest/globals'
import { soleOf } from '../../../../test/imports/sound-statement.ts'
import { readOfxAccounts } from './ofx.ts'
import { readDay, readInstant } from './ofx-rows.ts'

const CHICAGO = 'America/Chicago'

// A date becomes midnight of its day as written, in the account's timezone.
test.each([
  ['20240115', CHICAGO, '2024-01-15T06:00:00.000Z'],
  ['2024-01-15', CHICAGO, '2024-01-15T06:00:00.000Z'],
  ['2024-01-15T03:00:00', CHICAGO, '2024-01-15T06:00:00.000Z'],
  ['20240115120000', CHICAGO, '2024-01-15T06:00:00.000Z'],
  ['20240715120000.000', CHICAGO, '2024-07-15T05:00:00.000Z'],
  ['20240115030000.000[0:GMT]', CHICAGO, '2024-01-15T06:00:00.000Z'],
  ['20240115[-5:EST]', CHICAGO, '2024-01-15T06:00:00.000Z'],
  ['202401151200', CHICAGO, '2024-01-15T06:00:00.000Z'],
  ['20240229', 'UTC', '2024-02-29T00:00:00.000Z'],
  ['20240115', 'Pacific/Auckland', '2024-01-14T11:00:00.000Z'],
  // Clocks in Beirut skip midnight on 31 March 2024: the day begins at 01:00 (UTC+3).
  ['20240331', 'Asia/Beirut', '2024-03-30T22:00:00.000Z'],
  // Midnight occurs twice: the day begins with the first.
  ['20261025', 'Atlantic/Azores', '2026-10-25T00:00:00.000Z'],
  ['20261101', 'America/Havana', '2026-11-01T04:00:00.000Z'],
])('the day of %s in %s begins at %s', (text, timezone, instant) => {
  expect(readDay(text, timezone)?.toISOString()).toBe(instant)
})

test.each(['20240230', '20241301', '00000000', '2024-1-15', '240115', '15012024x', ''])(
  '%j is not a day',
  (text) => {
    expect(readDay(text, CHICAGO)).toBeNull()
    expect(readInstant(text, CHICAGO)).toBeNull()
  },
)

test.each([
  ['20240115120000', '2024-01-15T18:00:00.000Z'],
  ['202401151200', '2024-01-15T18:00:00.000Z'],
  ['20240115120000.123[-5:EST]', '2024-01-15T17:00:00.000Z'],
  ['20240115120000[0:GMT]', '2024-01-15T12:00:00.000Z'],
  ['20240115120000[+5.5:IST]', '2024-01-15T06:30:00.000Z'],
  ['20240115120000[:EST]', '2024-01-15T18:00:00.000Z'],
  ['20240115', '2024-01-16T05:59:59.000Z'],
  ['20240115250000', undefined],
  ['00000101', undefined],
  ['99991231235959', undefined],
])('the instant of %s is %s', (text, instant) => {
  expect(readInstant(text, CHICAGO)?.toISOString()).toBe(instant)
})

/**
 * Returns amounts, with what they correct behind `>`, and reasons of a statement; a row is
 * `FITID amount name [other fields]`.
 */
function read(rows: string, change = (text: string) => text) {
  const list = rows.split('|').map((row) => {
    const [id, amount, name, ...more] = row.split(' ')
    const fields = `<DTPOSTED>20260110<TRNAMT>${amount?.replace('_', ' ')}<FITID>${id}<NAME>${name}`
    return `<STMTTRN>${fields}${more.join('')}</STMTTRN>`
  })
  const balance = '<LEDGERBAL><BALAMT>5.00<DTASOF>20260115</LEDGERBAL>'
  const rowList = `<BANKTRANLIST>${list.join('')}</BANKTRANLIST>`
  const statement = `<STMTRS><CURDEF>USD${rowList}${balance}</STMTRS>`
  const file = change(`<OFX><BANKMSGSRSV1><STMTTRNRS>${statement}</STMTTRNRS></BANKMSGSRSV1></OFX>`)
  const settings = { currency: 'USD', timezone: 'UTC' }
  const found = soleOf(readOfxAccounts(new TextEncoder().encode(file), settings))
  if ('unreadable' in found) return found.asks ?? found.unreadable
  const reasons = found.skipped.map(({ reason }) => reason)
  const rowTexts = found.rows.map(
    ({ amount, corrects }) => `${amount}${corrects ? `>${corrects.identifier}` : ''}`,
  )
  return [...rowTexts, ...reasons].join(' ')
}

test.each([
  // Contents decide: one FITID for a purchase, two equal fees and a reward; zeros identify nothing.
  ['77 -10.00 Shop|77 -1.00 Fee|77 -1.00 Fee|77 0.50 Reward', '1000 100 -50 duplicate'],
  ['000 -10.00 Shop|000 -1.00 Fee|000 -1.00 Fee', '1000 100 100'],
  // A correction is a row where its original is not in the file.
  ['1 -1.00 A|2 -2.00 B <CORRECTFITID>1<CORRECTACTION>REPLACE', '100 correction'],
  ['1 -1.00 A|2 -2.00 B <CORRECTFITID>9<CORRECTACTION>REPLACE', '100 200>9'],
  // A row that names itself corrects nothing, so that a second import knows it.
  ['2 -2.00 B <CORRECTFITID>2<CORRECTACTION>REPLACE', '200'],
  ['2 -2.00 B <CORRECTFITID>9<CORRECTACTION>DELETE', 'correction'],
  // Without a minus in the file, not even in a DEBIT, the types decide.
  ['1 1.00 A <TRNTYPE>DEBIT|2 2.00 B <TRNTYPE>CREDIT|3 3.00 C <TRNTYPE>XFER', '100 -200 direction'],
  ['1 1.00 A <TRNTYPE>DEBIT|2 -2.00 B <TRNTYPE>DEBIT|3 3.00 C <TRNTYPE>XFER', '-100 200 -300'],
  ['1 1.00 A <TRNTYPE>PAYMENT|2 2.00 B <TRNTYPE>CREDIT', '-100 -200'],
  // Groups of thousands by the whole file.
  ['1 -1,400 A|2 -1,234.50 B', '140000 123450'],
  ['1 -1.400,82 A|2 -_12,00 B|3 12,00- C', '140082 1200 1200'],
  ['1 -222,22 A|2 -333.33 B', '22222 33333'],
])('the rows %s are %s', (rows, expected) => {
  expect(read(rows)).toBe(expected)
})

test('an amount of thousands or decimals is asked for', () => {
  expect(read('1 -1,400 A', (file) => file.replace('5.00', '5'))).toBe('decimalMark')
})

test.each(['STMTRN', 'STMTTRNRS', 'STMTRS', 'BANKTRANLIST', 'BANKMSGSRSV1'])(
  'a transaction that ends with %s keeps its row and those behind it',
  (tag) => {
    const wrong = (file: string) => file.replace('</STMTTRN>', `</${tag}>`)
    expect(read('1 -1.00 A|2 -2.00 B', wrong)).toBe('100 200')
  },
)

test.each([/<\/?OFX>/g, /<\/?(?:OFX|BANKMSGSRSV1|STMTTRNRS)>/g])(
  'a file without the wrapper %s is read',
  (wrapper) => {
    expect(read('1 -1.00 A', (file) => file.replace(wrapper, ''))).toBe('100')
  },
)

// Transactions without end tags, or with wrong ones.
test.each([
  ['<CHECKNUM><TRNAMT>-5.00<NAME>Shop', ['500 Shop']],
  ['<TRNAMT>-5.00<NAME><MEMO>hello\n', ['500 hello']],
  ['<TRNAMT>-5.00<MEMO>\n<NAME>\n<CHECKNUM>7', ['500 Check 7']],
  ['<TRNAMT>-5.00<NAME></NAME><MEMO>hello</MEMO>', ['500 hello']],
])('an empty field contains no other field: %j', (fields, expected) => {
  const row = `<STMTTRN><TRNTYPE>DEBIT<DTPOSTED>20260110${fields}`
  for (const list of [row, `${row}</STMTRN>`, `${row}</STMTTRN>`]) {
    const statement = `<STMTRS><CURDEF>USD<BANKTRANLIST>${list}${list}</BANKTRANLIST></STMTRS>`
    const file = `<OFX><BANKMSGSRSV1><STMTTRNRS>${statement}</STMTTRNRS></BANKMSGSRSV1></OFX>`
    const settings = { currency: 'USD', timezone: 'UTC' }
    const found = soleOf(readOfxAccounts(new TextEncoder().encode(file), settings))
    const shown = 'unreadable' in found ? [] : found.rows
    expect(shown.map(({ amount, name }) => `${amount} ${name}`)).toEqual([...expected, ...expected])
  }
})
