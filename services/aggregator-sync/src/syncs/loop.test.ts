import { expect, test } from '@jest/globals'
import {
  isSamePosition,
  isWithinLoop,
  type Loop,
  nextCursorOf,
  noteSkipped,
  passPage,
  requestSkipped,
  restartLoop,
  restartWhole,
} from './loop.ts'

const now = new Date('2026-03-01T10:00:00Z')
const later = new Date('2026-03-01T11:00:00Z')
const first: Loop = {
  cursor: null,
  pageCursor: null,
  loopNumber: 0,
  wholeLoopStartedAt: null,
  wholeRequestedAt: null,
  skippedAccounts: [],
}
const page = (nextCursor: string, hasMore = false) => ({ nextCursor, hasMore })

test('the first loop begins without a cursor, the next one at its end', () => {
  expect(nextCursorOf(first)).toBeNull()
  const second = passPage(first, page('c1', true), now)
  expect([nextCursorOf(second), isWithinLoop(second), second.cursor]).toEqual(['c1', true, null])
  const ended = passPage(second, page('c2'), now)
  expect([nextCursorOf(ended), isWithinLoop(ended), ended.cursor]).toEqual(['c2', false, 'c2'])
  expect(ended.loopNumber).toBe(0)
})

test('a restarted loop begins at its first page again, with another number', () => {
  const within = passPage({ ...first, cursor: 'c1' }, page('c2', true), now)
  const restarted = restartLoop(within)
  expect([nextCursorOf(restarted), restarted.loopNumber]).toEqual(['c1', 1])
  expect(isSamePosition(restarted, { ...first, cursor: 'c1' })).toBe(false)
})

test('without its cursor, the loop reads everything, and goes on from its end', () => {
  const whole = restartWhole({ ...first, cursor: 'c1' }, now)
  expect([nextCursorOf(whole), isWithinLoop(whole), whole.loopNumber]).toEqual([null, true, 1])
  const within = passPage(whole, page('w1', true), now)
  expect(nextCursorOf(restartLoop(within))).toBeNull()
  const ended = passPage(within, page('w2'), now)
  expect(ended).toMatchObject({ cursor: 'w2', pageCursor: null, wholeLoopStartedAt: null })
})

test('a whole loop that is due follows the loop that reads the removals', () => {
  const due = { ...first, cursor: 'c1', wholeRequestedAt: now }
  const whole = passPage(due, page('c2'), now)
  expect(whole).toMatchObject({ cursor: 'c2', wholeLoopStartedAt: now, loopNumber: 1 })
  expect([nextCursorOf(whole), isWithinLoop(whole)]).toEqual([null, true])
  const ended = passPage(whole, page('c3'), later)
  expect(ended).toMatchObject({ cursor: 'c3', wholeRequestedAt: null, wholeLoopStartedAt: null })
})

test('a bank account that is added during a whole loop causes another one', () => {
  const whole = { ...first, wholeLoopStartedAt: now, wholeRequestedAt: later }
  const next = passPage(whole, page('c3'), later)
  expect(next).toMatchObject({ wholeRequestedAt: later, wholeLoopStartedAt: later, loopNumber: 1 })
})

test('an account that becomes known requests a whole loop if its rows were skipped', () => {
  const skipped = noteSkipped(noteSkipped(first, ['a', 'b']), ['b', 'c'])
  expect(skipped.skippedAccounts).toEqual(['a', 'b', 'c'])
  expect(requestSkipped(skipped, ['d'], now)).toBe(skipped)
  const met = requestSkipped(skipped, ['d', 'b'], now)
  expect(met).toMatchObject({ skippedAccounts: ['a', 'c'], wholeRequestedAt: now })
  expect(requestSkipped(met, ['d', 'b'], later)).toBe(met)
})

test('at most 500 accounts are noted, the last ones', () => {
  const ids = Array.from({ length: 501 }, (_, index) => `a${index}`)
  const { skippedAccounts } = noteSkipped(first, ids)
  expect([skippedAccounts.length, skippedAccounts[0]]).toEqual([500, 'a1'])
})

test.each<[string, Partial<Loop>]>([
  ['cursor', { cursor: 'other' }],
  ['page', { pageCursor: 'other' }],
  ['number', { loopNumber: 7 }],
  ['kind', { wholeLoopStartedAt: now }],
])('positions with another %s differ', (_name, change) => {
  expect(isSamePosition(first, { ...first, wholeRequestedAt: now })).toBe(true)
  expect(isSamePosition(first, { ...first, ...change })).toBe(false)
})
