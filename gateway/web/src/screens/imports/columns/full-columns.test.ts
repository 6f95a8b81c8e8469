import { expect, test } from '@jest/globals'
import { guessColumns } from './column-guess.ts'

// A header, then rows; the columns for day, text and other party.
test.each([
  {
    kind: 'days that are blank in no row',
    lines: [
      'Created (UTC),Amount,Description,Transfer Date (UTC)',
      '2026-01-15,10.00,Order one,2026-01-23',
      '2026-01-16,-2.00,Refund of one,2026-01-23',
      '2026-01-21,-8.00,Payout,',
    ],
    guess: 'Created (UTC)|Description|',
  },
  {
    kind: 'a full value date beside days of bookings with a gap',
    lines: [
      'Valuta,Betrag,Text,Buchung',
      '2026-01-15,10.00,Laden,2026-01-15',
      '2026-01-16,-2.00,Markt,',
    ],
    guess: 'Valuta|Text|',
  },
  {
    kind: 'no way to pay as the other party',
    lines: [
      'Date,Order,Payment Method Name,Amount',
      '2026-01-15,Shirt 1002,card,10.00',
      '2026-01-16,Trousers 1001,card,-2.00',
    ],
    guess: 'Date|Order|',
  },
  {
    kind: 'no name of a bank as the other party, beside another name',
    lines: [
      'Date,Bankname,Name Zahlungsbeteiligter,Verwendungszweck,Amount',
      '2026-01-15,Volksbank,Netflix,Abo,-5.00',
      '2026-01-16,Sparkasse am Ort,Ann,Miete,-6.00',
    ],
    guess: 'Date|Verwendungszweck|Name Zahlungsbeteiligter',
  },
  {
    kind: 'no name of a bank as the other party',
    lines: ['Date,Name of the bank,Text,Amount', '2026-01-15,First Bank,Rent,-5.00'],
    guess: 'Date|Text|',
  },
  {
    kind: "the app's own file, with money that only comes in and notes in each row",
    lines: [
      'Date,Name,Merchant,Amount,Notes,Original name,Transaction ID',
      '2026-01-30,Pay,,12.50,A long note of mine,ACME,txn_1',
    ],
    guess: 'Date|Original name|Name',
  },
  {
    kind: 'a text by its name in other languages',
    lines: [
      'Data operacji,Typ,Kwota,Opis transakcji,Column 5',
      '2026-01-30,Karta,-12.50,Zakupy 1,Lokalizacja: Adres ulica Długa 1 Miasto Łódź',
      '2026-01-28,Przelew,10.00,Pensja,Nazwa nadawcy: Firma',
    ],
    guess: 'Data operacji|Opis transakcji|',
  },
])('$kind', ({ lines, guess }) => {
  const [header = [], ...rows] = lines.map((line) => line.split(','))
  const { date, memo, merchant } = guessColumns(header, 'en_GB', {
    dateFormat: 'YYYY-MM-DD',
    rows: rows.map((cells) => ({ cells })),
  })
  expect([date, memo, merchant].join('|')).toBe(guess)
})
