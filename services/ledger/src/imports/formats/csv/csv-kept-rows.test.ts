import { expect, test } from '@jest/globals'
import { listRows, readBelow } from '../../../../test/imports/sound-statement.ts'
import { readCsv } from './csv.ts'
import type { CsvMapping } from './csv-mapping.ts'

const headers = ['Id', 'Date', 'Text', 'Amount', 'Currency']

/** Reads lines below `Id,Date,Text,Amount,Currency`: what is kept, and why others are skipped. */
function kept(
  lines: readonly string[],
  { amount = {}, format = 'YYYY-MM-DD' }: { amount?: object; format?: string } = {},
) {
  const read = readBelow(headers, lines, { amount, format })
  if ('unreadable' in read) return [read.unreadable]
  const { rows, skipped } = read
  return [...rows.map(({ amount: kept }) => kept), ...skipped.map(({ reason }) => reason)]
}

test('rows in another currency are skipped, by a column or by the amount itself', () => {
  const row = (currency: string, amount = '-1.00') =>
    `${currency}${amount},2026-01-02,Shop,${amount},${currency}`
  expect(kept([row('EUR'), row('USD'), row('ltl'), row('€'), row('£'), row('')])).toEqual([
    100n,
    100n,
    100n,
    'currency',
    'currency',
    'currency',
  ])
  expect(kept([row('', '€1.00'), row('', '-£1.00'), row('', 'USD 1'), row('', 'x')])).toEqual([
    -100n,
    'currency',
    'currency',
    'amount',
  ])
})

// The currency of a purchase abroad, beside the amount in the currency of the account.
test.each([
  ['Currency Amount,Currency Rate,Currency,Amount', ['4,11.3,USD,-45.20', '-7.5,1,EUR,-7.50'], 0],
  ['Valuta,Utl.belopp,Amount', ['USD,4.00,-45.20', ',0,-7.50', 'EUR,0.00,-1'], 0],
  ['Currency,Foreign amount,Amount', ['USD,-4,-45.20'], 0],
  ['Currency,Foreign amount,Amount', ['USD,-4,-45.20', 'EUR,5,-7.50'], 1],
  ['Currency,Foreign amount,Amount', ['USD,,-45.20', ',,-7.50'], 1],
  ['Currency,Balance,Amount', ['USD,4,-45.20', 'EUR,,-7.50'], 1],
  ['Munt,BIC,Amount', ['USD,INGBNL2A,-45.20', 'EUR,,-7.50'], 1],
  ['Gebucht in,Amount,Saldo', ['USD,-45.20,1.00', 'EUR,-7.50,2.00'], 1],
  ['Kind,Amount', ['USD,-45.20', 'ATM,-7.50'], 0],
  ['Suma,Valiuta,Amount in account currency', ['4.00,USD,-45.20', '5.00,EUR,-5.00'], 0],
  ['Valiuta,Kontowährung,Betrag in Kontowährung', ['USD,EUR,-45.20', 'EUR,CHF,-5.00'], 1],
  ['Spent,Spent in,BIC,Amount', ['4.00,USD,X,-45.20', '5.00,USD,X,-7.50'], 0],
])('of %s with %j the currency of the amount leaves out %d', (names, cells, count) => {
  const headers = ['Id', 'Date', 'Text', ...names.split(',')]
  const lines = cells.map((line, at) => `${at},2026-01-02,Shop,${line}`)
  const name = headers.find((one) => /currency$|in Kontow/.test(one) && one !== 'Currency')
  const amount = { fields: [{ name: name ?? 'Amount' }] }
  const read = readBelow(headers, lines, { amount })
  if ('unreadable' in read) throw new Error(read.unreadable)
  expect(read.skipped.map(({ reason }) => reason)).toEqual(Array(count).fill('currency'))
})

test('rows that state a balance or a turnover are skipped', () => {
  const words = [
    'Balance',
    'Opening balance',
    'Likutis pradžiai',
    'Endsaldo:',
    'S A L D O',
    'S A L D O  A N T E R I O R',
    'Closing balance fee',
    'E D E K A',
  ]
  const lines = words.map((text, at) => `${at},2026-01-02,${text},-${at + 1}.00,`)
  expect(kept(lines)).toEqual([700n, 800n, ...Array(6).fill('balance')])
})

test('a format whose order the dates contradict is refused', () => {
  const readBy = (days: string[]) =>
    kept(
      days.map((day) => `${day},${day},x,-1,`),
      { format: 'MM/DD/YYYY' },
    )
  expect(readBy(['13/04/2026', '05/06/2026'])).toEqual([
    'Dates such as 13/04/2026 do not fit MM/DD/YYYY: state dateFormat, or choose another mapping',
  ])
  expect(readBy(['13/04/2026', '05/26/2026'])).toEqual([100n, 'date'])
})

test('CR and DR say the direction whatever amounts without them mean', () => {
  const lines = [
    '1,2026-01-02,Shop,5.00,',
    '2,2026-01-02,Paid,3.00 CR,',
    '3,2026-01-02,Fee,1.00DR,',
  ]
  expect(kept(lines, { amount: { invert: false } })).toEqual([500n, -300n, 100n])
  expect(kept(lines)).toEqual([-500n, -300n, 100n])
})

test.each(['S H', 'D C', 'DB CR', 'd c'])('%s behind amounts say the direction', (words) => {
  const [debit, credit] = words.split(' ')
  const lines = [
    `1,2026-01-02,Shop,5.00 ${debit},`,
    `2,2026-01-02,Paid,3.00 ${credit},`,
    `3,2026-01-02,Fee,-1.00 ${debit},`,
    '4,2026-01-02,Tea,-2.00,',
    '5,2026-01-02,Bar,7.00 DKK,',
  ]
  const expected = [500n, -300n, 200n, 'amount', 'currency']
  expect(kept(lines)).toEqual(expected)
  expect(kept(lines, { amount: { invert: false } })).toEqual(expected.with(2, -200n))
})

test('rows with one identifier and other contents are all kept', () => {
  const lines = [
    '77,2026-01-02,Shop,-5.00,',
    '77,2026-01-02,Fee,-0.10,',
    '77,2026-01-02,Shop,-5.00,',
  ]
  expect(kept(lines)).toEqual([500n, 10n, 'duplicate'])
})

test.each([
  ['29.00 -5.00 7.00', [2900n, -500n, 700n]],
  ['-29.00 -5.00 -7.00', [2900n, 500n, 700n]],
  ['29.00 5.00 0.00', [2900n, 500n, 'zero']],
])('debits %s with both signs come back by the minus', (amounts, expected) => {
  const fields = [{ name: 'Amount' }, { name: 'Currency' }]
  const lines = amounts.split(' ').map((text, at) => `${at},2026-01-02,Shop,${text},`)
  expect(kept(lines, { amount: { kind: 'column', invert: false, fields } })).toEqual(expected)
  const credits = amounts.split(' ').map((text, at) => `${at},2026-01-02,Shop,,${text}`)
  const turned = expected.map((one) => (typeof one === 'bigint' ? -one : one))
  expect(kept(credits, { amount: { kind: 'column', invert: false, fields } })).toEqual(turned)
})

test('of debits with both signs the balance decides, and without one a tie is refused', () => {
  const headers = ['Id', 'Date', 'Debit', 'Credit', 'Balance']
  const cells = ['-45.20,,964.80', '10.00,,1010.00', ',100.00,1000.00']
  const lines = cells.map((line, at) => `${at},2026-01-02,${line}`)
  const amount = { kind: 'column', invert: false, fields: [{ name: 'Debit' }, { name: 'Credit' }] }
  const balance = { kind: 'field', fields: [{ name: 'Balance' }] }
  const of = { amount, memo: { name: 'Id' }, merchant: { name: 'Id' } }
  const read = (others: object) => {
    const found = readBelow(headers, lines, { ...of, ...others })
    return 'unreadable' in found ? found.unreadable : found.rows.map((row) => row.amount)
  }
  expect(read({ balance })).toEqual([4520n, -1000n, -10000n])
  expect(read({})).toMatch('Amounts of Debit like -45.20 are usual or go back')
})

test.each(['CR', 'DR', 'DB', 'db.'])('%s in the cell behind an amount is the direction', (word) => {
  const lines = ['0,2026-01-02,Shop,5.00,', `1,2026-01-02,Payment,-3.00,${word}`]
  const amount = word === 'CR' ? -300n : 300n
  expect(kept(lines, { amount: { invert: false } })).toEqual([500n, amount])
  expect(kept(lines)).toEqual([-500n, amount])
})

test('a row with the direction behind the last column is whole', () => {
  const lines = ['0,2026-01-02,5.00', '1,2026-01-02,3.00,CR', '2,2026-01-02,3.00,x']
  const of = { memo: { name: 'Id' }, merchant: { name: 'Id' }, amount: { invert: false } }
  const read = readBelow(['Id', 'Date', 'Amount'], lines, of)
  expect(read).toMatchObject({
    rows: [{ amount: 500n }, { amount: -300n }],
    skipped: [{ reason: 'columns' }],
  })
})

test('a row without a text is a balance if another cell is called like one', () => {
  expect(kept(['Endsaldo,2026-01-02,,5.00,', 'Endsaldo,2026-01-02,Shop,5.00,'])).toEqual([
    -500n,
    'balance',
  ])
})

test('without names of columns a code beside the amount is its currency', () => {
  const read = (line: string) => {
    const headers = ['Column 1', 'Column 2', 'Column 3', 'Column 4']
    const [id, amount, date, memo] = ['Column 1', 'Column 3', 'Column 1', 'Column 4'].map(
      (name) => ({ name }),
    )
    const mapping: CsvMapping = {
      headers,
      id: { kind: 'hashed', fields: [id ?? {}] },
      amount: { kind: 'sign', invert: false, fields: [amount ?? {}] },
      memo: memo ?? {},
      date: { fields: [date ?? {}], format: 'YYYY-MM-DD' },
      balance: { kind: 'none', fields: [] },
    }
    const settings = { currency: 'EUR', timezone: 'UTC', delimiter: ',', headerRow: 0, headers }
    const result = listRows(readCsv(new TextEncoder().encode(line), { ...settings, mapping }))
    return 'unreadable' in result ? result.unreadable : result.rows.length
  }
  const cells = (before: string, behind: string) => read(`2026-01-02,${before},5.00,${behind}`)
  expect([cells('EUR', 'USD'), cells('', 'EUR'), cells('VTI', ''), cells('USD', '')]).toEqual([
    1, 1, 1, 0,
  ])
})

/** Returns the rows of 1.00 at `Declined` and of 2.00 at a shop, beside a column of texts. */
function rowsOf(name: string, [first, second]: readonly [string, string]) {
  const columns = ['Id', 'Date', 'Amount', 'Text', name]
  const lines = [`1,2026-01-02,-1.00,Declined,${first}`, `2,2026-01-02,-2.00,Shop,${second}`]
  const read = readBelow(columns, lines, {})
  if ('unreadable' in read) throw new Error(read.unreadable)
  return read.rows
}

test.each([
  ['Zustand', 'Gebucht', 'Storniert'],
  ['State', 'x', 'CARD CHARGE DECLINED'],
  ['交易状态', '交易成功', '交易关闭'],
  ['Of the bank', 'Completed', 'Zamítnuto'],
])('a column %s with %s and %s leaves out what never took place', (name, done, failed) => {
  expect(rowsOf(name, [done, failed]).map(({ amount }) => amount)).toEqual([100n])
})

test.each([
  ['Status', 'Gebucht', 'Vorgemerkt'],
  ['Info', 'Umsatz gebucht', 'Umsatz vorgemerkt'],
  ['Of the bank', 'Исполнено', 'В обработке'],
])('a column %s with %s and %s tells pending rows', (name, done, waiting) => {
  expect(rowsOf(name, [done, waiting]).map(({ isPending }) => isPending)).toEqual([false, true])
})

test('words of a state among other texts leave out nothing', () => {
  expect(rowsOf('Note', ['Declined', 'Card fee'])).toHaveLength(2)
})

test('rows of payments that never took place are skipped', () => {
  const lines = ['COMPLETED', 'DECLINED', 'REVERTED'].map((state) => `2026-01-02,-1.00,x,${state}`)
  const columns = ['Date', 'Amount', 'Text', 'State']
  const id = { kind: 'hashed', fields: [{ name: 'Text' }] }
  const read = readBelow(columns, lines, { id } as object)
  if ('unreadable' in read) throw new Error(read.unreadable)
  expect([read.rows.length, read.skipped.map(({ reason }) => reason)]).toEqual([
    1,
    ['pending', 'pending'],
  ])
  const posted = { fields: [{ name: 'State' }], posted: 'COMPLETED' }
  const stated = readBelow(columns, lines, { id, posted } as object)
  expect('rows' in stated && stated.rows.map(({ isPending }) => isPending)).toEqual([
    false,
    true,
    true,
  ])
})

test('of payer and payee the name is the other party, by the sign', () => {
  const columns = ['Id', 'Date', 'Amount', 'Text', 'Zahlungspflichtige*r', 'Zahlungsempfänger*in']
  const lines = ['1,2026-01-02,-5.00,Buy,Ann,Shop', '2,2026-01-03,9.00,Pay,Boss,Ann']
  for (const name of columns.slice(-2)) {
    const read = readBelow(columns, lines, { merchant: { name } } as object)
    expect('rows' in read && read.rows.map((row) => row.name)).toEqual(['Shop', 'Boss'])
  }
})

test('a row with a balance in place of the payee is skipped beside a column of the payer', () => {
  const lines = ['1,2026-01-02,Ann,Balance,,9.00', '2,2026-01-03,Ann,Shop,,-1.00']
  const names = ['Id', 'Date', 'Sender', 'Payee', 'Text', 'Amount']
  const read = readBelow(names, lines, { merchant: { name: 'Payee' } } as object)
  expect(read).toMatchObject({ rows: [{ amount: 100n }], skipped: [{ reason: 'balance' }] })
})
