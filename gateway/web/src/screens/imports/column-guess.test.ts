import { expect, test } from '@jest/globals'
import { findMisfit, guessColumns, writeExample } from './column-guess.ts'

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
