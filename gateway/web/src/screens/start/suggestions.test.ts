import { expect, test } from '@jest/globals'
import {
  createPayees,
  firstOfNextMonth,
  groupByName,
  suggestEnvelopes,
  suggestPayday,
} from './suggestions.ts'

const today = '2026-11-20'
const movements = (text: string) =>
  text.split(', ').map((one) => {
    const [day = '', name = '', amount = '', paid] = one.split(' ')
    return { day, name, amount: Number(amount), isPaid: paid !== undefined }
  })

test.each`
  payments                                          | suggested
  ${'2026-11-01 RENT 95000, 2026-10-01 RENT 95000'} | ${'RENT 95000 monthly 2026-12-01 bill'}
  ${'2026-06-10 TAX-2 300, 2025-06-12 TAX-1 280'}   | ${'TAX-2 300 yearly 2027-06-10 bill'}
  ${'2026-11-15 SHOP 4000, 2026-11-08 SHOP 4500'}   | ${'SHOP 9000 monthly 2026-12-01'}
  ${'2026-11-15 ONCE 4000'}                         | ${''}
  ${'2026-11-01 KNOWN 500, 2026-10-01 KNOWN 500'}   | ${''}
  ${'2026-11-01 GYM 500 paid, 2026-10-01 GYM 500'}  | ${''}
`('of $payments the start suggests "$suggested"', ({ payments = '', suggested }) => {
  const found = suggestEnvelopes(groupByName(movements(payments)), { today, known: ['KNOWN'] })
  const texts = found.map(({ isBill, ...one }) => [...Object.values(one), isBill ? 'bill' : ''])
  expect(texts.map((one) => one.join(' ').trim()).join()).toBe(suggested)
})

test.each([
  ['ASOS.COM LONDON', 'COSTA COFFEE LONDON', false],
  ['ASOS LONDON', 'PRET LONDON', false],
  ['TESCO STORES 3345 LONDON', 'TESCO EXPRESS LONDON', true],
  ['CARD PAYMENT TO ASOS', 'CARD PAYMENT TO PRET', false],
  ['CARD PAYMENT TO ASOS', 'CARD PAYMENT TO ASOS 2', true],
  ['Nando’s', 'NANDOS WIMBLEDON', true],
  ['42', '42', true],
])('that payments to %s and %s repeat is %s', (one, other, areOfOne) => {
  const cards = ['Lidl', 'Rewe', 'Aldi'].map((shop) => `CARD PAYMENT TO ${shop}`)
  expect(createPayees([one, other, ...cards])(one, other)).toBe(areOfOne)
})

test.each([
  ['2026-11-01', '2026-12-01'],
  ['2026-11-26', '2026-12-01'],
  ['2026-12-31', '2027-01-01'],
])('a plan begun on %s proposes to pay first on %s', (day, first) => {
  expect(firstOfNextMonth(day)).toBe(first)
})

test.each`
  deposits                                          | pace           | day
  ${'2026-11-13 PAY 180000, 2026-10-30 PAY 180000'} | ${'biweekly'}  | ${'2026-11-27'}
  ${'2026-10-31 PAY 1, 2026-09-30 PAY 1'}           | ${'month-end'} | ${'2026-11-30'}
  ${'2026-10-31 PAY 1, 2026-10-02 PAY 1'}           | ${'monthly'}   | ${'2026-11-28'}
  ${'2026-11-13 GIFT 1, 2026-11-12 GIFT 1'}         | ${undefined}   | ${undefined}
`('of $deposits the start proposes a payday $pace from $day', ({ deposits = '', pace, day }) => {
  const found = suggestPayday(groupByName(movements(deposits)), today)
  expect([found?.pace, found?.day]).toEqual([pace, day])
})
