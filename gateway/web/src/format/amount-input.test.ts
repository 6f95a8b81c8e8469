import { expect, test } from '@jest/globals'
import {
  amountSearchOf,
  amountText,
  echoedAmount,
  parseAmount,
  searchedAmount,
} from './amount-input.ts'
import { formatAmount, formatAxis, formatFlow, formatMoney } from './money.ts'

test.each([
  ['12.50', 'en-US', 'USD', 1250],
  ['12,50', 'de-DE', 'EUR', 1250],
  ['12.50', 'de-DE', 'EUR', 1250],
  ['1.234,50 €', 'de-DE', 'EUR', 123450],
  [' −12,50', 'de-DE', 'EUR', -1250],
  ['¥1200', 'en-US', 'JPY', 1200],
  ['1200', 'en-US', 'JPY', null],
  ['52,3', 'de-DE', 'EUR', 5230],
  ['52.3', 'en-US', 'USD', 5230],
  ['52,3', 'en-US', 'USD', 5230],
  ['1.234,50', 'en-US', 'USD', 123450],
  ['1,234.5', 'de-DE', 'EUR', 123450],
  ['$52', 'en-US', 'USD', 5200],
  ['-$52', 'en-US', 'USD', -5200],
  ['− 52,30 €', 'de-DE', 'EUR', -5230],
  ['52,30 eur', 'de-DE', 'EUR', 5230],
  ['CA$52', 'en-US', 'CAD', 5200],
  ['-52', 'de-DE', 'EUR', -5200],
  ['52,300', 'en-US', 'BHD', 52300000],
  ['12', 'en-US', 'USD', null],
  ['1,234', 'en-US', 'USD', null],
  ['52.345', 'en-US', 'USD', null],
  ['30.11.2026', 'de-DE', 'EUR', null],
  ['Room 12.50', 'en-US', 'USD', null],
  ['٥٢٫٣', 'ar-EG', 'EGP', 5230],
  ['', 'en-US', 'USD', null],
])('a search for %j in %s is for the amount %s %j', (text, locale, currency, amount) => {
  expect(searchedAmount(text, { locale, currency })).toBe(amount)
})

test.each([
  ['750', 'en-US', 'USD', '750.00'],
  [' 750 ', 'de-DE', 'EUR', '750,00'],
  ['1,234', 'en-US', 'USD', '1234.00'],
  ['750', 'en-US', 'JPY', '750 JPY'],
  ['750.00', 'en-US', 'USD', null],
  ['-750', 'en-US', 'USD', null],
  ['$750', 'en-US', 'USD', null],
  ['٧٥٠', 'ar-EG', 'EGP', '750.00'],
  ['Room 750', 'en-US', 'USD', null],
  ['30.11.2026', 'de-DE', 'EUR', null],
  ['', 'en-US', 'USD', null],
])('instead of %j in %s %s the app offers to search for %j', (text, locale, currency, offered) => {
  expect(amountSearchOf(text, { locale, currency })).toBe(offered)
  if (offered === null) return
  const amount = parseAmount(text, { locale, currency })
  expect(searchedAmount(offered, { locale, currency })).toBe(amount)
})

test.each([
  ['a sum', '61.40+18.00', 'en-US USD', 7940],
  ['a share', '-12.50/2', 'en-US USD', -625],
  ['a product', '2 x 15', 'en-US USD', 3000],
  ['an unfinished sum', '12+', 'en-US USD', null],
  ['a number in brackets', '(5)', 'en-US USD', null],
  ['a negative number', ' −5', 'en-US USD', null],
  ['a negative amount with its symbol', '$-5', 'en-US USD', null],
  ['a negative amount with its code', 'MXN-5', 'es-MX MXN', null],
  ['a plain amount', '12.50', 'en-US USD', null],
  ['a plain amount of a locale with a comma', '12,50 €', 'de-DE EUR', null],
  ['an amount with groups and decimals', '1,234.50', 'en-US USD', null],
  ['an amount in the style of Switzerland', "1'234.50", 'de-CH CHF', null],
  ['another currency', 'XAF 5', 'en-US USD', null],
  ['three digits after a comma', '1,234', 'en-US USD', 123400],
  ['three digits after a point', '1.234 €', 'de-DE EUR', 123400],
  ['a decimal comma in English', '12,50', 'en-US USD', 1250],
  ['a decimal point in German', '12.50', 'de-DE EUR', 1250],
  ['groups of another locale', '3.120,55', 'en-US EUR', 312055],
  ['points between groups', '1.234.567', 'en-US EUR', 123456700],
  ['groups of a currency without decimals', '1,234', 'en-US JPY', null],
  ['a sum in Arabic digits', '٥+٣', 'en-US USD', 800],
  ['a text', 'rent', 'en-US USD', null],
])('%s, %j in %s, is echoed as %j', (_, text, manner, result) => {
  const [locale = '', currency = ''] = manner.split(' ')
  expect(echoedAmount(text, { locale, currency })).toBe(result)
})

test.each([
  ['12.50+3', 'en-US', 'USD', 1550],
  ['1,234.5', 'en-US', 'USD', 123450],
  ['1.234,56', 'de-DE', 'EUR', 123456],
  ["1'234.5", 'de-CH', 'CHF', 123450],
  ['1 234,5', 'fr-FR', 'EUR', 123450],
  ['−5', 'en-US', 'JPY', -5],
  ['5.5', 'en-US', 'JPY', null],
  ['1.234', 'ar-EG', 'BHD', 1234],
  ['12+', 'en-US', 'USD', null],
  ['abc', 'en-US', 'USD', null],
  ['', 'en-US', 'USD', null],
  ['.5-1', 'en-US', 'USD', -50],
  ['3.120,55', 'en-US', 'EUR', 312055],
  ['12,50', 'en-US', 'USD', 1250],
  ['12.50', 'de-DE', 'EUR', 1250],
  ['1.234.567', 'en-US', 'EUR', 123456700],
  ['1,23,456.7', 'hi-IN', 'INR', 12345670],
  ['1,234', 'en-US', 'BHD', 1234000],
  ['1.234', 'en-US', 'USD', null],
  ['1,234.5,6', 'en-US', 'USD', null],
  ['12,34,56', 'en-US', 'USD', null],
  ['99999999999999999', 'en-US', 'USD', null],
  ['12.50*3', 'en-US', 'USD', 3750],
  ['100/3', 'en-US', 'USD', 3333],
  ['(12,50 + 3) × 2 − 1', 'de-DE', 'EUR', 3000],
  ['2x(15+1)', 'en-IE', 'EUR', 3200],
  ['MXN 5X3', 'es-MX', 'MXN', 1500],
  ['1.050', 'en-IE', 'EUR', null],
  ['1000/3', 'ja-JP', 'JPY', 333],
  ['0.005*1', 'en-US', 'USD', 1],
  ['-5*1.5', 'en-US', 'USD', -750],
  ['9.99*1.19', 'en-US', 'BHD', 11888],
  ['2+3*4', 'en-US', 'USD', 1400],
  ['5/0', 'en-US', 'USD', null],
  ['(5', 'en-US', 'USD', null],
  ['5)', 'en-US', 'USD', null],
  ['()', 'en-US', 'USD', null],
  ['$1,912.40', 'en-US', 'USD', 191240],
  ['12,50 €', 'de-DE', 'EUR', 1250],
  ['EUR 12,50', 'de-DE', 'EUR', 1250],
  ['€5', 'en-US', 'USD', null],
  ['$', 'en-US', 'USD', null],
  ['٥', 'en-US', 'USD', 500],
  ['١٬٢٣٤٫٥٠', 'ar-EG', 'EGP', 123450],
  ['१२.५+३', 'hi-IN', 'INR', 1550],
  ['１２．５０', 'ja-JP', 'USD', 1250],
])('the amount %j of %s in %s is %j', (text, locale, currency, amount) => {
  expect(parseAmount(text, { locale, currency })).toBe(amount)
  if (amount === null) return
  expect(parseAmount(amountText(amount, { locale, currency }), { locale, currency })).toBe(amount)
})

test('amounts are written with the decimals of the currency and the signs of the locale', () => {
  const euro = { locale: 'de-DE', currency: 'EUR' }
  expect(formatMoney(-123456, euro)).toBe('−1.234,56\u00a0€')
  expect(formatAmount(9_007_199_254_740_991, euro)).toBe('90.071.992.547.409,91')
  expect([1250, -120000, 0].map((one) => formatFlow(one, euro))).toEqual([
    '−12,50',
    '+1.200,00',
    '0,00',
  ])
  expect(formatMoney(5, { locale: 'en-US', currency: 'JPY' })).toBe('¥5')
})

test.each([
  ['en-US', 'USD', [-200_000, 0, 500_000], '−$2,000 $0 $5,000'],
  ['en-US', 'USD', [0, 50, 100], '$0.00 $0.50 $1.00'],
  ['en-US', 'BHD', [0, 1_500_000_000], 'BHD 0 BHD 1.5M'],
  ['ja-JP', 'JPY', [0, 20_000_000], '￥0 ￥2000万'],
  ['de-DE', 'EUR', [0, 1_000_000], '0 € 10.000 €'],
])('the axis in %s of %s has %j as %s', (locale, currency, amounts, texts) => {
  const written = formatAxis(amounts, { locale, currency })
  expect(written.join(' ').replaceAll('\u00a0', ' ')).toBe(texts)
})

test('an amount of Arabic digits is isolated, so that two of them stay in their order', () => {
  expect(formatMoney(250, { locale: 'ar-EG', currency: 'EGP' })).toMatch(/^\u2068.*٢٫٥٠.*\u2069$/)
  expect(formatMoney(250, { locale: 'hi-IN', currency: 'INR' })).toBe('₹2.50')
})
