import { expect, test } from '@jest/globals'
import { dayText, parseDay } from './day-input.ts'

/** 2026-11-28 is a Saturday. */
const today = '2026-11-28'

/** A person whose app speaks the language of the region. */
const at = (locale: string) => ({ locale, language: locale.slice(0, 2), today })

test.each([
  ['2026-11-20', 'en-US', '2026-11-20', '2026-11-20'],
  ['5.11', 'en-US', '2026-11-05', '2027-11-05'],
  ['5.11.', 'de-DE', '2026-11-05', '2027-11-05'],
  ['5.11.25', 'de-DE', '2025-11-05', '2025-11-05'],
  ['11/5', 'en-US', '2026-11-05', '2027-11-05'],
  ['11/5', 'en-GB', '2026-05-11', '2027-05-11'],
  ['25/12', 'en-US', '2026-12-25', '2026-12-25'],
  ['12/24', 'en-US', '2026-12-24', '2026-12-24'],
  ['2/29', 'en-US', '2024-02-29', '2028-02-29'],
  ['1/2/2027', 'en-US', '2027-01-02', '2027-01-02'],
  ['5', 'en-US', '2026-11-05', '2026-12-05'],
  ['31', 'en-US', '2026-10-31', '2026-12-31'],
  ['fri', 'en-US', '2026-11-27', '2026-12-04'],
  ['Sat', 'en-US', '2026-11-28', '2026-12-05'],
  ['s', 'en-US', null, null],
  ['Mo', 'de-DE', '2026-11-23', '2026-11-30'],
  ['next tue', 'en-US', '2026-12-01', '2026-12-01'],
  ['next sat', 'en-US', '2026-12-05', '2026-12-05'],
  ['last fri', 'en-US', '2026-11-27', '2026-11-27'],
  ['last sat', 'en-US', '2026-11-21', '2026-11-21'],
  ['this fri', 'en-US', '2026-11-27', '2026-11-27'],
  ['This Sat.', 'en-US', '2026-11-28', '2026-11-28'],
  ['this sun', 'en-US', '2026-11-29', '2026-11-29'],
  ['nächsten Freitag', 'de-DE', '2026-12-04', '2026-12-04'],
  ['letzten Samstag', 'de-DE', '2026-11-21', '2026-11-21'],
  ['diesen Mo', 'de-DE', '2026-11-23', '2026-11-23'],
  ['nächste Mittwoche', 'de-DE', null, null],
  ['mié', 'es-ES', '2026-11-25', '2026-12-02'],
  ['last day', 'en-US', '2026-10-31', '2026-11-30'],
  ['last day of feb', 'en-US', '2026-02-28', '2027-02-28'],
  ['letzter Tag', 'de-DE', '2026-10-31', '2026-11-30'],
  ['today', 'de-DE', today, today],
  ['gestern', 'de-DE', '2026-11-27', '2026-11-27'],
  ['tom', 'en-US', '2026-11-29', '2026-11-29'],
  ['+3', 'en-US', '2026-12-01', '2026-12-01'],
  ['nov 20', 'en-US', '2026-11-20', '2027-11-20'],
  ['mar 3', 'en-US', '2026-03-03', '2027-03-03'],
  ['20. März 2027', 'de-DE', '2027-03-20', '2027-03-20'],
  ['dec 1, 26', 'en-US', '2026-12-01', '2026-12-01'],
  ['١١/٥', 'ar-EG', '2026-05-11', '2027-05-11'],
  ['2/30', 'en-US', null, null],
  ['13/13', 'en-US', null, null],
  ['soon', 'en-US', null, null],
  ['', 'en-US', null, null],
])('the day %j in %s is %j, and ahead %j', (text, locale, passed, ahead) => {
  expect(parseDay(text, at(locale))).toBe(passed)
  expect(parseDay(text, { ...at(locale), isAhead: true })).toBe(ahead)
})

test('on the last day of a month, the last day ahead is that of the next month', () => {
  const reading = { ...at('en-US'), today: '2026-11-30' }
  expect(parseDay('last day', reading)).toBe('2026-11-30')
  expect(parseDay('last day', { ...reading, isAhead: true })).toBe('2026-12-31')
})

test.each(['en-US', 'de-DE', 'ja-JP', 'ar-EG', 'hi-IN', 'sv-SE', 'fr-CA'])(
  'a day is read again as %s writes it',
  (locale) => {
    const days = ['2026-11-05', '2024-02-29']
    const texts = days.map((one) => dayText(one, locale))
    expect(texts.map((one) => parseDay(one, at(locale)))).toEqual(days)
  },
)

test('names are read in the language of the app, too', () => {
  const reading = { locale: 'en-US', language: 'de', today }
  const texts = ['gestern', 'Mittwoch', '3. Mai', '11/5', 'fri']
  expect(texts.map((one) => parseDay(one, reading))).toEqual([
    '2026-11-27',
    '2026-11-25',
    '2026-05-03',
    '2026-11-05',
    '2026-11-27',
  ])
})
