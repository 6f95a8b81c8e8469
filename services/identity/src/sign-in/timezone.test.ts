import { expect, test } from '@jest/globals'
import { canonicalTimezone } from './timezone.ts'

test.each([
  ['America/Chicago', 'America/Chicago'],
  ['US/Central', 'America/Chicago'],
  ['Asia/Kolkata', 'Asia/Kolkata'],
  ['Asia/Calcutta', 'Asia/Kolkata'],
  ['Europe/Kyiv', 'Europe/Kyiv'],
  ['Europe/Kiev', 'Europe/Kyiv'],
  ['America/Argentina/Buenos_Aires', 'America/Argentina/Buenos_Aires'],
  ['Asia/Ho_Chi_Minh', 'Asia/Ho_Chi_Minh'],
  ['America/Nuuk', 'America/Nuuk'],
  ['UTC', 'UTC'],
  ['', 'UTC'],
])('%j is %s', (name, canonical) => {
  expect(canonicalTimezone(name)).toBe(canonical)
})

test.each(['Mars/Olympus', '+05:00', '-0800', 'America', ' ', '../etc/passwd'])(
  '%j is no timezone',
  (name) => {
    expect(canonicalTimezone(name)).toBeNull()
  },
)
