import { expect, test } from '@jest/globals'
import { type Evidence, findMisfit } from './cells.ts'
import { guessColumns, withAmount } from './column-guess.ts'
import { findOpen, listFormats, mappingOf, writeExample } from './column-mapping.ts'

test.each`
  headers                     | found           | guess
  ${'Datum, Betrag, Text'}    | ${'DD.MM.YYYY'} | ${'Datum DD.MM.YYYY Betrag Text'}
  ${'Date, Amount, Memo'}     | ${undefined}    | ${'Date MM/DD/YYYY Amount Memo'}
  ${'Posted day, Value, Who'} | ${'D MMM YYYY'} | ${'Posted day D MMM YYYY Value Who'}
`('columns $headers with days $found are guessed as $guess', ({ headers, found, guess }) => {
  const { date, format, amount, memo } = guessColumns(String(headers).split(', '), 'en_US', {
    dateFormat: found,
  })
  expect([date, format, amount, memo].join(' ')).toBe(guess)
})

test.each([
  {
    headers:
      'Buchungstag;Valutadatum;Buchungstext;Verwendungszweck;Beguenstigter/Zahlungspflichtiger;' +
      'Kontonummer;BLZ;Betrag;Waehrung',
    guess: 'Buchungstag;Verwendungszweck;Beguenstigter/Zahlungspflichtiger;Betrag;',
  },
  {
    headers: 'Buchungstag;Buchungstext;Verwendungszweck;Glaeubiger ID;Mandatsreferenz;Name;Betrag',
    guess: 'Buchungstag;Verwendungszweck;Name;Betrag;',
  },
  {
    headers: 'Details;Posting Date;Description;Amount;Transaction ID',
    guess: 'Posting Date;Description;;Amount;Transaction ID',
  },
])('an exact header wins, and a shared identifier is none: $guess', ({ headers, guess }) => {
  const { date, memo, merchant, amount, id } = guessColumns(headers.split(';'), 'de_DE')
  expect([date, memo, merchant, amount, id].join(';')).toBe(guess)
})

// A header, then rows; the columns for day, text, other party, amount or debits and credits, ID.
test.each([
  {
    lines: [
      'Transaction Date,Transaction Type,Sort Code,Account Number,Transaction Description,' +
        'Debit Amount,Credit Amount,Balance',
      "27/11/2026,BGC,'11-22-33,123,UHBW NHS,,2100.50,2324.04",
    ],
    guess: 'Transaction Date|Transaction Description||Debit Amount/Credit Amount|',
  },
  {
    lines: [
      'Number,Date,Account,Amount,Subcategory,Memo',
      ',27/11/2026,20-00 1,-5.00,PAYMENT,TESCO',
    ],
    guess: 'Date|Memo||Amount|',
  },
  {
    lines: [
      'Date,Type,Description,Value,Balance,Account Name,Account Number',
      "27 Nov 2026,D/D,RENT,-875.00,12.00,'WEBB M,'1",
    ],
    guess: 'Date|Description||Value|',
  },
  {
    lines: ['Date,Details,Name,Amount', '1/1/26,a,Ann,1.00', '1/1/26,b,Ann,2.00', '1/1/26,c,Ann,3'],
    guess: 'Date|Details||Amount|',
  },
  {
    lines: ['Column 1,Column 2,Column 3', '27/11/2026,TESCO STORES,-5.00', '28/11/2026,Pay,"9.00"'],
    guess: 'Column 1|Column 2||Column 3|',
  },
])('the first rows tell columns that headers alone do not: $guess', ({ lines, guess }) => {
  const [headers = [], ...rows] = lines.map((line) => line.replaceAll('"', '').split(','))
  const evidence = { dateFormat: 'DD/MM/YYYY', rows: rows.map((cells) => ({ cells })) }
  const { date, memo, merchant, amountKind, ...found } = guessColumns(headers, 'en_GB', evidence)
  const pair = [found.debits, found.credits].join('/')
  const amounts = amountKind === 'column' ? pair : found.amount
  expect([date, memo, merchant, amounts, found.id].join('|')).toBe(guess)
})

/** Guesses the columns of a file with semicolons; days are written as `2026-03-01`. */
function guessOf(file: string, more: Evidence = {}) {
  const [headers = [], ...rows] = file.split('\n').map((line) => line.split(';'))
  const evidence = { dateFormat: 'YYYY-MM-DD', rows: rows.map((cells) => ({ cells })), ...more }
  return { headers, evidence, columns: guessColumns(headers, 'de_DE', evidence) }
}

/** Returns the kind of the amounts with its columns and words. */
function amountsOf({ columns, headers }: ReturnType<typeof guessOf>): string {
  const { kind, fields, debit = '', credit = '' } = mappingOf(columns, headers).amount
  const said = { sign: columns.out, column: '', type: `${debit}/${credit}` }[kind]
  return [kind, ...fields.map(({ name }) => name), said].join(' ').trim()
}

const day = (number: number) => `2026-03-0${number}`

test.each([
  [
    'a minus',
    'Dag;Belopp',
    `${day(1)};-5,00\n${day(1)};-2,00\n${day(2)};3,00`,
    'sign Belopp minus',
  ],
  ['a name, of two', 'Dag;Limit;Betrag', `${day(1)};9,00;-5,00`, 'sign Betrag minus'],
  ['cells', 'Dag;Amount;Summa', `${day(1)};Visa;-5,00`, 'sign Summa minus'],
  ['the currency', 'Date;Amount (USD);Amount (EUR)', `${day(1)};-6;-5`, 'sign Amount (EUR) minus'],
  ['all rows', 'Date;Betrag;2 Betrag', `${day(1)};;-5\n${day(2)};-6;-7`, 'sign 2 Betrag minus'],
  [
    'words',
    'Datum;Af Bij;Bedrag',
    `${day(1)};Af;5,00\n${day(2)};Bij;3,00`,
    'type Bedrag Af Bij Af/Bij',
  ],
  ['one word', 'Datum;D/K;Suma', `${day(1)};K;5,00`, 'type Suma D/K D/K'],
  [
    'two languages',
    '日;借贷;金额',
    `${day(1)};贷 Cr;5.0\n${day(2)};借 Dr;3.0`,
    'type 金额 借贷 借 Dr/贷 Cr',
  ],
  ['two names', 'Date;Deposit;Withdrawal', `${day(1)};5.00;`, 'column Withdrawal Deposit'],
  [
    'a minus beside codes',
    'Dag;Laji;Määrä',
    `${day(1)};162;-5,00\n${day(1)};162;-2,00\n${day(2)};710;3,00`,
    'sign Määrä minus',
  ],
  ['a column with minus', 'Dag;In;Ut', `${day(1)};5,00;\n${day(2)};;-3,00`, 'column Ut In'],
])('the amounts are found by %s', (_, header, rows, expected) => {
  expect(amountsOf(guessOf(`${header}\n${rows}`, { currency: 'EUR' }))).toBe(expected)
})

test.each([
  ['a minus', 'Dag;Nr;X;Y', ['1;-5,00;95,00', '2;20,00;115,00', '3;-3,50;111,50'], 'sign X minus'],
  ['none', 'Dag;Nr;X;Y', ['1;5,00;95,00', '2;-20,00;115,00', '3;3,50;111,50'], 'sign X plain'],
  [
    'rows newest first',
    'Dag;Nr;X;Y',
    ['3;-3,50;91,50', '2;-5,00;95,00', '1;1,00;100,00'],
    'sign X minus',
  ],
  [
    'two columns',
    'Dag;Nr;A;B;Y',
    ['1;5,00;;105,00', '2;;3,00;102,00', '3;;1,50;100,50'],
    'column B A',
  ],
  [
    'beside debits and credits',
    'Dag;Nr;Y;X;Soll;Haben',
    ['1;95,00;-5,00;-5,00;0', '2;105,00;10,00;0;10,00', '3;98,00;-7,00;-7,00;0'],
    'sign X minus',
  ],
  ['words', 'Dag;Nr;T;X;Y', ['1;Ki;5;105', '2;Be;7,50;112,50', '3;Ki;4;108,50'], 'type X T Ki/Be'],
])('a balance proves the amounts, whatever they are called: %s', (_, header, rows, expected) => {
  const below = rows.map((row) => `${day(Number(row[0]))};${row}`)
  const guess = guessOf([header, ...below].join('\n'))
  expect([amountsOf(guess), guess.columns.balance]).toEqual([expected, 'Y'])
})

test('a balance does not prove the oldest row, whose word is another one', () => {
  const rows = ['01;Ki;5,00;105,00', '02;Be;7,50;97,50', '03;Be;4,00;93,50']
  const guess = guessOf(['Dag;T;X;Y', ...rows.map((row) => `2026-03-${row}`)].join('\n'))
  expect(findOpen(guess.columns)).toContain('out')
  expect(amountsOf(guessOf('Dag;T;X;Y\n2026-03-02;D;4,84;76,59\n2026-03-01;C;8,00;81,43'))).toBe(
    'type X T D/C',
  )
})

test.each([
  ['DD/MM/YY', true, 'DD/MM/YY', ['DD/MM/YY', 'MM/DD/YY']],
  ['DD.MM.YYYY', true, 'DD.MM.YYYY', ['DD.MM.YYYY', 'MM.DD.YYYY']],
  ['MM/DD/YYYY', true, 'DD/MM/YYYY', ['MM/DD/YYYY', 'DD/MM/YYYY']],
  ['M-D-YYYY', false, 'M-D-YYYY', ['M-D-YYYY', 'D-M-YYYY']],
  ['D MMM YYYY', false, 'D MMM YYYY', ['D MMM YYYY', 'YYYY-MM-DD']],
])('days of the format %s whose order is open, %s, are guessed as %j', (...of) => {
  const [dateFormat, isDayOpen, format, offered] = of
  expect(guessOf('Date;Amount', { dateFormat, isDayOpen, rows: [] }).columns.format).toBe(format)
  expect(listFormats(dateFormat).slice(0, 2)).toEqual(offered)
})

test('the column of credits may be blank in the first rows, and a card owes its balance', () => {
  const file = `Date;Charge;Credit;Balance\n${day(1)};5;;105\n${day(2)};7.50;;112.50`
  expect(amountsOf(guessOf(file, { isDebt: true }))).toBe('column Charge Credit')
  const account = file.replace('105', '95').replace('112.50', '87.50')
  expect(amountsOf(guessOf(account))).toBe('column Charge Credit')
})

test.each([
  ['without a minus', 'Date;Amount', [`${day(1)};5.00`, `${day(2)};7.00`], ['out']],
  ['most without a minus', 'Date;Amount', [`${day(1)};5`, `${day(2)};7`, `${day(3)};-1`], ['out']],
  ['half without a minus', 'Date;Amount', [`${day(1)};4.75`, `${day(2)};-250`], ['out']],
  ['of a card', 'Date;Amount', [`${day(1)};-5`, `${day(2)};-3`, `${day(3)};7`], ['out']],
  ['of two columns', 'Dag;A;B', [`${day(1)};5,00;`, `${day(2)};;3,00`], ['debits', 'credits']],
  [
    'of two columns of a card',
    'Dag;A;B',
    [`${day(1)};-5,00;`, `${day(2)};;3,00`],
    ['debits', 'credits'],
  ],
  ['in one of two', 'Dag;A;B', [`${day(1)};-5,00;9,00`, `${day(2)};-3,00;8,00`], ['amount', 'out']],
  [
    'with balances before them',
    'Dag;A;B',
    [`${day(1)};5,00;95,00`, `${day(1)};-3,50;100,00`],
    ['amount', 'out'],
  ],
])('the direction of amounts %s is asked for', (name, header, rows, open) => {
  const more = { isDebt: name.endsWith('of a card') }
  const { columns, headers, evidence } = guessOf([header, ...rows].join('\n'), more)
  expect(findOpen({ ...columns, memo: 'any' })).toEqual(open)
  const chosen = withAmount(columns, 'A', { headers, evidence })
  expect(findOpen({ ...chosen, memo: 'any' })).not.toContain('amount')
})

test.each([
  [
    'numbers that repeat are no ID',
    'Date;Text;Amount;Transaction ID',
    ['A;-1;7', 'B;-2;7'],
    'Text  ',
  ],
  [
    'numbers that differ are one',
    'Date;Text;Amount;Transaction ID',
    ['A;-1;7', 'B;-2;8'],
    'Text  Transaction ID',
  ],
  [
    'the column that tells most',
    'Dag;Typ;Mottagare;Belopp',
    ['Kort;Kaffebar;-1', 'Kort;Bokhandel;-2'],
    'Mottagare  ',
  ],
  [
    'a bank is no text',
    'Datum;Objem;Název protiúčtu;Název banky;Typ',
    ['-1;Pekárna;Česká spořitelna;x', '-2;Lékárna;Raiffeisenbank;x', '-3;Potraviny;Komerční;y'],
    'Název protiúčtu  ',
  ],
  [
    'a beneficiary',
    'Date;Amount;Transaction Type;Beneficiary / Originator;Payment Details',
    ['-1;Debit;Rewe;Groceries', '-2;Debit;Aral;Petrol'],
    'Payment Details Beneficiary / Originator ',
  ],
  [
    'numbers of accounts are no names',
    'Datum;Bedrag;Tegenpartij;Naam van de tegenpartij;Mededeling details',
    ['-1;BE68 5390 0754 7034;Delhaize;Eten', '-2;BE71 0961 2345 6769;Colruyt;Drank'],
    'Mededeling details Naam van de tegenpartij ',
  ],
  [
    'a payee in Latvian',
    'Datums;Summa;Saņēmējs/Maksātājs;Informācija saņēmējam',
    ['-1;Rimi;Pirkums', '-2;Maxima;Preces'],
    'Informācija saņēmējam Saņēmējs/Maksātājs ',
  ],
  [
    'a payee in Estonian',
    'Kuupäev;Summa;Saaja/Maksja;Selgitus',
    ['-1;Selver;Ost', '-2;Prisma;Toit'],
    'Selgitus Saaja/Maksja ',
  ],
  [
    'a partner in Hungarian',
    'Dátum;Összeg;Típus;Partner neve;Közlemény',
    ['-1;Vásárlás;Tesco;Bolt', '-2;Vásárlás;Aldi;Piac'],
    'Közlemény Partner neve ',
  ],
  [
    'the column that tells more than one of its name',
    'Run Date;Amount;Action;Description',
    ['-1;YOU BOUGHT SOMETHING;No Description', '-2;DIRECT DEBIT POWER;No Description', '-3;PAY;'],
    'Action  ',
  ],
])('%s', (_, header, rows, expected) => {
  const below = rows.map((row, at) => `${day(at + 1)};${row}`)
  const { memo, merchant, id } = guessOf([header, ...below].join('\n')).columns
  expect([memo, merchant, id].join(' ')).toBe(expected)
})

test.each([
  ['DD.MM.YYYY', '31.12.2026'],
  ['M/D/YY', '12/31/26'],
  ['D MMM YYYY', '31 Dec 2026'],
])('days of the format %s look like %s', (format, example) => {
  expect(writeExample(format)).toBe(example)
})

test.each`
  format          | texts                           | misfit
  ${'DD.MM.YYYY'} | ${'30.10.2026|01.11.2026'}      | ${null}
  ${'MM/DD/YYYY'} | ${'|30.10.2026'}                | ${'30.10.2026'}
  ${'MM.DD.YYYY'} | ${'01.11.2026|30.10.2026'}      | ${'30.10.2026'}
  ${'DD.MM.YY'}   | ${'30.10.2026'}                 | ${'30.10.2026'}
  ${'YYYYMMDD'}   | ${'20261030|202610301200'}      | ${null}
  ${'D MMM YYYY'} | ${'3 Okt. 2026, 10:00|Buchung'} | ${'Buchung'}
`('the format $format does not fit $misfit of $texts', ({ format, texts, misfit }) => {
  expect(findMisfit(String(texts).split('|'), String(format))).toBe(misfit)
})
