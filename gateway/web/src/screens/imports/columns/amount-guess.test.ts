import { expect, test } from '@jest/globals'
import fc from 'fast-check'
import type { Evidence } from './cells.ts'
import { guessColumns } from './column-guess.ts'
import { type Columns, findOpen } from './column-mapping.ts'

/** A file: moves in hundredths from the oldest on, and how it writes them. */
const file = fc.record({
  moves: fc.array(
    fc.integer({ min: -9000, max: 9000 }).filter((move) => move !== 0),
    { minLength: 1, maxLength: 20 },
  ),
  kind: fc.constantFrom('minus', 'debits first', 'credits first', 'known words', 'other words'),
  balance: fc.constantFrom('none', 'after', 'before'),
  isNewestFirst: fc.boolean(),
  zero: fc.constantFrom('', '0.00'),
})

function guessOf(header: string, lines: readonly string[], more: Evidence = {}): Columns {
  const rows = lines.map((line) => ({ cells: line.split(';') }))
  return guessColumns(header.split(';'), 'en_GB', { dateFormat: 'YYYY-MM-DD', rows, ...more })
}

const hundredths = (amount: number) => (amount / 100).toFixed(2)

function cellsOf(move: number, { kind, zero }: { kind: string; zero: string }): string[] {
  const size = hundredths(Math.abs(move))
  const [debit, credit] = move < 0 ? [size, zero] : [zero, size]
  if (kind === 'minus') return [hundredths(move)]
  if (kind === 'debits first') return [debit, credit]
  if (kind === 'credits first') return [credit, debit]
  const [out, into] = kind === 'known words' ? ['Af', 'Bij'] : ['Ki', 'Be']
  return [size, move < 0 ? out : into]
}

/** Returns the move of a row as the guess reads it, in hundredths. */
function readMove(columns: Columns, at: (header: string) => string): number {
  const of = (header: string) => Math.round(Number(at(header)) * 100)
  if (columns.amountKind === 'column') return of(columns.credits) - of(columns.debits)
  const isPlain =
    columns.amountKind === 'type' ? at(columns.direction) === columns.creditWord : true
  return columns.out === 'plain' || !isPlain ? -of(columns.amount) : of(columns.amount)
}

test('whatever its columns are called, a file is guessed right or asked about', () => {
  const property = fc.property(file, (written) => {
    let held = 1_000_000
    const oldest = written.moves.map((move, at) => {
      const [before, after] = [held, held + move]
      held = after
      const stated = { none: [], after: [after], before: [before] }[written.balance]
      const cells = cellsOf(move, written)
      const day = `2026-03-${String(at + 1).padStart(2, '0')}`
      return {
        move,
        cells: [day, `Text ${'abc'.slice(at % 3)}`, ...cells, ...stated.map(hundredths)],
      }
    })
    const rows = written.isNewestFirst ? oldest.toReversed() : oldest
    const headers = ['A', 'B', 'C', 'D', 'E'].slice(0, rows[0]?.cells.length)
    const columns = guessColumns(headers, 'de_DE', { dateFormat: 'YYYY-MM-DD', rows })
    if (findOpen(columns).length > 0) return
    const read = rows.map(({ cells }) =>
      readMove(columns, (header) => cells[headers.indexOf(header)] ?? ''),
    )
    expect(read).toEqual(rows.map(({ move }) => move))
  })
  fc.assert(property)
})

const wise =
  'Direction,Created on,Source fee amount,Source name,Source amount (after fees),Target name,' +
  'Target amount (after fees),Target currency,Exchange rate'

// Columns for the day, for the amount and for the balance; an amount is open where it is asked for.
test.each([
  ['a rate', wise, ['OUT,2026-11-24,0.30,Ann,44.70,Shop,49.17,USD,1.10'], 'Created on||'],
  [
    'a rate that is named Kurs',
    'Datum,Text,Kurs,Betrag inkl. Gebühr',
    ['2026-11-24,Grocer,-1.05,-45.20'],
    'Datum|Betrag inkl. Gebühr|',
  ],
  ['a rate first', 'Day,Rate,Amount incl. fee', ['2026-11-24,1.10,-9'], 'Day|Amount incl. fee|'],
  [
    'a reward',
    'Day,Cashback,Charged total fee included',
    ['2026-11-24,0.10,-9.50'],
    'Day|Charged total fee included|',
  ],
  ['a number beside a fee', 'Day,Number,Fee amount', ['2026-11-24,5.20,-0.30'], 'Day||'],
  [
    'an amount before its fee',
    'Day,Amount,Amount with fee included',
    ['2026-11-24,-9.50,-9.80'],
    'Day||',
  ],
  [
    'an amount before its fee, which no move proves',
    'Date,Gross,Fee,Net,Balance',
    ['2026-11-20,100.00,-3.20,96.80,596.80', '2026-11-24,-4.75,0.00,-4.75,592.05'],
    'Date|Net|Balance',
  ],
  [
    'one of two amounts that no move parts',
    'Date,X,Y,Z',
    ['2026-11-20,100.00,96.80,596.80', '2026-11-24,-4.75,-4.75,592.05'],
    'Date||',
  ],
  [
    'a row that has no day of a booking',
    'Booking date,Value date,Payee,Amount',
    [
      '2026-11-24,2026-11-26,Grocer,-45.20',
      '2026-11-25,2026-11-26,Baker,-5.00',
      'Balance,2026-11-28,,1954.80',
    ],
    'Booking date|Amount|',
  ],
])('the amounts are not %s', (_, header, lines, expected) => {
  const rows = lines.map((line) => ({ cells: line.split(',') }))
  const evidence = { dateFormat: 'YYYY-MM-DD', rows }
  const { date, amount, balance, merchant } = guessColumns(header.split(','), 'en_GB', evidence)
  expect([date, amount, balance].join('|')).toBe(expected)
  expect(merchant).not.toBe('Source name')
})

const yen = ['2026-11-24;Shop;500;;9500', '2026-11-25;Pay;;700;10200']

// The amounts by their kind, of an account and of a card alike.
test.each([
  ['Funds Out', 'Day;Funds Out;Funds In', ['2026-11-24;5.00;', '2026-11-25;;7.00']],
  ['Ut fra konto', 'Day;Ut fra konto;Inn på konto', ['2026-11-24;5,00;', '2026-11-25;;7,00']],
  ['お支払金額', '日;摘要;お支払金額;お預かり金額;差引残高', yen],
  ['출금액', '일자;내용;출금액;입금액;잔액', yen],
])('%s is the column of debits', (debits, header, rows) => {
  for (const isDebt of [false, true]) {
    const columns = guessOf(header, rows, { isDebt })
    expect(findOpen({ ...columns, memo: 'any' })).toEqual([])
    expect([columns.amountKind, columns.debits]).toEqual(['column', debits])
  }
})

test.each([
  ['Debit', 'Credit', 'plain'],
  ['Credit', 'Debit', 'minus'],
])('amounts with a minus follow the words beside them: %s, %s', (plain, minus, out) => {
  const rows = [`2026-11-24;45.20;${plain}`, `2026-11-25;-500;${minus}`, `2026-11-26;3;${plain}`]
  const columns = guessOf('Day;Amount;Debit/Credit', rows, { isDebt: true })
  expect(columns).toMatchObject({ amountKind: 'sign', amount: 'Amount', out })
})

test('neither letters for kinds of payments nor kinds of cards are directions', () => {
  const rows = ['2026-11-24;-45.20;C', '2026-11-25;-3;C', '2026-11-26;50;D']
  expect(guessOf('Day;Amount;Kind', rows).out).toBe('minus')
  const cards = ['2026-11-24;45.20;debit', '2026-11-25;3;credit']
  expect(guessOf('Day;Amount;Card funding', cards).amountKind).toBe('sign')
})

test('a signed amount in the currency of the account is one column', () => {
  const header = 'Day;Částka v měně účtu;Původní částka;Poplatek'
  const rows = ['2026-11-24;-45,20;-1,80;', '2026-11-25;-9,00;-9,00;', '2026-11-26;100,00;100,00;']
  expect(guessOf(header, rows)).toMatchObject({ amount: 'Částka v měně účtu', out: 'minus' })
})

test('amounts in the currency of the account precede those of a purchase', () => {
  const header = 'Data;Valiuta;Suma;Kryptis;Suma sąskaitos valiuta'
  const rows = ['2026-11-24;USD;10,00;Debit;9,40', '2026-11-25;EUR;1500,00;Credit;1500,00']
  expect(guessOf(header, rows)).toMatchObject({ amount: 'Suma sąskaitos valiuta' })
})

test('parts of a sum beside debits and credits are no amounts', () => {
  const header = 'Datum;Text;Belastung;Gutschrift;Einzelbetrag;Saldo'
  const sums = ['2026-11-26;A;-198,50;;;2401,50', '2026-11-25;B;;2500,00;;2600,00']
  const rows = [...sums, '2026-11-26;A1;;;-98,50;', '2026-11-26;A2;;;-100,00;']
  expect(guessOf(header, rows)).toMatchObject({ debits: 'Belastung', credits: 'Gutschrift' })
})

test('of two columns that prove each other the one with the name of a balance is it', () => {
  const rows = ['2026-11-25;12,50;Debet;1487,50', '2026-11-24;1500,00;Kredit;1500,00']
  const found = { amount: 'Suma', balance: 'Zostatok' }
  expect(guessOf('Deň;Suma;Smer;Zostatok', rows)).toMatchObject(found)
})

test('lines of balances are no amounts', () => {
  const moves = ['2026-11-24;Mercado;-45,20', '2026-11-25;Padaria;-5,00', '2026-11-26;Pix;9,00']
  const rows = ['2026-11-23;Saldo Anterior;900,00', ...moves, '2026-11-26;S A L D O;858,80']
  expect(guessOf('Data;Histórico;Valor', rows).out).toBe('minus')
})

test('letters of debit and credit behind amounts say the direction', () => {
  const rows = ['2026-11-24;9 S;5,00 S', '2026-11-25;8 S;3,00 H', '2026-11-26;7 S;1.234,00 S']
  const found = { amount: 'Wert', amountKind: 'sign', out: 'minus' }
  expect(guessOf('Tag;Teil;Wert', rows)).toMatchObject(found)
})
