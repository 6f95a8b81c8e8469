import { expect, test } from '@jest/globals'
import fc from 'fast-check'
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
