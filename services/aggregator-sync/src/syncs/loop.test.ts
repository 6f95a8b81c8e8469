import { describe, expect, test } from '@jest/globals'
import {
  hasUnreadable,
  isAwaited,
  isHeld,
  isSamePosition,
  isWithinLoop,
  type Loop,
  nextCursorOf,
  nextLookAt,
  noteSkipped,
  noteUnreadable,
  passPage,
  requestReread,
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
  loopIsIncomplete: false,
  awaitedPending: [],
  incompleteSince: null,
  rereadAt: null,
}
const page = (nextCursor: string, hasMore = false) => {
  return { nextCursor, hasMore, unreadable: 0, awaited: [] as string[] }
}
const unreadable = (nextCursor: string, hasMore = false) => {
  return { ...page(nextCursor, hasMore), unreadable: 1, awaited: ['p1'] }
}

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

describe('a row that could not be read', () => {
  const minutesLater = (minutes: number) => new Date(now.getTime() + minutes * 60_000)
  const nextDay = minutesLater(24 * 60)
  const begun = { ...first, cursor: 'c1' }

  test.each([
    ['a page', (loop: Loop) => passPage(loop, page('c3', true), now)],
    ['a restart', restartLoop],
    ['a cursor that is refused', (loop: Loop) => restartWhole(loop, now)],
  ])('makes the loop incomplete beyond %s', (_, go) => {
    const after = go(passPage(begun, unreadable('c2', true), now))
    expect(after.loopIsIncomplete).toBe(true)
    expect([isAwaited(after, 'p1'), isAwaited(after, 'p2')]).toEqual([true, false])
    expect(hasUnreadable(passPage(after, page('c4'), now))).toBe(true)
  })

  test('is read again from the same cursor, until the loop is complete', () => {
    const held = passPage(passPage(begun, unreadable('c2', true), now), page('c3'), now)
    expect([isHeld(held), isWithinLoop(held), nextCursorOf(held)]).toEqual([true, false, 'c1'])
    expect(held).toMatchObject({ loopNumber: 1, loopIsIncomplete: false, awaitedPending: [] })
    const within = passPage(held, page('c2', true), later)
    expect(isHeld(within)).toBe(false)
    const ended = passPage(within, page('c3'), later)
    expect(ended).toEqual({ ...begun, cursor: 'c3', loopNumber: 1 })
  })

  test.each([
    [0, 10],
    [20, 20],
    [60 * 24, 6 * 60],
  ])('is looked for %d minutes after the first time in %d minutes', (age, pause) => {
    const held = passPage(begun, unreadable('c2'), now)
    const at = minutesLater(age)
    expect(nextLookAt(held, at)).toEqual(minutesLater(age + pause))
    expect(nextLookAt(begun, at)).toBeNull()
  })

  test('is passed after a day, and looked for by a whole loop a day', () => {
    const held = passPage(begun, unreadable('c2'), now)
    const passed = passPage(held, unreadable('c2'), nextDay)
    const dueAt = minutesLater(48 * 60)
    expect(passed).toMatchObject({ cursor: 'c2', wholeLoopStartedAt: nextDay, rereadAt: dueAt })
    const ended = passPage(passed, unreadable('c3'), nextDay)
    expect(ended).toMatchObject({ cursor: 'c3', wholeLoopStartedAt: null, wholeRequestedAt: null })
    expect([isHeld(ended), nextLookAt(ended, nextDay)]).toEqual([false, dueAt])
    // Complete changes say nothing about it.
    const changed = passPage(ended, page('c4'), nextDay)
    expect(requestReread(changed, nextDay)).toBe(changed)
    const due = requestReread(changed, dueAt)
    expect(due).toMatchObject({ rereadAt: dueAt, wholeRequestedAt: dueAt })
    const whole = passPage(due, page('c5'), dueAt)
    const all = passPage(whole, page('c6'), dueAt)
    expect(all).toMatchObject({ cursor: 'c6', rereadAt: null, wholeRequestedAt: null })
    expect(hasUnreadable(all)).toBe(false)
  })

  test('is looked for at once by a whole loop that is due', () => {
    const due = passPage({ ...begun, wholeRequestedAt: now }, unreadable('c2'), later)
    expect([isHeld(due), due.wholeLoopStartedAt]).toEqual([false, later])
    expect(hasUnreadable(passPage(due, page('c3'), later))).toBe(false)
  })

  test('may replace any pending transaction if its pending ID is unreadable too', () => {
    const of = (awaited: string[]) => noteUnreadable(begun, { unreadable: 1, awaited })
    expect(isAwaited(of(['']), 'p')).toBe(true)
    expect(isAwaited(of([]), 'p')).toBe(false)
    const many = Array.from({ length: 501 }, (_, index) => `p${index}`)
    expect(isAwaited(of(many), 'q')).toBe(true)
  })
})
