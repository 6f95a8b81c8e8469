import { expect, test } from '@jest/globals'
import { endReasonOf, isEndingSoon } from './session-end.ts'

test.each([
  ['a day and a minute', 24 * 60 + 1, false, false],
  ['less than a day', 24 * 60 - 1, false, true],
  ['less than a day, on a foreign device', 12 * 60 - 1, true, false],
  ['less than an hour, on a foreign device', 59, true, true],
  ['nothing', 0, false, false],
])('a session that has %s left is announced', (_, minutes, isForeign, isSoon) => {
  const now = Date.parse('2026-12-01T08:00:00Z')
  const expiresAt = new Date(now + minutes * 60_000).toISOString()
  expect(isEndingSoon(expiresAt, { now, isForeign })).toBe(isSoon)
})

test.each([
  ['at its time', -1, 'time'],
  ['before its time', 1, 'other'],
])('a session that ended %s is said to have ended so', (_, hoursLeft, reason) => {
  const now = Date.parse('2026-12-01T08:00:00Z')
  const expiresAt = new Date(now + hoursLeft * 3_600_000).toISOString()
  expect(endReasonOf(expiresAt, now)).toBe(reason)
})
