import { expect, test } from '@jest/globals'
import {
  dayAfter,
  dayOf,
  daysBetween,
  formatDay,
  formatInstant,
  formatShortDay,
  instantOf,
} from './days.ts'

test.each([
  ['2026-11-20', 'America/Chicago', '2026-11-20T06:00:00.000Z'],
  ['2026-07-01', 'Europe/Berlin', '2026-06-30T22:00:00.000Z'],
  // Clocks go forward at midnight: the day begins at one.
  ['2018-11-04', 'America/Sao_Paulo', '2018-11-04T03:00:00.000Z'],
  ['2026-01-01', 'Pacific/Kiritimati', '2025-12-31T10:00:00.000Z'],
])('the day %s in %s begins at %s', (day, timezone, instant) => {
  expect(instantOf(day, timezone)).toBe(instant)
  expect(dayOf(instant, timezone)).toBe(day)
})

test('days are counted and named', () => {
  expect(dayAfter('2026-02-27', 2)).toBe('2026-03-01')
  expect(daysBetween('2026-03-28', '2026-03-30')).toBe(2)
  const reader = { locale: 'en-US', language: 'en', today: '2026-11-27' }
  expect(formatDay('2026-11-20', reader)).toBe('Friday, November 20')
  expect(formatDay('2025-11-20', reader)).toBe('Thursday, November 20, 2025')
  const british = { ...reader, locale: 'en-GB' }
  expect(formatDay('2026-11-20', british)).toBe('Friday 20 November')
  expect(formatDay('2025-11-20', british)).toBe('Thursday 20 November 2025')
})

test.each([
  ['de', 'en-US', ['Freitag, 20. November', '1. März', '20. Nov. 2026, 13:30']],
  ['de', 'de-AT', ['Freitag, 20. November', '1. März', '20. Nov. 2026, 13:30']],
  ['en', 'de-DE', ['Friday, 20 November', '1 Mar', '20 Nov 2026, 13:30']],
  ['en', 'de', ['Friday, 20 November', '1 Mar', '20 Nov 2026, 13:30']],
  ['en', 'ja-JP', ['Friday, November 20', 'Mar 1', 'Nov 20, 2026, 13:30']],
])('days in %s have its names, and the order of %s', (language, locale, texts) => {
  const reader = { language, locale, today: '2026-11-27', timezone: 'Europe/Berlin' }
  const instant = formatInstant('2026-11-20T12:30:00Z', reader)
  const days = [formatDay('2026-11-20', reader), formatShortDay('2026-03-01', reader)]
  expect([...days, instant]).toEqual(texts)
})
