import { dayMs, hourMs } from '@coffer/kit/values/time'
import { expect, test } from '@jest/globals'
import { idleSync } from '../../testing/idle-sync.ts'
import {
  beginSync,
  endSync,
  requestSync,
  type SyncOutcome,
  type SyncPolicy,
  type SyncState,
} from './sync-state.ts'

const minuteMs = 60_000
const start = new Date('2026-03-01T10:00:00Z')
const after = (ms: number) => new Date(start.getTime() + ms)
const idle: SyncState = { ...idleSync, updatedAt: start }
const due: SyncState = { ...idle, nextSyncAt: start }
const policy: SyncPolicy = {
  periodMs: 2 * hourMs,
  jitterMsMax: 20 * minuteMs,
  pausesMs: [minuteMs, hourMs],
  lastPauseMs: null,
}
const tally = { added: 5, changed: 4, matched: 3, removed: 2, skipped: 1 }
const complete: SyncOutcome = { kind: 'complete', tally }
const noFault = { faultCode: null, faultDetail: null, faultAt: null }
const noRun = { syncRunId: null, syncStartedAt: null, syncIsManual: false }
const user = { now: start, by: 'user' as const }
const begin = { now: start, runId: 'run_1', isScheduled: true }

function begun(sync: SyncState, runId = 'run_1'): SyncState {
  const found = beginSync(sync, { ...begin, runId })
  if (!found) throw new Error('nothing to do')
  return found.sync
}

function ended(sync: SyncState, outcome: SyncOutcome, now = start, key = 'link_1'): SyncState {
  return endSync(sync, { now, runId: 'run_1', outcome, policy, key })
}

/** Returns the spread of a link's syncs, in ms. */
function jitterMsOf(key: string): number {
  const { nextSyncAt } = ended(begun(due), complete, start, key)
  return (nextSyncAt?.getTime() ?? 0) - after(policy.periodMs).getTime()
}

test('a request of a user is stored, with the other fields of the row', () => {
  const row = { ...idle, status: 'active', updatedAt: after(-1) }
  expect(requestSync(row, user)).toEqual({
    ...row,
    lastManualSync: start,
    requestedAt: start,
    updatedAt: start,
  })
})

test.each([
  [29 * minuteMs, 60],
  [30 * minuteMs - 1, 1],
  [0, 1800],
  [-1, 1801],
])('a second request %i ms after the first waits %i s', (ms, retryAfterSeconds) => {
  const requested = requestSync(idle, user)
  const again = () => requestSync(requested, { now: after(ms), by: 'user' })
  expect(again).toThrow(
    expect.objectContaining({
      details: [{ desc: expect.anything(), value: expect.objectContaining({ retryAfterSeconds }) }],
    }),
  )
})

test('a second request exactly 30 minutes after the first is allowed', () => {
  const now = after(30 * minuteMs)
  const again = requestSync(requestSync(idle, user), { now, by: 'user' })
  expect(again).toMatchObject({ lastManualSync: now, requestedAt: now })
})

test.each(['operator', 'service'] as const)(
  'a request of the %s has no limit, and leaves that of the user',
  (by) => {
    const requested = requestSync(idle, user)
    const now = after(1)
    expect(requestSync(requested, { now, by })).toMatchObject({
      lastManualSync: start,
      requestedAt: now,
    })
  },
)

test.each([
  ['never scheduled', idle, true],
  ['not yet due', { ...idle, nextSyncAt: after(1) }, true],
  ['due, but without a schedule', due, false],
  ['requested for later', { ...idle, requestedAt: after(1) }, true],
])('a link that is %s begins no sync', (_kind, sync, isScheduled) => {
  expect(beginSync(sync, { ...begin, isScheduled })).toBeNull()
})

test.each([
  ['due', due, true, false],
  ['requested', requestSync(idle, user), true, true],
  ['requested and due', requestSync(due, user), true, true],
  ['requested without a schedule', requestSync(due, user), false, true],
])('a link that is %s begins a sync', (_kind, before, isScheduled, isManual) => {
  expect(beginSync(before, { ...begin, isScheduled })).toEqual({
    sync: {
      ...before,
      requestedAt: null,
      syncRunId: 'run_1',
      syncStartedAt: start,
      syncIsManual: isManual,
      lastAttemptedUpdate: start,
      updatedAt: start,
    },
    isManual,
  })
})

test.each([
  ['scheduled', due, false],
  ['manual', requestSync(idle, user), true],
])('a repeated begin of a %s sync changes nothing', (_kind, before, isManual) => {
  const sync = begun(before)
  expect(beginSync(sync, { ...begin, now: after(1) })).toEqual({ sync, isManual })
})

test.each([
  ['scheduled', { ...due, nextSyncAt: after(-hourMs) }, false],
  ['manual', requestSync(idle, user), true],
])('a lost %s sync is begun again', (_kind, before, isManual) => {
  const again = beginSync(begun(before), { ...begin, now: after(hourMs), runId: 'run_2' })
  expect(again).toMatchObject({ sync: { syncRunId: 'run_2' }, isManual })
})

test('a scheduled sync leaves a request that is postponed', () => {
  const begun = beginSync({ ...due, requestedAt: after(1) }, begin)
  expect(begun).toMatchObject({ sync: { requestedAt: after(1) }, isManual: false })
})

test('a request during a sync begins another', () => {
  const requested = requestSync(begun(due), user)
  expect(beginSync(ended(requested, complete), { ...begin, runId: 'run_2' })).toMatchObject({
    isManual: true,
  })
})

test('a complete sync deletes the fault and schedules the next', () => {
  const failing = { failuresInRow: 6, faultCode: 'status', faultDetail: '500', faultAt: start }
  const sync = begun(requestSync({ ...idle, ...failing }, user))
  expect(ended(sync, complete, after(1))).toEqual({
    ...sync,
    ...noRun,
    ...noFault,
    nextSyncAt: after(1 + 2 * hourMs + jitterMsOf('link_1')),
    lastSuccessfulUpdate: after(1),
    updatedAt: after(1),
    failuresInRow: 0,
    addedCount: 5,
    changedCount: 4,
    matchedCount: 3,
    removedCount: 2,
    skippedCount: 1,
  })
})

test('a sync of no bank account is no success and no failure, and schedules the next', () => {
  const failing = { failuresInRow: 2, faultCode: 'gone', faultDetail: '', faultAt: start }
  const sync = begun({ ...due, ...failing })
  const { nextSyncAt } = ended(sync, complete, after(1))
  const unsynced = ended(sync, { kind: 'unsynced' }, after(1))
  expect(unsynced).toEqual({ ...sync, ...noRun, nextSyncAt, updatedAt: after(1) })
})

test('a bank account that is created during a sync is synced at once', () => {
  const sync = { ...begun(due), nextSyncAt: after(1) }
  expect(ended(sync, complete, after(2)).nextSyncAt).toEqual(after(1))
})

test('the spread of the links is up to 20 minutes, and that of a link never changes', () => {
  const spread = Array.from({ length: 100 }, (_, n) => jitterMsOf(`link_${n}`))
  expect(new Set(spread).size).toBe(100)
  for (const ms of spread) expect(ms >= 0 && ms < policy.jitterMsMax).toBe(true)
  expect(jitterMsOf('link_1')).toBe(spread[1])
})

test.each([
  [0, null, after(minuteMs)],
  [1, null, after(hourMs)],
  [2, null, null],
  [7, null, null],
  [2, dayMs, after(dayMs)],
  [7, dayMs, after(dayMs)],
])('after %i failures another one pauses syncs: %#', (failuresInRow, lastPauseMs, nextSyncAt) => {
  const sync = begun({ ...due, failuresInRow })
  const of = { now: start, runId: 'run_1', outcome: { kind: 'failed' } as const, key: 'link_1' }
  expect(endSync(sync, { ...of, policy: { ...policy, lastPauseMs } })).toEqual({
    ...sync,
    ...noRun,
    failuresInRow: failuresInRow + 1,
    nextSyncAt,
  })
})

test('a failed request counts as the first failure only, and keeps the schedule', () => {
  const first = ended(begun(requestSync(idle, user)), { kind: 'failed' })
  expect(first).toMatchObject({ failuresInRow: 1, nextSyncAt: after(minuteMs) })
  const second = ended(begun(requestSync(first, { ...user, by: 'operator' })), { kind: 'failed' })
  expect(second).toMatchObject({ ...noRun, failuresInRow: 1, nextSyncAt: after(minuteMs) })
  const endless = { ...policy, lastPauseMs: dayMs }
  const of = { now: start, runId: 'run_1', outcome: { kind: 'failed' } as const, key: 'link_1' }
  const third = endSync(begun(requestSync(second, { ...user, by: 'service' })), {
    ...of,
    policy: endless,
  })
  expect(third).toMatchObject({ failuresInRow: 2, nextSyncAt: after(hourMs) })
})

test('a requested sync that does not end keeps a later pause of the schedule', () => {
  const nextSyncAt = after(hourMs)
  const sync = begun(requestSync({ ...idle, failuresInRow: 1, nextSyncAt }, user))
  for (const kind of ['postponed', 'unfinished'] as const) {
    expect(ended(sync, { kind, untilMs: 1 } as SyncOutcome)).toMatchObject({ nextSyncAt })
  }
})

test.each([
  [90_000, 90_000],
  [0, minuteMs],
  [1_000, minuteMs],
  [2 * dayMs, dayMs],
])('a provider that asks to wait %i ms postpones the sync by %i ms', (untilMs, ms) => {
  const sync = begun({ ...due, failuresInRow: 3 })
  expect(ended(sync, { kind: 'postponed', untilMs })).toMatchObject({
    ...noRun,
    failuresInRow: 3,
    faultCode: 'rate-limited',
    faultDetail: '429',
    faultAt: start,
    nextSyncAt: after(ms),
    requestedAt: null,
  })
})

test('a requested sync that is postponed stays requested for then', () => {
  const sync = { ...begun(requestSync(idle, user)), requestedAt: start }
  const postponed = ended(sync, { kind: 'postponed', untilMs: hourMs })
  expect(postponed).toMatchObject({ requestedAt: after(hourMs), nextSyncAt: after(hourMs) })
  const withoutSchedule = { ...begin, runId: 'run_2', isScheduled: false }
  expect(beginSync(postponed, { ...withoutSchedule, now: after(hourMs - 1) })).toBeNull()
  const now = after(hourMs)
  expect(beginSync(postponed, { ...withoutSchedule, now })).toMatchObject({ isManual: true })
})

test('a postponed sync keeps the words of its fault', () => {
  const said = { faultCode: 'rate-limited', faultDetail: '429: slower' }
  const sync = { ...begun(due), ...said }
  expect(ended(sync, { kind: 'postponed', untilMs: 1 })).toMatchObject(said)
})

test.each([
  ['scheduled', due, null],
  ['manual', requestSync(idle, user), after(1)],
])('a %s sync that could not be finished is repeated', (_kind, before, requestedAt) => {
  expect(ended(begun(before), { kind: 'unfinished' }, after(1))).toMatchObject({
    ...noRun,
    failuresInRow: 0,
    faultCode: 'internal',
    nextSyncAt: after(1 + 10 * minuteMs),
    requestedAt,
  })
})

test('a sync of a deleted link schedules none', () => {
  expect(ended(begun(due), { kind: 'gone' })).toMatchObject({ ...noRun, nextSyncAt: null })
})

test('the end of a sync changes nothing once another has begun, or when it is repeated', () => {
  const other = begun(due, 'run_2')
  expect(ended(other, complete)).toBe(other)
  const once = ended(begun(due), complete)
  expect(ended(once, { kind: 'failed' }, after(1))).toBe(once)
})
