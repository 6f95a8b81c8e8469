import { expect, test } from '@jest/globals'
import { backOffMs, dayOf, minuteOf, refusalOf } from './call-limit.ts'

test('minutes and days begin in UTC', () => {
  const now = new Date('2026-03-04T12:34:56.789Z')
  expect(minuteOf(now)).toEqual(new Date('2026-03-04T12:34:00Z'))
  expect(dayOf(now)).toEqual(new Date('2026-03-04T00:00:00Z'))
})

test.each([
  [0, 30],
  [1, 60],
  [2, 120],
  [4, 480],
  [5, 600],
  [6, 600],
  [1_000, 600],
])('after %i answers 429 in a row another one pauses calls for %i s and a jitter', (inRow, s) => {
  const pauses = Array.from({ length: 100 }, (_, n) => backOffMs(inRow, `link_${n}`))
  for (const ms of pauses) expect(ms >= s * 1_000 && ms < s * 1_000 + 10_000).toBe(true)
  expect(new Set(pauses).size).toBeGreaterThan(50)
  expect(backOffMs(inRow, 'link_1')).toBe(pauses[1])
})

const at = (text: string) => new Date(`2026-03-04T${text}Z`)
const free = { heldUntil: null, limitedUntil: null, minute: at('12:34:00'), count: 0 }
const busy = { kind: 'busy' }

test.each([
  ['held', { heldUntil: at('12:35:00'), count: 9 }, busy],
  ['held until now', { heldUntil: at('12:34:20') }, busy],
  ['paused', { limitedUntil: at('12:35:07'), heldUntil: at('12:36:00') }, at('12:35:07')],
  ['at its limit', { count: 9 }, at('12:35:00')],
  ['at the limit of a minute ahead', { minute: at('12:35:00'), count: 9 }, at('12:36:00')],
  ['at the limit of a minute before', { minute: at('12:33:00'), count: 9 }, busy],
  ['released meanwhile', {}, busy],
])('an item that is %s refuses a call', (_kind, state, refusal) => {
  const expected = refusal instanceof Date ? { kind: 'limited', until: refusal } : refusal
  expect(refusalOf({ ...free, ...state }, { max: 9, now: at('12:34:20') })).toEqual(expected)
})
